"""Row keys of Databus events."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watershed_udfs.databus.event import base64_key, text_key
from watershed_udfs.databus.keys import name_key


@pytest.mark.parametrize(
    ("message_key", "names", "row_key"),
    [
        ('{"key":123}', ["id"], '{"id":123}'),
        ('{"key":-9223372036854775808}', ["id"], '{"id":-9223372036854775808}'),
        ('{"key":1.0}', ["id"], '{"id":1}'),
        ('{"key":"123"}', ["id"], '{"id":"123"}'),
        ('{"key":""}', ["id"], '{"id":""}'),
        ('{"key":"a\\tb"}', ["id"], '{"id":"a\\tb"}'),
        ('{"key":"a\\tb"}', ["z", "b"], '{"b":"b","z":"a"}'),
        ('{"key":"7\\t\\té\\"\\\\"}', ["a", "c", "b"], '{"a":"7","b":"é\\"\\\\","c":""}'),
        ('{"key":"\\t"}', ['"', "é"], '{"\\"":"","é":""}'),
        ('{"key":"a\\tb"}', ["a", "b", "c"], None),
        ('{"key":"a\\tb\\tc"}', ["a", "b"], None),
        ('{"key":123}', ["a", "b"], None),
        ('{"key":"a\\tb"}', ["a", "a"], None),
        ('{"key":"a\\tb"}', ["a", None], None),
        ('{"key":1}', [None], None),
        ('{"key_base64":"qg=="}', ["id"], '{"id":"qg=="}'),
        ('{"key_base64":"qg=="}', ["a", "b"], None),
        ('{"key_base64":"qg=="}', [], '{"key_base64":"qg=="}'),
        ('{"key":123}', None, '{"key":123}'),
        ('{"key":123}', [], '{"key":123}'),
        (None, None, None),
        (None, ["id"], None),
        ('{"key":null}', ["id"], None),
        ('{"key":true}', ["id"], None),
        ('{"key":[1]}', ["id"], None),
        ('{"key_base64":1}', ["id"], None),
        ('{"other":1}', ["id"], None),
        ('{"key":1,"other":2}', ["id"], None),
        ("{}", ["id"], None),
        ("[]", ["id"], None),
        ('{"key":', ["id"], None),
        (b'{"key":"\xff"}', ["id"], None),
        (b'{"key":"\xff"}', [], None),
        (b'{"key":"a"}', ["id"], '{"id":"a"}'),
    ],
)
def test_name_key_names_parts(
    message_key: str | bytes | None, names: list[str | None] | None, row_key: str | None
) -> None:
    assert name_key(message_key, names) == row_key


@settings(max_examples=300, deadline=None)
@given(st.lists(st.text(max_size=4).filter(lambda text: "\t" not in text), min_size=2, max_size=4))
def test_composite_keys_come_apart(parts: list[str]) -> None:
    try:
        key = "\t".join(parts).encode()
    except UnicodeEncodeError:
        return
    names = [f"n{index}" for index in range(len(parts))]
    named = name_key(text_key(key), list(names))
    assert named is not None
    assert json.loads(named) == dict(zip(names, parts, strict=True))
    assert name_key(text_key(key), [*names, "more"]) is None


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=20), st.lists(st.one_of(st.none(), st.sampled_from("ab")), max_size=3))
def test_name_key_is_total(key: bytes, names: list[str | None]) -> None:
    for message_key in (text_key(key), base64_key(key), key):
        named = name_key(message_key, names)
        if named is not None and names:
            assert set(json.loads(named)) == set(names)


def test_keys_that_are_not_utf8_are_base64() -> None:
    assert text_key(b"\xaa") == '{"key_base64":"qg=="}'
    assert text_key('é"'.encode()) == '{"key":"é\\""}'
