"""Opening JSON messages, in Java and by the reference: Base64, requested members, their kinds, reasons to refuse."""

import base64
import contextlib
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from java_side import call, call_all, open_json
from json_strategies import OBJECT_TEXTS, damaged_texts
from py4j.protocol import Py4JJavaError
from reference.member_spec import read_spec
from reference.row_key import pick_key
from reference.strict_json import read_json
from watershed_udfs.errors import PayloadError

DDL_META = (
    b"rO0ABXNyACljb20uYWxpYmFiYS5kaS5wbHVnaW4uY2VudGVyLm1ldGEuRERMTWV0YQAAAAAAAAAAAgACTAAHZGRsVGV4dHQAEkxqYXZhL2xhbmcv"
    b"U3RyaW5nO0wACXN0YXRlbWVudHQAA0x4O3hwdAAMZHJvcCB0YWJsZSBhcA=="
)

BLOB = (
    b'{"schema":{"source":{"dbName":"shop","tableName":"orders"},"primaryKey":["id"]},"payload":{"op":"UPDATE_AFTER",'
    b'"sequenceId":"1649991610688000001","before":null,"after":{"dataColumn":{"note":"it\\u0027s","id":9007199254740993}},'
    b'"timestamp":{"eventTime":1649991726000}}}'
)
BLOB_MEMBERS = [
    ["payload.op", "text"],
    ["payload.sequenceId", "text"],
    ["payload.timestamp.eventTime", "text"],
    ["payload.before.dataColumn", "object"],
    ["payload.after.dataColumn", "object"],
    ["payload.after", "any"],
    ["schema.primaryKey", "names"],
    ["schema.source.schemaName", "text"],
]
BLOB_TEXTS = [
    "UPDATE_AFTER",
    "1649991610688000001",
    "1649991726000",
    None,
    '{"id":9007199254740993,"note":"it\'s"}',
    '{"dataColumn":{"id":9007199254740993,"note":"it\'s"}}',
    '["id"]',
    None,
]


def open_members(value: bytes | None, *members: list[object]) -> list[str | None]:
    return open_json(value, json.dumps(members))


def reason(value: bytes | None, *members: list[object]) -> PayloadError:
    with pytest.raises(PayloadError) as caught:
        open_members(value, *(members or (["a", "text"],)))
    return caught.value


@pytest.mark.parametrize(
    "value",
    [
        BLOB,
        b"\n " + BLOB + b"\r\n",
        json.dumps(json.loads(BLOB), indent=1).encode(),
        base64.b64encode(BLOB),
        base64.encodebytes(b"\n\n" + BLOB),
    ],
)
def test_open_json_reads_json_and_base64(value: bytes) -> None:
    assert open_members(value, *BLOB_MEMBERS) == BLOB_TEXTS


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (None, "empty_value"),
        (b"", "empty_value"),
        (b" \r\n\t", "empty_value"),
        (b"IAo=", "empty_value"),
        (b"null", "unexpected_type"),
        (b"true", "unexpected_type"),
        (b" 123 ", "unexpected_type"),
        (b"1234", "unexpected_type"),
        (b"1.5e3", "unexpected_type"),
        (b"0", "unexpected_type"),
        (b"-1", "unexpected_type"),
        (b'"x"', "unexpected_type"),
        (b"[]", "unexpected_type"),
        (b"W10=", "unexpected_type"),
        (b"MTIzNA==", "unexpected_type"),
        (b"-", "malformed_json"),
        (b'"x', "malformed_json"),
        (b"<xml/>", "malformed_json"),
        (b"\x0c{}", "malformed_json"),
        (b"\xef\xbb\xbf{}", "malformed_json"),
        (b"77u/e30=", "malformed_json"),
        (b"e30=e30=", "invalid_base64"),
        (b"hello world", "invalid_base64"),
        (b"01", "invalid_base64"),
        (b"nul", "invalid_base64"),
        (b"e30=!", "invalid_base64"),
        (base64.b64encode(BLOB)[:40] + b"?" + base64.b64encode(BLOB)[41:], "invalid_base64"),
        (base64.encodebytes(b"\n\t " + BLOB) + b"#", "invalid_base64"),
        (b"QUJD?===", "malformed_json"),
        (b"id,title,state", "malformed_json"),
        (b"1042;paid;12.50", "malformed_json"),
        (b"email,name", "malformed_json"),
        (b"extra,name", "malformed_json"),
        (b"Customer\tname_of_it", "malformed_json"),
        (b"IdOfOrder|IdOfCustomer", "malformed_json"),
        (b"abcd", "invalid_utf8"),
        (b"\xff\xfe{", "invalid_utf8"),
        (b'{"a":1}x', "malformed_json"),
        (b'{"a":1,"a":2}', "duplicate_member"),
        (base64.b64encode(b'{"b":{"a":1,"a":2}}'), "duplicate_member"),
        (base64.b64encode(base64.b64encode(b'{"a":1}')), "malformed_json"),
    ],
)
def test_open_json_gives_the_reason(value: bytes | None, code: str) -> None:
    assert reason(value).code == code


@given(
    st.lists(st.sampled_from([*"abcXYZ019+/= \t", "id", "title", "2026"]), min_size=1).map("".join),
    st.sampled_from(",;|_-.:()'!"),
    st.integers(0, 200),
)
def test_rows_of_csv_are_never_called_base64(words: str, separator: str, place: int) -> None:
    text = f"{words[:place]}{separator}{words[place:]}".encode()
    if text.lstrip()[:1] not in b"{[":
        code = reason(text).code
        begins = re.sub(rb"\s", b"", text)[:4]
        with contextlib.suppress(ValueError):
            is_object = re.fullmatch(rb'\s+|\s*\{\s*(["}].*)?', base64.b64decode(begins, validate=True), re.DOTALL)
            assert is_object or code != "invalid_base64"


@pytest.mark.parametrize(
    ("value", "kind", "text"),
    [
        (b'"x\\u0000y"', "text", "x\x00y"),
        (b'""', "text", ""),
        (b"true", "text", "true"),
        (b"false", "text", "false"),
        (b"12", "text", "12"),
        (b"1.10", "text", "1.10"),
        (b" 1.10", "text", "1.10"),
        (b"9" * 5000, "text", "9" * 5000),
        (b"9" * 4299, "text", "9" * 4299),
        (b"null", "text", None),
        (b"null", "object", None),
        (b"null", "any", None),
        (b'{"b":1,"a":2.0}', "object", '{"a":2.0,"b":1}'),
        (b'[{"b":1,"a":2}, 3]', "array", '[{"a":2,"b":1},3]'),
        (b'["b", "a"]', "names", '["b","a"]'),
        (b"[]", "names", "[]"),
        (b'"x"', "any", '"x"'),
        (b"1E400", "any", "1E400"),
    ],
)
def test_open_json_reads_each_kind(value: bytes, kind: str, text: str | None) -> None:
    assert open_members(b'{"a":' + value + b"}", ["a", kind]) == [text]


@pytest.mark.parametrize(
    ("value", "path", "kind", "detail"),
    [
        (b'{"a":{}}', "a", "text", "a: expected text, found object"),
        (b'{"a":[]}', "a", "object", "a: expected object, found array"),
        (b'{"a":"[]"}', "a", "array", "a: expected array, found string"),
        (b'{"a":["x",1.5]}', "a", "names", "a: expected names, found array with number"),
        (b'{"a":["x",null]}', "a", "names", "a: expected names, found array with null"),
        (b'{"a":true}', "a", "names", "a: expected names, found boolean"),
        (
            b'{"payload":{"before":"x"}}',
            "payload.before.dataColumn",
            "object",
            "payload.before: expected object, found string",
        ),
        (b'{"payload":[]}', "payload.before.dataColumn", "object", "payload: expected object, found array"),
        (b"[1]", "a", "text", "message: expected object, found array"),
    ],
)
def test_open_json_names_the_unexpected_type(value: bytes, path: str, kind: str, detail: str) -> None:
    error = reason(value, [path, kind])
    assert (error.code, error.detail) == ("unexpected_type", detail)


@pytest.mark.parametrize("value", [b"{}", b'{"a":null}', b'{"a":{}}', b'{"a":{"b":null}}', b'{"a":{"b":{"c":null}}}'])
def test_open_json_takes_null_as_missing_on_the_way(value: bytes) -> None:
    assert open_members(value, ["a.b.c", "text"]) == [None]


def test_open_json_gives_the_whole_message_without_some_members() -> None:
    members = [["", "object", {"without": ["_id_"]}], ["_id_", "text"], ["", "any"]]
    texts = open_members(b'{"c":{"_id_":1},"b":1.0,"_id_":"x"}', *members)
    assert texts == ['{"b":1.0,"c":{"_id_":1}}', "x", '{"_id_":"x","b":1.0,"c":{"_id_":1}}']


@pytest.mark.parametrize(
    "value", [b'{"a":{"z":"int","B":{"d":1.0,"c":[]},"k":2}}', b'{ "a":{"z":"int","B":{"d":1.0,"c":[]},"k":2}}']
)
def test_open_json_keeps_the_order_of_members_where_asked(value: bytes) -> None:
    sent, canonical = '{"z":"int","B":{"d":1.0,"c":[]},"k":2}', '{"B":{"c":[],"d":1.0},"k":2,"z":"int"}'
    keeps_order = {"keeps_order": True}
    assert open_members(value, ["a", "object", keeps_order], ["a", "any", keeps_order], ["a", "any"]) == [
        sent,
        sent,
        canonical,
    ]
    assert open_members(value, ["a", "object", {"keeps_order": True, "without": ["B"]}]) == ['{"z":"int","k":2}']


def test_open_json_leaves_members_of_the_message_unchanged_for_others() -> None:
    members = [["a", "object", {"without": ["x"]}], ["a.x", "text"], ["a", "object"]]
    assert open_members(b'{"a":{"y":2,"x":1}}', *members) == ['{"y":2}', "1", '{"x":1,"y":2}']


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        '["a"]',
        '[["a"]]',
        '[["a","number"]]',
        '[["a",["text"]]]',
        '[[1,"text"]]',
        '[["a..b","text"]]',
        '[[".a","text"]]',
        '[["a","text",{"without":["b"]}]]',
        '[["a","object",{"without":"b"}]]',
        '[["a","object",{"without":[1]}]]',
        '[["a","object",{"with":["b"]}]]',
        '[["a","object",null]]',
        '[["a","object",{"keeps_order":1}]]',
        '[["a","types",{"keeps_order":true}]]',
        '[["a","text",{},1]]',
    ],
)
def test_read_spec_refuses_a_wrong_specification(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - a fault of the query, as Python reports it
        read_spec(text)
    with pytest.raises(Py4JJavaError, match="IllegalArgumentException: open_json: "):
        call("open_json", bytearray(b"{}"), text)


def test_the_members_are_never_null() -> None:
    with pytest.raises(Py4JJavaError, match="the second argument is null; give the wanted members as JSON text"):
        call("open_json", bytearray(b"{}"), None)


@settings(max_examples=500, deadline=None)
@given(
    st.one_of(
        OBJECT_TEXTS.map(str.encode),
        damaged_texts(),
        st.binary(max_size=30),
        st.text("eyJI0+/= \n", max_size=12).map(str.encode),
    ),
    st.booleans(),
)
def test_open_json_raises_nothing_but_payload_errors(value: bytes, is_encoded: bool) -> None:
    members = [["", "any"], ["a", "text"], ["b.a", "object"], ["a.b", "names"], ["é", "array"], ["b", "any"]]
    for kinds in (members, members[1:], members[5:]):
        with contextlib.suppress(PayloadError):
            texts = open_members(base64.b64encode(value) if is_encoded else value, *kinds)
            assert len(texts) == len(kinds)
            for text in filter(None, texts):
                text.encode()


KEYED = [["row", "key", {"names": "schema.keys"}]]


@pytest.mark.parametrize(
    ("names", "row", "key"),
    [
        ('["id"]', '{"id":1.50,"note":"x"}', '{"id":1.5}'),
        ('["name","id"]', '{"id":9007199254740993,"name":"it\\u0027s"}', '{"id":9007199254740993,"name":"it\'s"}'),
        ('["id","id"]', '{"id":null}', '{"id":null}'),
        ('["id"]', '{"note":"x"}', None),
        ("[]", '{"id":1}', None),
        ("null", '{"id":1}', None),
        ('"id"', '{"id":1}', None),
        ('["id"]', "null", None),
        ('["id"]', '"id"', None),
        ("[1]", '{"1":1}', None),
        ("[{}]", '{"id":1}', None),
    ],
)
def test_open_json_picks_the_key_that_the_message_names(names: str, row: str, key: str | None) -> None:
    value = f'{{"schema":{{"keys":{names}}},"row":{row}}}'.encode()
    assert open_members(value, *KEYED) == [key]


@settings(deadline=None)
@given(OBJECT_TEXTS, st.data())
def test_open_json_picks_what_pick_key_picks_from_the_image(row: str, data: st.DataObject) -> None:
    """The staging models that let open_json pick the key rely on this."""
    with contextlib.suppress(PayloadError):
        columns = read_json(row.encode())
        names = data.draw(st.lists(st.sampled_from([*columns, "missing"]), max_size=3))
        value = b'{"keys":' + json.dumps(names).encode() + b',"row":' + row.encode() + b"}"
        key, image = open_members(value, ["row", "key", {"names": "keys"}], ["row", "object"])
        assert key == pick_key(image, names)


@pytest.mark.parametrize(
    ("columns", "types"),
    [
        ('[{"name":"b","type":"LONG"},{"name":"a","type":"STRING","x":1}]', '{"b":"LONG","a":"STRING"}'),
        ('[{"name":"a","type":"LONG"},{"name":"a","type":"LONG"}]', None),
        ('[{"name":"a","type":"LONG"},{"type":"LONG"}]', None),
        ('[{"name":null,"type":"LONG"}]', None),
        ('[{"name":"a","type":[]}]', None),
        ('["a"]', None),
        ("[]", None),
        ("{}", None),
        ('"ab"', None),
        ("1", None),
        ("null", None),
    ],
)
def test_open_json_reads_the_types_of_columns(columns: str, types: str | None) -> None:
    assert open_members(f'{{"columns":{columns}}}'.encode(), ["columns", "types"]) == [types]


def test_open_json_reads_the_statement_inside_ddl_meta() -> None:
    assert open_members(b'{"meta":"' + DDL_META + b'"}', ["meta", "ddl_meta"]) == ["drop table a"]
    assert open_members(b'{"meta":"rO0ABXNy"}', ["meta", "ddl_meta"]) == [None]
    assert open_members(b'{"meta":null}', ["meta", "ddl_meta"]) == [None]
    assert reason(b'{"meta":[]}', ["meta", "ddl_meta"]).code == "unexpected_type"


@pytest.mark.parametrize("depth", [499, 500])
def test_open_json_counts_how_deep_a_message_is(depth: int) -> None:
    value = b'{"a":1,"deep":' + b"[" * depth + b"]" * depth + b"}"
    if depth < 500:
        assert open_members(value, ["a", "text"]) == ["1"]
    else:
        assert reason(value).detail == f"byte {14 + 499} of {len(value)}: nested deeper than 500"


def test_open_json_keeps_nothing_of_the_message_before() -> None:
    members = ["schema.a", "text"], ["b", "text"]
    for value in (
        b'{"schema":{"a":1},"b":2}',
        b'{"schema":{"a":1},"b":2,"b":2}',
        b'{"schema":{},"b":{}}',
        b'{"b":3}',
        b'{"schema":{"a":"\\u00e9"}}',
    ):
        with contextlib.suppress(PayloadError):
            open_members(value, *members)


def test_open_json_takes_many_specifications_in_turn() -> None:
    calls = [(bytearray(b'{"a1":1,"a70":"x"}'), f'[["a{number}","text"]]') for number in [*range(100), 1, 70, 1]]
    texts = [result[0] for result in call_all("open_json", calls)]
    assert texts == [["1"] if 'a1"' in spec else ["x"] if "a70" in spec else [None] for _, spec in calls]
