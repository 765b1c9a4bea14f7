"""Strict Base64."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from watershed_udfs.base64_text import decode_base64
from watershed_udfs.errors import PayloadError


@given(st.binary(max_size=200), st.integers(0, 100))
def test_decode_base64_reads_what_was_encoded(data: bytes, cut: int) -> None:
    text = base64.b64encode(data).decode()
    assert decode_base64(text[:cut] + "\r\n \t\v\f" + text[cut:]) == data
    assert decode_base64(base64.encodebytes(data)) == data


@pytest.mark.parametrize("text", ["", " \n"])
def test_decode_base64_of_nothing_is_empty(text: str) -> None:
    assert decode_base64(text) == b""


@pytest.mark.parametrize(
    "text",
    [
        "!!!!",
        "QQ",
        "QQ=",
        "QQQQ=",
        "QQQQ====",
        "QQ==QQ==",
        "====",
        "=QQQ",
        "Q===",
        "QR==",
        "QUF=",
        "QU-_",
        "QQ\u00a0==",
        "é",
        "QQ==\x00",
        "QQ=\x00",
    ],
)
def test_decode_base64_refuses(text: str) -> None:
    for given_text in (text, text.encode()):
        with pytest.raises(PayloadError) as caught:
            decode_base64(given_text)
        assert caught.value.code == "invalid_base64"


@given(st.one_of(st.text(max_size=12), st.binary(max_size=12), st.text("AQg=+/ \n", max_size=12)))
def test_decode_base64_is_one_to_one(text: str | bytes) -> None:
    try:
        data = decode_base64(text)
    except PayloadError:
        return
    plain = text if isinstance(text, bytes) else text.encode()
    assert base64.b64encode(data) == b"".join(plain.split())
