"""What docs/formats/values.md promises of every kind, as plain Python: no code of the macros, and none of Spark.

Each function takes a text and returns its value, or None where the kind refuses the text. Timestamps are microseconds
since 1970.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import re
import zoneinfo
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction

Value = bool | int | float | str | bytes | Fraction | dt.date | None
NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")
LOCAL_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2})(:[0-9]{2})?(?:(?<=:[0-9]{2}:[0-9]{2})\.([0-9]{1,9}))?"
    r"(?: ?(Z|UTC|GMT|[+-][0-9]{1,2}:[0-9]{2}|[A-Z][A-Za-z_]+/[A-Za-z0-9_+/-]+))?"
)
FIRST_MICROS = -(dt.datetime(1970, 1, 1) - dt.datetime(1, 1, 1)) // dt.timedelta(microseconds=1)
LAST_MICROS = (dt.datetime(9999, 12, 31, 23, 59, 59, 999999) - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)
ZERO_DATE = re.compile(r"0000-00-00([T ]00:00(:00(\.0{1,9})?)?)?")
BEYOND_64_BITS = 2**64
MOST_SCALE = 16383


def is_failure(kind: str, text: str | None, value: Value) -> bool:
    """Return whether cast_failures names the column: there is a text, no value, and the text is not a zero date."""
    has_dates = kind in ("date", "timestamp_text", "timestamp_seconds")
    return text is not None and value is None and not (has_dates and ZERO_DATE.fullmatch(text) is not None)


def boolean(text: str) -> bool | None:
    """`true`, `false` in any case of letters, `1`, `0`."""
    return {"true": True, "1": True, "false": False, "0": False}.get(text.lower())


def integer(text: str, bits: int) -> int | None:
    """Digits with a sign, inside of the type."""
    value = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else None
    return value if value is not None and -(2 ** (bits - 1)) <= value < 2 ** (bits - 1) else None


def number(text: str, most_exponent_digits: int) -> Fraction | None:
    """Digits with a sign, a point and an exponent, exactly."""
    found = NUMBER.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        return None
    exponent = found[4] or "0"
    if len(exponent.lstrip("+-")) > most_exponent_digits:
        return None
    digits = Fraction(int(found[2] + (found[3] or "")), 10 ** len(found[3] or ""))
    return digits * Fraction(10) ** int(exponent) * (-1 if found[1] == "-" else 1)


def decimal(text: str, precision: int, scale: int) -> Fraction | None:
    """A number that the type has: never rounded."""
    value = number(text, 3)
    fits = value is not None and (value * 10**scale).denominator == 1 and abs(value) < 10 ** (precision - scale)
    return value if fits else None


def nearest(text: str, bits: int, least_exponent: int, greatest_exponent: int) -> float | None:
    """The nearest number of so many binary digits, ties to even; not infinite, and 0 only for 0."""
    value = number(text, 4)
    if not value:
        return None if value is None else 0.0
    exponent = abs(value).numerator.bit_length() - abs(value).denominator.bit_length()
    exponent -= abs(value) < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - bits + 1, least_exponent)
    rounded = round(value / unit) * unit
    return float(rounded) if rounded and abs(rounded) < Fraction(2) ** greatest_exponent else None


def date(text: str) -> dt.date | None:
    """`YYYY-MM-DD`, a day of the calendar."""
    try:
        return dt.date(*map(int, text.split("-"))) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text) else None
    except ValueError:
        return None


def time(text: str) -> str | None:
    """`HH:mm:ss` with up to nine more digits, also negative and up to 999 hours."""
    return text if re.fullmatch(r"-?[0-9]{2,3}:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?", text) else None


def _timestamp(micros: int, fraction: str, is_cut: bool) -> int | None:
    """Whole seconds, in microseconds, and the digits of a fraction; those after the microseconds are cut or refused."""
    if fraction[6:].strip("0") and not is_cut:
        return None
    micros += int(fraction[:6].ljust(6, "0"))
    return micros if FIRST_MICROS <= micros <= LAST_MICROS else None


def timestamp_text(text: str, time_zone: str, is_cut: bool = False) -> int | None:
    """A date and time, of the zone after it or else of the source.

    A time that a zone skips counts by the offset before the skip, one that it has twice is the earlier one.
    """
    found = LOCAL_TIME.fullmatch(text)
    if found is None:
        return None
    try:
        local = dt.datetime.fromisoformat(f"{found[1]} {found[2]}{found[3] or ':00'}")
    except ValueError:
        return None
    offset = _offset(found[5] or time_zone, local)
    if offset is None:
        return None
    micros = (local - dt.datetime(1970, 1, 1) - offset) // dt.timedelta(microseconds=1)
    return _timestamp(micros, found[4] or "", is_cut)


def _offset(zone: str, local: dt.datetime) -> dt.timedelta | None:
    if zone in ("Z", "UTC", "GMT"):
        return dt.timedelta(0)
    if zone[0] in "+-":
        hours, minutes = map(int, zone[1:].split(":"))
        offset = dt.timedelta(hours=hours, minutes=minutes)
        return None if minutes > 59 or offset > dt.timedelta(hours=18) else offset if zone[0] == "+" else -offset
    if zone not in zoneinfo.available_timezones():
        return None
    return zoneinfo.ZoneInfo(zone).utcoffset(local)


def timestamp_seconds(text: str, is_cut: bool = False) -> int | None:
    """Seconds since 1970 with up to nine more digits; 13 digits are milliseconds.

    Only milliseconds of a whole second may have more digits. A negative number has no fraction: it is
    not known from which second that would count.
    """
    found = re.fullmatch(r"(-?)([0-9]{1,13})(?:(\.)([0-9]{0,9}))?", text)
    if found is None:
        return None
    sign, digits, point, fraction = found[1], found[2], found[3], found[4] or ""
    if len(digits) == 13:
        if sign or (point and not digits.endswith("000")):
            return None
        if not digits.endswith("000"):
            fraction = digits[10:]
        digits = digits[:10]
    if sign and fraction.strip("0"):
        return None
    return _timestamp(int(sign + digits) * 10**6, fraction, is_cut)


def timestamp_of(text: str, micros: int) -> int | None:
    """An integer since 1970, each of so many microseconds."""
    value = integer(text, 64)
    return value * micros if value is not None and FIRST_MICROS <= value * micros <= LAST_MICROS else None


def binary_base64(text: str) -> bytes | None:
    """Strict Base64, white space allowed: full groups, no bits left over."""
    packed = re.sub(r"[ \t\r\n\v\f]", "", text)
    if not re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", packed):
        return None
    decoded = base64.b64decode(packed)
    return decoded if base64.b64encode(decoded).decode() == packed else None


def binary_latin1(text: str) -> bytes | None:
    """One character per byte."""
    return bytes(map(ord, text)) if all(ord(character) < 256 for character in text) else None


def bit_base64(text: str) -> int | None:
    """Base64 of at most 64 bits; leading zero bytes may be missing."""
    decoded = binary_base64(text)
    value = None if decoded is None else int.from_bytes(decoded)
    return value if value is not None and value < BEYOND_64_BITS else None


def bit_number(text: str) -> int | None:
    """Digits of a number of at most 64 bits."""
    value = int(text) if re.fullmatch("[0-9]+", text) else None
    return value if value is not None and value < BEYOND_64_BITS else None


def enum_index(text: str, labels: Sequence[str]) -> str | None:
    """The index from 1; 0 is the empty text."""
    index = int(text) if re.fullmatch("[0-9]{1,5}", text) else -1
    return ("", *labels)[index] if 0 <= index <= len(labels) else None


def set_mask(text: str, labels: Sequence[str]) -> str | None:
    """The bit mask; bit 0 is the first label. A bit without a label is refused."""
    mask = int(text) if re.fullmatch("[0-9]{1,20}", text) else -1
    if not 0 <= mask < 2 ** len(labels):
        return None
    return ",".join(label for place, label in enumerate(labels) if mask >> place & 1)


def count(text: str) -> int | None:
    """Digits, also negative, inside of 64 bits: what Debezium counts from 1970 or from midnight."""
    return integer(text, 64) if re.fullmatch("-?[0-9]+", text) else None


def date_days(text: str) -> dt.date | None:
    """Days since 1970-01-01."""
    days = count(text)
    first, last = (date - dt.date(1970, 1, 1) for date in (dt.date.min, dt.date.max))
    is_date = days is not None and first.days <= days <= last.days
    return dt.date(1970, 1, 1) + dt.timedelta(days or 0) if is_date else None


def time_of_day(text: str, digits: int) -> str | None:
    """A part of a second, 10 to the power of so many digits, since midnight, as a text without zeros at its end."""
    value = count(text)
    if value is None or not 0 <= value < 86400 * 10**digits:
        return None
    second, part = divmod(value, 10**digits)
    fraction = f"{part:0{digits}}".rstrip("0")
    shown = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
    return f"{shown}.{fraction}" if fraction else shown


def timestamp_nanos(text: str, is_cut: bool = False) -> int | None:
    """Nanoseconds since 1970; those after the microseconds are cut or refused."""
    value = count(text)
    return None if value is None or (value % 1000 and not is_cut) else value // 1000


def local_count(text: str, kind: str, time_zone: str, is_cut: bool = False) -> int | None:
    """A local time that is counted from 1970 as if its zone were UTC."""
    counted = {
        "local_millis": lambda: timestamp_of(text, 1000),
        "local_micros": lambda: timestamp_of(text, 1),
        "local_nanos": lambda: timestamp_nanos(text, is_cut),
    }[kind]()
    if counted is None or not FIRST_MICROS <= counted <= LAST_MICROS:
        return None
    offset = _offset(time_zone, dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=counted))
    assert offset is not None
    micros = counted - offset // dt.timedelta(microseconds=1)
    return micros if FIRST_MICROS <= micros <= LAST_MICROS else None


def _from_bytes(text: str, scale: int) -> Fraction | None:
    """A number of at most 38 digits from its two's complement, the highest byte first, in at most 16 bytes."""
    packed = binary_base64(text)
    if not packed or len(packed) > 16:
        return None
    value = int.from_bytes(packed, signed=True)
    return Fraction(value) / Fraction(10) ** scale if abs(value) < 10**38 else None


def decimal_base64(text: str, precision: int, scale: int) -> Fraction | None:
    """A number from its bytes, which the type has."""
    value = _from_bytes(text, scale)
    return value if value is not None and abs(value) < 10 ** (precision - scale) else None


def decimal_struct(text: str) -> str | None:
    """A number with the digits that its scale gives it."""
    struct = _struct(text)
    value = None if struct is None else _from_bytes(struct[0], 0)
    if struct is None or value is None:
        return None
    scale, sign, digits = struct[1], "-" if value < 0 else "", str(abs(int(value)))
    if scale <= 0:
        return sign + digits + "0" * -scale
    digits = digits.rjust(scale + 1, "0")
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}"


def decimal_struct_typed(text: str, precision: int, scale: int) -> Fraction | None:
    """The same, as a decimal that has the number."""
    shown = decimal_struct(text)
    return None if shown is None else decimal(shown, precision, scale)


def _struct(text: str) -> tuple[str, int] | None:
    """Value and scale of {"scale": .., "value": ".."}."""
    try:
        struct = json.loads(text)
        value, scale = struct["value"], struct["scale"]
    except (ValueError, TypeError, KeyError):
        return None
    is_scale = isinstance(scale, int) and not isinstance(scale, bool) and -MOST_SCALE <= scale <= MOST_SCALE
    return (value, scale) if is_scale and isinstance(value, str) else None


def bit_base64_little(text: str) -> int | None:
    """Base64 of at most 64 bits, the lowest byte first; zero bytes may follow."""
    decoded = binary_base64(text)
    value = None if decoded is None else int.from_bytes(decoded, "little")
    return value if value is not None and value < BEYOND_64_BITS else None


STATEMENTS: dict[str, Callable[[str], Value]] = {
    "string": str,
    "boolean": boolean,
    "tinyint": lambda text: integer(text, 8),
    "smallint": lambda text: integer(text, 16),
    "int": lambda text: integer(text, 32),
    "bigint": lambda text: integer(text, 64),
    "float": lambda text: nearest(text, 24, -149, 128),
    "double": lambda text: nearest(text, 53, -1074, 1024),
    "date": date,
    "time": time,
    "timestamp_millis": lambda text: timestamp_of(text, 1000),
    "timestamp_micros": lambda text: timestamp_of(text, 1),
    "binary_base64": binary_base64,
    "binary_latin1": binary_latin1,
    "bit_base64": bit_base64,
    "bit_number": bit_number,
    "date_days": date_days,
    "time_millis": lambda text: time_of_day(text, 3),
    "time_micros": lambda text: time_of_day(text, 6),
    "time_nanos": lambda text: time_of_day(text, 9),
    "decimal_struct": decimal_struct,
    "bit_base64_little": bit_base64_little,
}
"""The kinds whose values depend on nothing but the text."""


def read_back(kind: str, shown: str | None) -> Value:
    """Return a value from the text in which a query shows it."""
    if shown is None:
        return None
    name = kind.partition("(")[0]
    if name == "boolean":
        return shown == "true"
    if name in ("float", "double"):
        return float(shown)
    if name.startswith("decimal") and kind != "decimal_struct":
        return Fraction(Decimal(shown))
    if name in ("date", "date_days"):
        return dt.date.fromisoformat(shown)
    if name.startswith("binary"):
        return bytes.fromhex(shown)
    is_text = name.startswith("time_") or name in ("string", "time", "enum_index", "set_mask", "decimal_struct")
    return shown if is_text else int(shown)
