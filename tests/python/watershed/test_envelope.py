"""Envelope lines: accepted ones, byte for byte, and rejected ones."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from watershed.landing.envelope import Message, check_line, read_line

START = '{"topic":"t","partition":0,"offset":1'
MAX_MILLIS = 253_402_300_799_999


def accepted(line: bytes) -> Message:
    check_line(line)
    return read_line(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (START + ',"value":"v"}', Message("t", 0, 1, None, "v", None)),
        (START + ',"value":null}', Message("t", 0, 1, None, None, None)),
        (START + ',"value":"","key":""}', Message("t", 0, 1, "", "", None)),
        (START + ',"value_base64":null,"key":null}', Message("t", 0, 1, None, None, None)),
        (START + ',"value_base64":"/w==","key_base64":"AA =\\n="}', Message("t", 0, 1, b"\x00", b"\xff", None)),
        (START + ',"value":"v","timestamp_ms":0}', Message("t", 0, 1, None, "v", 0)),
        (START + ',"value":"v","timestamp_ms":null}', Message("t", 0, 1, None, "v", None)),
        (START + ',"value":"v","timestamp_ms":-1}', Message("t", 0, 1, None, "v", None)),
        ('{"topic":"","partition":2147483647,"offset":9223372036854775807,"value":"\\u0000\\ud83d\\ude00"}\r\n',
         Message("", 2**31 - 1, 2**63 - 1, None, "\0\U0001f600", None)),
        (' { "value" : "v" , "offset" : 1 , "partition" : 0 , "topic" : "\\u0074" } \n',
         Message("t", 0, 1, None, "v", None)),
    ],
)  # fmt: skip
def test_envelope_is_read_as_sent(line: str, expected: Message) -> None:
    assert accepted(line.encode()) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "blank"),
        (" \r\n", "blank"),
        ("[]", "Expected `object`"),
        ("null", "Expected `object`"),
        ('"text"', "Expected `object`"),
        ("{}", "missing required field `topic`"),
        ('{"partition":0,"offset":1,"value":"v"}', "missing required field `topic`"),
        ('{"topic":"t","offset":1,"value":"v"}', "missing required field `partition`"),
        ('{"topic":"t","partition":0,"value":"v"}', "missing required field `offset`"),
        (START + "}", "exactly one of the members value and value_base64"),
        (START + ',"value":"v","value_base64":"dg=="}', "exactly one of the members value and value_base64"),
        (START + ',"value":null,"value_base64":null}', "exactly one of the members value and value_base64"),
        (START + ',"value":"v","key":"k","key_base64":"aw=="}', "key and key_base64 exclude each other"),
        (START + ',"value":"v","key":null,"key_base64":null}', "key and key_base64 exclude each other"),
        (START + ',"value":"v","headers":{}}', "unknown field `headers`"),
        (START + ',"value":"v","value":"v"}', 'duplicate key "value"'),
        (START + ',"value":"v","\\u0076alue":"v"}', 'duplicate key "value"'),
        (START + ',"value":"v","offset":1}', 'duplicate key "offset"'),
        (START + ',"value":{"a":1}}', "got `object` - at member `value`"),
        (START + ',"value":1}', "got `int` - at member `value`"),
        (START + ',"value":"v","key":1}', "got `int` - at member `key`"),
        (START + ',"value":"v","timestamp_ms":1.0}', "got `float` - at member `timestamp_ms`"),
        (START + ',"value":"v","timestamp_ms":"1"}', "got `str` - at member `timestamp_ms`"),
        (START + ',"value":"v","timestamp_ms":true}', "got `bool` - at member `timestamp_ms`"),
        (START + ',"value":"v","timestamp_ms":-2}', "at member `timestamp_ms`"),
        (START + f',"value":"v","timestamp_ms":{MAX_MILLIS + 1}}}', "at member `timestamp_ms`"),
        ('{"topic":null,"partition":0,"offset":1,"value":"v"}', "got `null` - at member `topic`"),
        ('{"topic":"t","partition":-1,"offset":1,"value":"v"}', "at member `partition`"),
        ('{"topic":"t","partition":2147483648,"offset":1,"value":"v"}', "at member `partition`"),
        ('{"topic":"t","partition":false,"offset":1,"value":"v"}', "got `bool` - at member `partition`"),
        ('{"topic":"t","partition":0,"offset":-1,"value":"v"}', "at member `offset`"),
        ('{"topic":"t","partition":0,"offset":9223372036854775808,"value":"v"}', "at member `offset`"),
        ('{"topic":"t","partition":0,"offset":1e2,"value":"v"}', "got `float` - at member `offset`"),
        ('{"topic":"t","partition":00,"offset":1,"value":"v"}', "not JSON: invalid number"),
        (START + ',"value":NaN}', "not JSON"),
        (START + ',"value":Infinity}', "not JSON"),
        (START + ',"value":"v",}', "not JSON: trailing comma"),
        (START + ',"value":"v"} x', "not JSON: trailing characters"),
        (START + ',"value":"v"}{}', "not JSON: trailing characters"),
        (START + ',"value":"v"/**/}', "not JSON"),
        ("// a comment", "not JSON"),
        (START + ",\"value\":'v'}", "not JSON"),
        (START + ',"value":"\t"}', "not JSON: control character"),
        (START + ',"value":"\\ud83d"}', "not JSON"),
        (START + ',"value":"\\ude00\\ud83d"}', "not JSON: lone leading surrogate"),
        (START + ',"value":"\\x41"}', "not JSON: invalid escape"),
        ("\ufeff" + START + ',"value":"v"}', "not JSON"),
        (START + ',"value_base64":"dg="}', "member value_base64 is not Base64"),
        (START + ',"value_base64":"dg"}', "member value_base64 is not Base64"),
        (START + ',"value_base64":"dg==dg=="}', "member value_base64 is not Base64"),
        (START + ',"value_base64":"d_-="}', "member value_base64 is not Base64"),
        (START + ',"value_base64":"dg\u00a0=="}', "member value_base64 is not Base64"),
        (START + ',"value_base64":"QR=="}', "member value_base64 is not Base64"),
        (START + ',"value_base64":"QQQQ===="}', "member value_base64 is not Base64"),
        (START + ',"value":"v","key_base64":"QR=="}', "member key_base64 is not Base64"),
        (START + ',"value":"v","key_base64":"="}', "member key_base64 is not Base64"),
        (START + ',"value":"' + "[" * 10, "not JSON"),
        ("[" * 100_000, "not JSON"),
    ],
)  # fmt: skip
def test_line_that_is_no_envelope_is_refused(line: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r".+") as caught:
        check_line(line.encode())
    assert reason in str(caught.value)


@pytest.mark.parametrize("value", [b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"])
def test_bytes_that_are_not_utf8_are_refused(value: bytes) -> None:
    with pytest.raises(ValueError, match="not JSON"):
        check_line(START.encode() + b',"value":"' + value + b'"}')


def test_a_refusal_does_not_show_the_payload() -> None:
    with pytest.raises(ValueError, match="exactly one") as caught:
        check_line((START + ',"value":"secret","value_base64":"c2VjcmV0"}').encode())
    assert "secret" not in str(caught.value)


text = st.text(st.characters(exclude_categories=["Cs"]))
fields = st.one_of(st.none(), text)


@given(
    topic=text,
    partition=st.integers(0, 2**31 - 1),
    offset=st.integers(0, 2**63 - 1),
    key=fields,
    value=fields,
    millis=st.none() | st.integers(0, MAX_MILLIS),
    is_ascii=st.booleans(),
)
def test_text_round_trip(
    topic: str, partition: int, offset: int, key: str | None, value: str | None, millis: int | None, is_ascii: bool
) -> None:
    members = {"topic": topic, "partition": partition, "offset": offset, "key": key, "value": value}
    line = json.dumps(members | {"timestamp_ms": millis}, ensure_ascii=is_ascii).encode()
    assert accepted(line) == Message(topic, partition, offset, key, value, millis)


@given(key=st.binary(), value=st.binary())
def test_bytes_round_trip(key: bytes, value: bytes) -> None:
    members = {
        "topic": "t",
        "partition": 0,
        "offset": 0,
        "key_base64": base64.b64encode(key).decode(),
        "value_base64": base64.encodebytes(value).decode(),
    }
    assert accepted(json.dumps(members).encode()) == Message("t", 0, 0, key, value, None)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(line: bytes) -> None:
    try:
        check_line(line)
    except ValueError:
        return
    read_line(line)


@pytest.mark.parametrize("name", ["a\nb", "a\u2028b", "\x1b[31mred", "a`b" * 1000, "\x00"])
@pytest.mark.parametrize("form", ['"%s":1', '"value":"v","%s":1,"%s":2'])
def test_a_foreign_name_cannot_break_the_line(name: str, form: str) -> None:
    written = json.dumps(name)[1:-1]
    members = form.replace("%s", written)
    with pytest.raises(ValueError, match=r"unknown field|duplicate key") as caught:
        check_line((START + "," + members + "}").encode())
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 150
