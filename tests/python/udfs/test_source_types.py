"""Source types compared by the values that they hold: the rule of docs/formats/values.md, pair by pair."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from watershed_udfs.source_types import type_change, type_range, widest_type

CONNECT_DECIMAL = "bytes org.apache.kafka.connect.data.Decimal"
OPPOSITES = {"widened": "narrowed", "narrowed": "widened"}
NAMES = [
    "tinyint",
    "int",
    "bigint",
    "float",
    "double",
    "decimal",
    "number",
    "numbers",
    "time",
    "datetime",
    "bit",
    "year",
]
NAMES += ["enum", "set", "char", "varchar2", "binary", "text", "longtext", "blob", "string", "bytes", "date"]
DIGITS = st.integers(0, 40).map(str)
SIZES = st.one_of(
    st.just(""),
    DIGITS.map("({})".format),
    st.builds("({},{})".format, DIGITS, st.integers(-9, 40)),
    st.lists(st.sampled_from(["'a'", "'b'", "','"]), unique=True).map(lambda labels: f"({','.join(labels)})"),
)
SOURCE_TYPES = st.builds("{}{}{}".format, st.sampled_from(NAMES), SIZES, st.sampled_from(["", " unsigned"]))


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("int", "bigint", "widened"),
        ("int(11)", "int", None),
        ("INT(11)", "bigint(20)", "widened"),
        ("int unsigned", "int", "conflicting"),
        ("int unsigned", "bigint", "widened"),
        ("tinyint", "tinyint unsigned", "conflicting"),
        ("bigint", "bigint(20) unsigned", "conflicting"),
        ("int unsigned zerofill", "int unsigned", None),
        ("smallint", "mediumint", "widened"),
        ("mediumint", "int", "widened"),
        ("INT64", "LONG", None),
        ("int8", "int16", "widened"),
        ("float", "double", "widened"),
        ("mediumint", "float", "widened"),
        ("mediumint unsigned", "float", "widened"),
        ("int", "float", "conflicting"),
        ("int", "double", "widened"),
        ("bigint", "double", "conflicting"),
        ("int", "decimal(10,0)", "widened"),
        ("int", "decimal(9,0)", "narrowed"),
        ("int unsigned", "decimal(10) unsigned", "widened"),
        ("decimal(9,2)", "decimal(10,2)", "widened"),
        ("decimal(9,2)", "decimal(9,3)", "conflicting"),
        ("decimal(9,2)", "decimal(10,3)", "widened"),
        ("decimal(9,2)", "decimal(9,2) unsigned", "narrowed"),
        ("decimal(9,2) unsigned", "decimal(9,3) unsigned", "conflicting"),
        ("decimal(9,2)", "numeric( 9 , 2 )", None),
        ("decimal(9,2)", "double", "conflicting"),
        ("decimal(9,0)", "double", "widened"),
        ("decimal", "decimal(9,2)", "conflicting"),
        ("number", "number(9)", "conflicting"),
        ("number(10,-5)", "number(10,0)", "conflicting"),
        ("number(10, -5)", "number(15)", "widened"),
        ("number(10,-5)", "number(11,-4)", "widened"),
        ("number(5,-5)", "double", "widened"),
        ("DECIMAL", "decimal", None),
        ("bigint unsigned", "decimal(20,0)", "widened"),
        ("varchar(10)", "varchar(20)", "widened"),
        ("char(5)", "varchar(5)", None),
        ("varchar(255)", "text", "widened"),
        ("text", "longtext", "widened"),
        ("varchar", "varchar(10)", "conflicting"),
        ("text", "blob", "conflicting"),
        ("binary(4)", "varbinary(8)", "widened"),
        ("tinyblob", "blob", "widened"),
        ("datetime", "datetime(6)", "widened"),
        ("timestamp(6)", "timestamp", "narrowed"),
        ("datetime", "timestamp", "conflicting"),
        ("date", "datetime", "conflicting"),
        ("time", "time(3)", "widened"),
        ("bit(1)", "bit(8)", "widened"),
        ("year(4)", "YEAR", None),
        ("enum('a','b')", "enum('a','b','c')", "widened"),
        ("enum('a','b')", "enum('b','a')", "conflicting"),
        ("enum('a')", "enum('A')", "conflicting"),
        ("enum('a')", "enum('a''b')", "conflicting"),
        ("enum('(a)b')", "enum('(a)c')", "conflicting"),
        ("set('a')", "enum('a')", "conflicting"),
        ("set('a')", "set('a','it''s (1)')", "widened"),
        ("set('a\n')", "set('a\n','b')", "widened"),
        ("geometry", "point", "conflicting"),
        ("geometry", " GEOMETRY ", None),
        ("array<int>(1)", "array<int>(2)", "conflicting"),
        ("int", "text", "conflicting"),
        ("int64", "int64 io.debezium.time.Timestamp", "conflicting"),
        (f"{CONNECT_DECIMAL}(9,2)", f"{CONNECT_DECIMAL}(10,2)", "widened"),
        (f"{CONNECT_DECIMAL}(9,2)", f"{CONNECT_DECIMAL}(12,4)", "conflicting"),
        (f"{CONNECT_DECIMAL}(9,2)", "decimal(9,2)", "conflicting"),
        (f"{CONNECT_DECIMAL}(38,-2)", f"{CONNECT_DECIMAL}(38,-1)", "conflicting"),
        ("string", "STRING ", None),
        (None, "int", "conflicting"),
        (None, None, None),
    ],
)
def test_types_are_compared_by_what_they_hold(before: str | None, after: str | None, change: str | None) -> None:
    assert type_change(before, after) == change
    assert type_change(after, before) == OPPOSITES.get(change or "", change)


@pytest.mark.parametrize(
    "types",
    [
        "tinyint int8",
        "smallint int16",
        "int integer int32",
        "bigint int64 long",
        "float float32",
        "double float64",
        "decimal(9,2) numeric(9,2) number(9,2)",
        "char(7) varchar(7) varchar2(7) nvarchar(7) nvarchar2(7)",
        "tinytext varchar(255)",
        "text varchar(65535)",
        "mediumtext varchar(16777215)",
        "longtext clob nclob string varchar(4294967295)",
        "binary(7) varbinary(7)",
        "tinyblob binary(255)",
        "blob binary(65535)",
        "mediumblob binary(16777215)",
        "longblob bytes binary(4294967295)",
    ],
)
def test_types_with_equal_values_are_equal(types: str) -> None:
    assert len({type_range(one) for one in types.split()}) == 1


@pytest.mark.parametrize(
    ("types", "reader_type", "widest", "refused"),
    [
        (["int"], None, "int", []),
        (["int", "tinyint", "bigint", "text"], None, "bigint", [("narrowed", "tinyint"), ("conflicting", "text")]),
        (["text", "int", "longtext"], None, "longtext", [("conflicting", "int")]),
        (["int", "INT(11)"], None, "int", []),
        (["int", "long"], "double", "double", []),
        (["long", "float"], "float", "float", []),
        (["float", "int"], "int", "float", [("conflicting", "int")]),
        (["string"], "bytes", "string", []),
        (["bytes", "string"], "string", "bytes", [("conflicting", "string")]),
        ([None], "int", None, []),
        ([None], None, None, []),
        ([], "int", "int", []),
        ([], None, None, []),
    ],
)
def test_the_widest_type_is_that_of_the_reader_or_of_the_messages(
    types: list[str | None], reader_type: str | None, widest: str | None, refused: list[tuple[str, str]]
) -> None:
    assert widest_type(types, reader_type) == (widest, refused)


@settings(max_examples=300, deadline=None)
@given(SOURCE_TYPES, SOURCE_TYPES)
def test_a_change_is_the_opposite_of_its_reverse(before: str, after: str) -> None:
    assert type_change(before, before) is None
    change = type_change(before, after)
    assert type_change(after, before) == OPPOSITES.get(change or "", change)


@settings(max_examples=300, deadline=None)
@given(st.lists(SOURCE_TYPES, min_size=1))
def test_the_widest_type_holds_every_type_that_is_not_refused(types: list[str]) -> None:
    widest, refused = widest_type(types, None)
    rest = list(types)
    for change, one in refused:
        assert change in ("narrowed", "conflicting")
        rest.remove(str(one))
    assert {type_change(widest, one) for one in rest} <= {None, "narrowed"}


@settings(max_examples=300, deadline=None)
@given(st.text(), st.text())
def test_any_text_is_a_type(before: str, after: str) -> None:
    assert type_change(before, after) in (None, "widened", "narrowed", "conflicting")
