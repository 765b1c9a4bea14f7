"""Keys of rows and canonical numbers, in Java and by the reference."""

from collections.abc import Iterable
from decimal import Context, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from java_side import agreed
from json_strategies import OBJECT_TEXTS
from reference.row_key import key_of_columns
from reference.strict_json import read_json
from watershed_udfs.errors import PayloadError
from watershed_udfs.json_columns import canonical_text
from watershed_udfs.row_key import canonical_number

pick_key = agreed("pick_key")

EXACT = Context(prec=5000, Emax=10**9, Emin=-(10**9))


@pytest.mark.parametrize(
    ("row_image", "key_columns", "key"),
    [
        ('{"a":1,"b":"x","c":null}', ["b", "a"], '{"a":1,"b":"x"}'),
        ('{"a":1,"c":null}', ["c"], '{"c":null}'),
        ('{"a":1}', ["a", "a"], '{"a":1}'),
        ('{"a":1.0}', ["a"], '{"a":1}'),
        ('{"a":"1.0"}', ["a"], '{"a":"1.0"}'),
        ('{"a":9007199254740993}', ["a"], '{"a":9007199254740993}'),
        ('{"a":true,"b":{"x":1.0},"c":[1]}', ["a", "b", "c"], '{"a":true,"b":{"x":1.0},"c":[1]}'),
        (
            '{"é\\"":1,"\uffff":2,"\U0001f600":3}',
            ["\U0001f600", "\uffff", 'é"'],
            '{"é\\"":1,"\uffff":2,"\U0001f600":3}',
        ),
        ('{"a":1}', ["a", "b"], None),
        ('{"ID":1}', ["id"], '{"id":1}'),
        ('{"Id":1,"other":2}', ["ID"], '{"ID":1}'),
        ('{"ID":1,"id":2}', ["id"], '{"id":2}'),
        ('{"ID":1,"Id":2}', ["id"], None),
        ('{"ID":1,"id":2}', ["Id"], None),
        ('{"Straße":1,"É":2}', ["STRASSE", "é"], '{"STRASSE":1,"é":2}'),
        ('{"a":1}', [None], None),
        ('{"a":1}', ["a", None], None),
        ('{"a":1}', [], None),
        ('{"a":1}', None, None),
        (None, ["a"], None),
        ("", ["a"], None),
        ("null", ["a"], None),
        ("[1]", ["a"], None),
        ('{"a":', ["a"], None),
        (b'{"a":"\xff"}', ["a"], None),
    ],
)
def test_pick_key_is_canonical(
    row_image: str | bytes | None, key_columns: list[str | None] | None, key: str | None
) -> None:
    assert pick_key(row_image, key_columns) == key


@pytest.mark.parametrize(
    ("literal", "canonical"),
    [
        ("1.0", "1"),
        ("1.00", "1"),
        ("1e0", "1"),
        ("10E-1", "1"),
        ("1.10", "1.1"),
        ("-1.10", "-1.1"),
        ("100", "100"),
        ("1e2", "100"),
        ("1.5e1", "15"),
        ("0.001", "0.001"),
        ("1E-3", "0.001"),
        ("123.456e-5", "0.00123456"),
        ("-0", "0"),
        ("-0.00", "0"),
        ("0e99999", "0"),
        ("1e1000", "1E+1000"),
        ("12.0e1000", "1.2E+1001"),
        ("-12e-1000", "-1.2E-999"),
        ("1" + "0" * 500, "1E+500"),
        ("1" + "0" * 400, "1" + "0" * 400),
        ("1e" + "9" * 4500, "1e" + "9" * 4500),
        ("true", "true"),
        ("", ""),
    ],
)
def test_canonical_number_spells_equal_numbers_alike(literal: str, canonical: str) -> None:
    assert canonical_number(literal.encode()).decode() == canonical
    if literal:
        assert pick_key(f'{{"n":{literal}}}', ["n"]) == f'{{"n":{canonical}}}'


@settings(max_examples=500)
@given(st.integers(0, 10**30), st.integers(0, 900), st.integers(0, 900), st.integers(-900, 900), st.booleans())
def test_canonical_number_depends_on_the_value_only(
    number: int, zeros: int, point: int, exponent: int, negative: bool
) -> None:
    digits = f"{number}{'0' * zeros}"
    if 0 < point < len(digits):
        digits = f"{digits[:-point]}.{digits[-point:]}"
    literal = f"{'-' if negative else ''}{digits}e{exponent}"
    found = canonical_number(literal.encode())
    value = Decimal(literal, EXACT)
    assert Decimal(found.decode(), EXACT) == value
    assert len(found) <= 31 + 2 * 400
    plain = format(value, "f")
    if "." in plain or plain.lstrip("-") == "0":
        assert canonical_number(plain.encode()) == found
    assert canonical_number(f"{value:E}".encode()) == found
    assert canonical_number(plain.encode()) == found
    assert canonical_number(found) == found


@settings(max_examples=300, deadline=None)
@given(OBJECT_TEXTS, st.lists(st.one_of(st.none(), st.sampled_from("abAB")), max_size=3), st.binary(max_size=20))
def test_pick_key_is_total(text: str, key_columns: list[str | None], junk: bytes) -> None:
    pick_key(junk, key_columns)
    pick_key(text, key_columns)
    try:
        message = read_json(text.encode())
    except PayloadError:
        return
    key = pick_key(canonical_text(message), key_columns)
    assert key == key_of_columns(message, key_columns)
    assert (key is None) == (not key_columns or not all(fits(name, message) for name in key_columns))
    if key is not None:
        assert set(read_json(key.encode())) == set(key_columns)


def fits(name: str | None, columns: Iterable[str]) -> bool:
    """Whether a column has this name, or exactly one has it but for its case."""
    alike = [column for column in columns if name is not None and column.lower() == name.lower()]
    return name in alike or len(alike) == 1
