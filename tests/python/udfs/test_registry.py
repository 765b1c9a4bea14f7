"""The registry agrees with its README, and every function works in Spark SQL under a name that Spark does not have."""

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import watershed_udfs
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from watershed_udfs.databus.event import Event
from watershed_udfs.java_functions import SOURCES, install
from watershed_udfs.registry import UDFS, JavaMethod, register

DATABUS_EVENT = Event(
    event_index=0,
    occurrence=0,
    version=0,
    byte_order="big",
    opcode="UPSERT",
    key_type="long",
    message_key='{"key":1}',
    sequence=1001,
    physical_partition=1,
    logical_partition=2,
    timestamp_nanos=1355000000123456789,
    source_id=40,
    schema_id="6162636465666768696a6b6c6d6e6f70",
    value=b"value for 1",
    is_replicated=False,
    is_traced=False,
    byte_length=72,
)
README = Path(watershed_udfs.__file__).parents[1] / "README.md"


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    patch = pytest.MonkeyPatch()
    # Workers run the Python of the tests, whatever `python3` on the path is.
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    classes = tmp_path_factory.mktemp("classes")
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.extraClassPath", str(classes))
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("warehouse")))
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    install(session._jvm, classes)
    yield session
    session.stop()
    patch.undo()


def test_readme_lists_the_registry() -> None:
    rows = [line for line in README.read_text().splitlines() if line.startswith("| `")]
    expected = [
        f"| `{udf.name}` | {udf.language} | `({udf.parameters})` | `{udf.returns}` | {udf.description}" for udf in UDFS
    ]
    assert [row.rpartition(" | ")[0] for row in rows] == expected


def test_parameters_agree_with_the_wrappers() -> None:
    for udf in UDFS:
        if isinstance(udf.function, JavaMethod):
            continue
        wrapper = inspect.signature(udf.function)
        assert len(wrapper.parameters) == len(udf.parameters.split(", "))
        assert inspect.getmodule(udf.function).__name__ in (
            "watershed_udfs.arrow",
            "watershed_udfs.arrow_databus",
            "watershed_udfs.arrow_fold",
        )
        assert udf.function.__name__ == f"{udf.name}_column"


def test_parameters_agree_with_the_methods() -> None:
    types = {
        "binary": "byte[]",
        "string": "UTF8String",
        "array<string>": "ArrayData",
        "map<string, string>": "MapData",
    } | {"timestamp": "Long"}
    source = next(file for file in SOURCES if file.name == "JsonFunctions.java").read_text()
    declared = dict(re.findall(r"public static (\w+ \w+)\((.*)\) {", source))
    expected = {}
    for udf in UDFS:
        if isinstance(udf.function, JavaMethod):
            parameters = [one.split(" ")[1] for one in udf.parameters.split(", ")]
            result = types.get(udf.returns, "InternalRow")
            expected[f"{result} {udf.function.name}"] = [types[one] for one in parameters]
    assert {name: [one.split(" ")[0] for one in text.split(", ")] for name, text in declared.items()} == expected


def test_functions_work_in_sql_under_free_names(spark: SparkSession) -> None:
    names = {row[0] for row in spark.sql("show functions").collect()}
    assert names.isdisjoint(udf.name for udf in UDFS)
    assert register(spark) == [udf.name for udf in UDFS]
    row = spark.sql(
        r"""
        select
            open_json(value, '[["a", "text"], ["", "object", {"without": ["a"]}], ["k", "names"]]') as opened,
            pick_key(image, array('b', 'a')) as picked,
            pick_key(image, null) as unpicked,
            read_columns(image) as columns,
            decode_base64('QQ==') as decoded,
            decode_base64(cast(x'ff' as string)).error as decode_error,
            read_databus(event) as events,
            read_databus(cast(base64(event) as binary)) = read_databus(event) as is_read_alike,
            read_databus(null)[0].error_code as no_event,
            name_key(read_databus(event)[0].message_key, array('id')) as named,
            name_key('{"key":1}', null) as unnamed,
            read_avro(x'02', '{"type":"record","name":"R","fields":[{"name":"a","type":"long"}]}') as row,
            read_avro(null, null) as no_row,
            read_avro_fields('{"type":"record","name":"R","fields":[{"name":"a","type":"int","default":1}]}') as fields,
            read_avro_fields(null) as no_fields,
            read_ddl('drop table a, b', 'shop', null, 'a') as ddl,
            read_ddl('rename table a to b', null, null, null).renamed as renamed,
            read_ddl(null, null, null, null) as no_ddl,
            type_change('int', 'bigint') as change,
            type_change(null, null) as no_change,
            widest_type(array('int', 'text'), null) as widest,
            widest_type(null, null) as no_widest
        from values (
            cast(r'{"a":1.10,"k":["x"],"n":9007199254740993}' as binary), '{"a":1.0,"b":null}',
            unbase64('AHGMnPAAAABIAAEAAAAAAAAD6QABAAISze1SLgNNFQAoYWJjZGVmZ2hpamtsbW5vcE5vgdAAAAAAAAAAAXZhbHVlIGZvciAx')
        ) as t (value, image, event)
        """
    ).first()
    assert row is not None
    assert row.opened.asDict() == {
        "members": ["1.10", '{"k":["x"],"n":9007199254740993}', '["x"]'],
        "error_code": None,
        "error_detail": None,
    }
    assert row.picked == '{"a":1,"b":null}'
    assert row.unpicked is None
    assert row.columns == {"a": "1.0", "b": None}
    assert row.decoded.asDict() == {"result": b"A", "error": None}
    assert row.decode_error.startswith("invalid_base64: ")
    assert [event.asDict() for event in row.events] == [DATABUS_EVENT._asdict()]
    assert (row.is_read_alike, row.no_event, row.named, row.unnamed) == (True, "empty_value", '{"id":1}', '{"key":1}')
    assert tuple(row.row) == ('{"a":1}', None, None)
    assert tuple(row.no_row) == (None, None, None)
    assert {name: field.asDict() for name, field in row.fields.items()} == {"a": {"default_value": "1", "aliases": []}}
    assert row.no_fields is None
    assert row.ddl.asDict(recursive=True) == {
        "kind": "DROP_TABLE",
        "is_understood": True,
        "emptied": [
            {"database_name": "shop", "schema_name": None, "table_name": "a"},
            {"database_name": "shop", "schema_name": None, "table_name": "b"},
        ],
        "renamed": [],
        "changes_partitions": False,
    }
    assert [(one.old.table_name, one.new.table_name) for one in row.renamed] == [("a", "b")]
    assert row.no_ddl is None
    assert (row.change, row.no_change, row.no_widest) == ("widened", None, None)
    assert row.widest.asDict(recursive=True) == {"type": "int", "refused": [{"change": "conflicting", "type": "text"}]}
    # So many values are read as columns.
    event = (
        "unbase64('AHGMnPAAAABIAAEAAAAAAAAD6QABAAISze1SLgNNFQAoYWJjZGVmZ2hpamtsbW5vcE5vgdAAAAAAAAAAAXZhbHVlIGZvciAx')"
    )
    rows = spark.range(0, 100, 1, 1).selectExpr(f"read_databus(if(id < 99, {event}, null)) as events").collect()
    assert [[event.asDict() for event in row.events] for row in rows[:-1]] == [[DATABUS_EVENT._asdict()]] * 99
    assert [event.error_code for event in rows[-1].events] == ["empty_value"]


def test_java_runs_inside_compiled_code_under_its_name_in_sql(spark: SparkSession) -> None:
    register(spark)
    calls = {
        "open_json": 'open_json(cast(t as binary), \'[["a", "text"]]\')',
        "pick_key": "pick_key(t, array('a'))",
        "read_columns": "read_columns(t)",
        "overlay_images": "overlay_images(array(t, t))",
        "drop_columns": "drop_columns(t, array('a'))",
        "null_columns": "null_columns(t, t)",
        "missing_columns": "missing_columns(t, t)",
        "list_items": "list_items(t)",
        "list_texts": "list_texts(t)",
        "text_map": "text_map(array('a'), array(t))",
        "millis_timestamp": "millis_timestamp(t)",
        "read_ddl": "read_ddl(t, null, null, null)",
    }
    assert set(calls) == {udf.name for udf in UDFS if udf.language == "Java"}
    read = spark.range(4).selectExpr("""concat('{"a":', id, '}') as t""").selectExpr(*calls.values())
    assert [name.partition("(")[0] for name in read.columns] == list(calls)
    plan = read._jdf.queryExecution().executedPlan().toString()
    assert [line for line in plan.splitlines() if line and not line.strip().startswith(("*(1)", "+- *(1)"))] == []
    rows = read.collect()
    assert [(row[0].members, row[1], row[2]) for row in rows] == [
        ([str(number)], f'{{"a":{number}}}', {"a": str(number)}) for number in range(4)
    ]
    spark.conf.set("spark.sql.codegen.wholeStage", "false")
    spark.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    try:
        assert (
            read.sparkSession.range(4)
            .selectExpr("""concat('{"a":', id, '}') as t""")
            .selectExpr(*calls.values())
            .collect()
            == rows
        )
    finally:
        spark.conf.unset("spark.sql.codegen.wholeStage")
        spark.conf.unset("spark.sql.codegen.factoryMode")


@pytest.mark.parametrize(
    ("call", "problem"),
    [("pick_key('{}')", "WRONG_NUM_ARGS"), ("list_items(array(1))", "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE")],
)
def test_wrong_arguments_are_refused_when_a_statement_is_analyzed(spark: SparkSession, call: str, problem: str) -> None:
    register(spark)
    with pytest.raises(AnalysisException, match=problem):
        spark.sql(f"select {call}")
