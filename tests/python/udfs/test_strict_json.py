"""The reader of strict JSON, in Java and its reference: refused texts with their reasons, and results."""

import contextlib
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from java_side import open_json
from json_strategies import JSON_TEXTS, OBJECT_TEXTS, damaged_texts
from reference.strict_json import MAX_DEPTH, kind_of, read_json
from watershed_udfs.errors import PayloadError
from watershed_udfs.json_columns import canonical_text

REFUSED = {
    "malformed_json": [
        b"",
        b"{",
        b"{} x",
        b"{}{}",
        b'{"a":1,}',
        b"[1,]",
        b"{'a':1}",
        b"{a:1}",
        b'{"a":1 /* c */}',
        b'{"a":1} // c',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":"\x01"}',
        b'{"a\x1f":1}',
        b'{"a":"\n"}',
        b'{"a":"\\ud83d"}',
        b'{"a":"\\ude00"}',
        b'{"\\ud83d":1}',
        b'["\\ud83d\\u0041"]',
        b'{"a":"\\x"}',
        b'{"a":"\\u12"}',
        b'{"a":"\\u+123"}',
        b"\xef\xbb\xbf{}",
        b"\x0b{}",
        b'{"a":\xc2\xa01}',
        b'{"a":01}',
        b'{"a":1.}',
        b'{"a":.5}',
        b'{"a":+1}',
        b'{"a":1e}',
        b'{"a":0x1}',
        b'{"a":tru}',
        b'{"a" 1}',
        b'{"a":1 "b":2}',
        b"{1:2}",
        b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
        b"[" * 1_000_000,
        b'{"a":' * 100_000,
        b'"' + b'\\"' * 100_000,
    ],
    "invalid_utf8": [
        b'{"a":"\xff"}',
        b'{"\xc3":1}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\xc0\x80"}',
        b'{"a":"\xf5\x80\x80\x80"}',
    ],
    "duplicate_member": [
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'{"x":[{"a":{"b":1,"c":2,"b":3}}]}',
        b'{"":1,"":2}',
        b'{"\xc3\xa9":1,"\\u00e9":2}',
    ],
}


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in REFUSED.items() for text in texts])
def test_read_json_refuses(code: str, text: bytes) -> None:
    with pytest.raises(PayloadError) as caught:
        read_json(text)
    assert caught.value.code == code
    check_readers_agree(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (b'{"b":1.10,"a":1E400}', '{"a":1E400,"b":1.10}'),
        (b' { "b" : [ 1 , -0.0 , 1e+5 ] , "a" : { } } ', '{"a":{},"b":[1,-0.0,1e+5]}'),
        (b'{"a":-0}', '{"a":0}'),
        (b'{"a":10223372036854775806}', '{"a":10223372036854775806}'),
        (b'{"a":"\\u00e9\\/\\u007f\\u0001\\b\\ud83d\\ude00"}', '{"a":"é/\x7f\\u0001\\b\U0001f600"}'),
        ('{"\U0001f600":1,"\uffff":2,"é":3,"z":4,"":5}'.encode(), '{"":5,"z":4,"é":3,"\uffff":2,"\U0001f600":1}'),
        (b'{"a":0.' + b"1" * 760 + b"}", '{"a":0.' + "1" * 760 + "}"),
        (b'{"a":1e' + b"9" * 5000 + b"}", '{"a":1e' + "9" * 5000 + "}"),
        (b'{"a": ' + b"7" * 5000 + b"}", '{"a":' + "7" * 5000 + "}"),
        (b'{"a":-' + b"7" * 4300 + b"}", '{"a":-' + "7" * 4300 + "}"),
        (b'{"a":' + b"7" * 5000 + b".10}", '{"a":' + "7" * 5000 + ".10}"),
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, "[" * MAX_DEPTH + "]" * MAX_DEPTH),
        (b'{"a":' * MAX_DEPTH + b" 1" + b"}" * MAX_DEPTH, '{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH),
        (b"[" + b"{}," * MAX_DEPTH + b"{}]", "[" + "{}," * MAX_DEPTH + "{}]"),
    ],
)
def test_canonical_text_is_sorted_and_exact(text: bytes, canonical: str) -> None:
    assert canonical_text(read_json(text)) == canonical
    assert canonical_text(read_json(canonical.encode())) == canonical
    check_readers_agree(text)


MEMBERS = '[["a","any"],["a","any",{"keeps_order":true}],["","any"],["é","any"]]'


def check_readers_agree(text: bytes) -> None:
    """Java reads a text, and the same as a member of a message, as the reference does (`java_side.open_json`)."""
    for value in (text, b'{"a":' + text + b"}"):
        with contextlib.suppress(PayloadError):
            open_json(value, MEMBERS)


@settings(max_examples=300, deadline=None)
@given(JSON_TEXTS)
def test_readers_agree_on_json(text: str) -> None:
    check_readers_agree(text.encode())


@settings(max_examples=700, deadline=None)
@given(damaged_texts())
def test_readers_agree_on_damaged_json(text: bytes) -> None:
    check_readers_agree(text)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=40))
def test_readers_agree_on_any_bytes(text: bytes) -> None:
    check_readers_agree(text)


@settings(deadline=None)
@given(
    st.one_of(st.integers(150, 300), st.integers(480, 520)),
    st.sampled_from([(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":[', b"]}]")]),
    st.sampled_from([b"", b" ", b"1"]),
)
def test_readers_agree_on_depth(depth: int, brackets: tuple[bytes, bytes], inner: bytes) -> None:
    check_readers_agree(brackets[0] * depth + (inner or b"1") + brackets[1] * depth)


@settings(max_examples=200, deadline=None)
@given(OBJECT_TEXTS)
def test_canonical_text_keeps_every_number(text: str) -> None:
    try:
        canonical = canonical_text(read_json(text.encode()))
    except PayloadError:
        return
    outside_strings = re.compile(r'"(?:[^"\\]|\\.)*"|(-?[0-9][-+.0-9eE]*)')
    sent = sorted("0" if one == "-0" else one for one in outside_strings.findall(text) if one)
    assert sorted(one for one in outside_strings.findall(canonical) if one) == sent


@pytest.mark.parametrize(
    "text",
    [
        b'{"secret":1,"secret":2}',
        b'{"a":"secret',
        b'{"a":secret}',
        b'{"a":"secret\\q"}',
        b'{"a":"secret\xff"}',
        b"{} secret",
    ],
)
def test_error_detail_holds_no_payload(text: bytes) -> None:
    with pytest.raises(PayloadError) as caught:
        read_json(text)
    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_kind_of_names_every_kind() -> None:
    for text, kind in [(b"{}", "object"), (b"[]", "array"), (b'""', "string"), (b"true", "boolean"), (b"null", "null")]:
        assert kind_of(read_json(text)) == kind
    for text in (b"1", b"1.5", b" 1.5", b"7" * 5000):
        assert kind_of(read_json(text)) == "number"
