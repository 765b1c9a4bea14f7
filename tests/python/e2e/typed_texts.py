"""Thousands of hostile texts for every kind of value."""

from __future__ import annotations

import base64
import itertools
import json
import random
from collections.abc import Iterator


def number_texts() -> Iterator[str]:
    whole = ["", "0", "1", "5", "9", "00", "007", "64", "127", "128", "255", "256", "999", "32767", "32768", "1234567"]
    whole += [str(2**bits + more) for bits in (31, 32, 53, 63, 64) for more in (-1, 0, 1)]
    whole += ["9" * 18, "9" * 20, "9" * 38, "1" + "0" * 38, "0" * 40 + "1", "123456789" * 9, "0" * 20]
    fractions = ["", ".", ".0", ".5", ".25", ".123", ".00", ".000000000000000001", "." + "9" * 38, "." + "0" * 50 + "1"]
    exponents = ["", "e0", "E1", "e+2", "E-2", "e-10", "E38", "E-45", "e-46", "E308", "e309", "E-324", "e-400"]
    exponents += ["E0005", "e99999", "e", "E+", "e1.5"]
    for sign in ("", "+", "-"):
        yield from (sign + "".join(one) for one in itertools.product(whole, fractions, exponents[:1]))
        yield from (sign + "".join(one) for one in itertools.product(whole[:9], fractions[:6], exponents))
    yield from (
        "3.4028235E38",
        "3.4028236e38",
        "1.7976931348623157E308",
        "1.7976931348623159E308",
        "4.9E-324",
        "2E-324",
    )
    yield from ("16777217", "16777219", "9007199254740993", "1e23", "2.2250738585072011e-308", "0.1", "1E-7", "0E-10")


def time_texts() -> Iterator[str]:
    days = [
        "2020-02-29",
        "2021-02-29",
        "2020-13-01",
        "2020-00-10",
        "2020-01-00",
        "0000-00-00",
        "0000-01-01",
        "0001-01-01",
    ]
    days += [
        "9999-12-31",
        "10000-01-01",
        "1900-01-01",
        "1969-12-31",
        "2020-1-1",
        "20200101",
        "-001-01-01",
        "2024-06-30",
    ]
    # Clocks go forward and back: New York, Berlin, Lord Howe (by half an hour), Shanghai (1940 to 1991).
    turns = [
        "2021-03-14",
        "2021-11-07",
        "2021-03-28",
        "2021-10-31",
        "2021-04-04",
        "2021-10-03",
        "1986-05-04",
        "1991-09-15",
    ]
    times = [
        "",
        " 00:00:00",
        "T00:00:00",
        " 23:59:59",
        " 24:00:00",
        " 12:60:00",
        " 12:30:60",
        " 12:30",
        "T12:30",
        " 12",
    ]
    turning = [f" {hour}:{minute}:00" for hour in ("00", "01", "02", "03") for minute in ("00", "15", "30", "59")]
    fractions = ["", ".", ".0", ".5", ".012345", ".0123450", ".0123456", ".000000000", ".999999999", ".1234567890"]
    zones = ["", "Z", " Z", " UTC", "GMT", "+08:00", " -5:30", "+18:00", "-18:00", "+18:01", "+08:60", " Asia/Shanghai"]
    zones += [" America/Argentina/Buenos_Aires", " CST", "PST8PDT", " Foo/Bar", " utc", "  Z", "+0800", " Etc/GMT+8"]
    yield from map("".join, itertools.product(days, times, ["", " Z", "+14:00", "-12:00"]))
    yield from map("".join, itertools.product(turns, turning, ["", "Z"]))
    yield from map("".join, itertools.product(["2020-11-25", "0000-00-00"], times[1:4] + times[7:9], fractions, zones))
    hours = ["-01", "8", "08", "838", "999", "1000", "--08", "+08"]
    yield from map("".join, itertools.product(hours, [":30:59", ":60:00", ":30:60", ":30"], fractions))
    seconds = [
        "0",
        "-0",
        "1606233662",
        "-1606233662",
        "1606233662000",
        "1606233662123",
        "-1606233662000",
        "99999999999",
    ]
    seconds += ["253402300799", "253402300800", "-62135596800", "-62135596801", "1" * 14, "0000000000000", "+5", ""]
    yield from map("".join, itertools.product(seconds, fractions))
    yield from map(str, (-62135596800000, -62135596800001, 253402300799999, 253402300800000))
    yield from map(str, (-62135596800000000, -62135596800000001, 253402300799999999, 253402300800000000))


def other_texts() -> Iterator[str]:
    yield from ("", " ", "\t", "\n", "\0", "null", "NULL", "N/A", "n/a", "-", "+", ".", "e", "E5", "--1", "+-1", "1-")
    yield from (
        "true",
        "TRUE",
        "False",
        "fALSE",
        "t",
        "f",
        "yes",
        "no",
        "on",
        "tru\u0435",
        " true",
        "true\n",
        "\ufb01",
        "trUe\0",
    )
    yield from (
        "NaN",
        "nan",
        "Infinity",
        "-inf",
        "1d",
        "1f",
        "1L",
        "0x10",
        "1_000",
        "1,5",
        "1 000",
        "\uff15",
        "\u0663",
        "1e\u0663",
        "\u00a05",
    )
    yield from (
        "AA==",
        "AP9B",
        "AP\n9B",
        " A A = = ",
        "AP9",
        "AB==",
        "AAA=",
        "AAB=",
        "A===",
        "====",
        "AP9!",
        "AP-_",
        "AAAAAAAAAAU=",
    )
    yield from (
        "/" * 12,
        "AQAAAAAAAAA=",
        "AAAAAAAAAAAA",
        "AQAAAAAAAAAA",
        "AP9B\u2003",
        "AP9B\x0b",
        "AA==AA==",
        "BQ==",
        "é",
        "ÿ",
        "Ā",
    )
    yield from ("\x80\xff", "🎉", "\ud7ff", "a\u0000b", "\x7f", "x" * 5000, "AAAA" * 2000)
    yield from (str(2**bits - 1) for bits in range(1, 66))
    yield from (
        f"{start}{text}{end}"
        for text in ("1", "1.5", "2020-11-25", "2020-11-25 00:01:02", "08:30:00", "1606233662")
        for start in ("", " ", "\n", "\t", "\u2003", "\x01")
        for end in ("", " ", "\n", "\r\n", "\x1f", "\0", "x")
    )


def connect_texts() -> Iterator[str]:
    """Numbers in bytes and structs, and counts of days, milliseconds, microseconds and nanoseconds."""
    numbers = [
        0,
        1,
        -1,
        127,
        128,
        -128,
        -129,
        255,
        10**37,
        10**38 - 1,
        10**38,
        -(10**38),
        2**127 - 1,
        -(2**127),
        2**127,
    ]
    packed = [number.to_bytes(max(1, number.bit_length() // 8 + 1), signed=True) for number in numbers]
    values = [base64.b64encode(one).decode() for one in [*packed, b"", b"\0" * 15 + b"\x07", b"\xff" * 16]]
    yield from values
    for value, scale in itertools.product(values, [0, 1, 2, 38, 39, 40, -1, -2, -38, 16383, -16383]):
        yield json.dumps({"scale": scale, "value": value})
    for scale in (16384, -16384, 2**31 - 1, -(2**31), 2**31, 2**70, None, "x", "", [], {}, True):
        yield json.dumps({"scale": scale, "value": "AQ=="})
    for value in ("A", "AQ", "????", None, 1, [], {}):
        yield json.dumps({"scale": 0, "value": value})
    yield from ("{}", "[]", '{"scale":0}', '{"value":"AQ=="}', '{"value":"AQ==","scale":2,"more":1}')
    # The first and last day of the years 1 and 9999, and what is before and after them; ends of the day.
    yield from map(str, (-719163, -719162, -719161, -1, 2932895, 2932896, 2932897))
    for digits in (3, 6, 9):
        last = 86400 * 10**digits
        yield from map(str, (1, 10 ** (digits - 1), 10**digits, last // 2 + 1, last - 1, last, last + 1, -1))
    yield from map(str, (999, 1001, -999, -1000, -1001, 1767225600123456789, 1767225600123456000, 2**63 - 1, -(2**63)))
    # Local times that New York, Lord Howe and Shanghai skip or have twice.
    for day, hour, unit in itertools.product((18700, 18938, 18721, 18903, 5967, 7927), range(4), (3, 6, 9)):
        yield str((day * 86400 + hour * 3600 + 900) * 10**unit)


def damaged(texts: list[str]) -> Iterator[str]:
    """Texts with a character changed, left out or added; the same in each run."""
    chance = random.Random(42)
    alphabet = "0123456789+-.:eETZ /aA=é\n"
    for text in chance.sample(texts, 800):
        place = chance.randrange(len(text) + 1)
        yield text[:place] + chance.choice(alphabet) + text[place + chance.randrange(2) :]


def texts() -> list[str | None]:
    known = list(dict.fromkeys([*number_texts(), *time_texts(), *other_texts()]))
    return [None, *dict.fromkeys([*known, *damaged(known), *connect_texts()])]
