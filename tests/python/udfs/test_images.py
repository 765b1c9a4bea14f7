"""Row images, in Java and by the reference: overlay, columns left out, columns null in both, items of arrays."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from java_side import agreed
from json_strategies import JSON_TEXTS, NAMES, OBJECT_TEXTS, array_texts
from reference.strict_json import read_json
from watershed_udfs import arrow
from watershed_udfs.errors import PayloadError
from watershed_udfs.images import overlay_chains
from watershed_udfs.json_columns import canonical_text

drop_columns, list_items, list_texts = agreed("drop_columns"), agreed("list_items"), agreed("list_texts")
missing_columns = agreed("missing_columns")
null_columns, overlay_images = agreed("null_columns"), agreed("overlay_images")

LONG = "0.1" + "0" * 760
NUMBERS = f"9223372036854775808,{LONG},2.2E-308,1.100000,1E400"
BAD_IMAGES = ["", "null", "[]", "1", '"a"', '{"a":', b'{"a":"\xff"}', b"\xff"]
BAD_ARRAYS = ["", "null", "{}", "1", "[1", "[1,]", b'["\xff"]', b"\xff"]


def canonical(text: str, kind: type) -> tuple[str, Any] | None:
    """Give the text as `open_json` writes it and its value, or None when it is refused or of another kind."""
    try:
        value = read_json(text.encode())
    except PayloadError:
        return None
    return (canonical_text(value), value) if type(value) is kind else None


@pytest.mark.parametrize(
    ("images", "overlaid"),
    [
        (['{"a":1,"b":2}', '{"a":3}'], '{"a":3,"b":2}'),
        (['{"a":1}', '{"b":2}', '{"a":null}'], '{"a":null,"b":2}'),
        ([None, '{"b":1.10,"a":1E400}', None], '{"a":1E400,"b":1.10}'),
        (['{"\U0001f600":1}', '{"\uffff":2,"":[{"y":1,"x":2}]}'], '{"":[{"y":1,"x":2}],"\uffff":2,"\U0001f600":1}'),
        ([f'{{"n":[{NUMBERS}]}}', "{}"], f'{{"n":[{NUMBERS}]}}'),
        ([b'{"\xc3\xa9\\"":"\\u0001"}'], '{"é\\"":"\\u0001"}'),
        (["{}"], "{}"),
        ([None], None),
        ([], None),
        (None, None),
    ],
)
def test_overlay_images_lets_the_last_one_win(images: list[str | bytes | None] | None, overlaid: str | None) -> None:
    assert overlay_images(images) == overlaid


@pytest.mark.parametrize(
    ("chains", "laid"),
    [
        ([], {}),
        ([("a", None, '{"x":1}', "full")], {"a": ('{"x":1}', "full")}),
        ([("a", "elsewhere", '{"x":1}', None)], {"a": ('{"x":1}', None)}),
        (
            [
                ("c", "b", '{"z":3}', "c"),
                ("b", "a", '{"y":null}', "b"),
                ("a", None, '{"x":1.10,"y":1}', "a"),
                ("d", "b", '{"x":2}', "d"),
            ],
            {
                "a": ('{"x":1.10,"y":1}', "a"),
                "b": ('{"x":1.10,"y":null}', "a"),
                "c": ('{"x":1.10,"y":null,"z":3}', "a"),
                "d": ('{"x":2,"y":null}', "a"),
            },
        ),
        ([("b", "a", '{"x":1}', "b"), ("a", None, None, "a")], {"a": (None, "a"), "b": ('{"x":1}', "a")}),
    ],
)
def test_overlay_chains_lays_each_image_on_the_whole_one_before_it(
    chains: list[tuple[str, str | None, str | None, str | None]], laid: dict[str, tuple[str | None, str | None]]
) -> None:
    for order in (chains, chains[::-1]):
        columns = tuple([one[place] for one in order] for place in range(4))
        assert overlay_chains(*columns) == [laid[name] for name in columns[0]]
        found = arrow.overlay_chains_column(*(pa.array([column, None], pa.list_(pa.string())) for column in columns))
        whole = [(one["row_image"], one["image_scope"]) for one in found[0].as_py()]
        assert (whole, found[1].as_py()) == ([laid[name] for name in columns[0]], None)


@given(st.permutations([("a", "b"), ("b", "c"), ("c", "a"), ("tail", "c"), ("itself", "itself")]))
def test_overlay_chains_opens_a_circle_at_its_least_id(links: list[tuple[str, str]]) -> None:
    names, previous = zip(*links, strict=True)
    laid = overlay_chains(names, previous, [f'{{"{name}":1}}' for name in names], names)
    assert dict(zip(names, laid, strict=True)) == {
        "a": ('{"a":1}', "a"),
        "c": ('{"a":1,"c":1}', "a"),
        "b": ('{"a":1,"b":1,"c":1}', "a"),
        "tail": ('{"a":1,"c":1,"tail":1}', "a"),
        "itself": ('{"itself":1}', "itself"),
    }


def test_overlay_chains_walks_long_chains() -> None:
    ids = [str(number) for number in range(20_000)]
    laid = overlay_chains(ids, [*ids[1:], None], [f'{{"n":{name}}}' for name in ids], ids)
    assert laid[0] == ('{"n":0}', ids[-1])


@pytest.mark.parametrize("bad", BAD_IMAGES)
def test_bad_images_give_null(bad: str | bytes) -> None:
    assert overlay_images(['{"a":1}', bad]) is None
    assert drop_columns(bad, ["a"]) is None
    assert drop_columns(bad, None) is None


@pytest.mark.parametrize(
    ("image", "names", "rest"),
    [
        ('{"a":1,"b":1.10,"c":null}', ["a", "c", "x"], '{"b":1.10}'),
        ('{"a":1}', ["a", None], "{}"),
        ('{"a":1,"null":2}', [None], '{"a":1,"null":2}'),
        ('{"a":1}', [], '{"a":1}'),
        ('{"a":1}', None, '{"a":1}'),
        (f'{{"a":1,"n":[{NUMBERS}]}}', ["a"], f'{{"n":[{NUMBERS}]}}'),
        (None, ["a"], None),
        (None, None, None),
    ],
)
def test_drop_columns_leaves_the_others(image: str | None, names: list[str | None] | None, rest: str | None) -> None:
    assert drop_columns(image, names) == rest


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ('{"b":null,"a":null,"c":null,"d":1}', '{"b":null,"a":null,"c":1,"d":null}', ["a", "b"]),
        ('{"a":null}', '{"b":null}', []),
        ('{"a":"null"}', '{"a":null}', []),
        ('{"a":null}', '{"a":"null"}', []),
        ('{"\uffff":null,"\U0001f600":null}', '{"\U0001f600":null,"\uffff":null}', ["\uffff", "\U0001f600"]),
        ("{}", "{}", []),
        (None, '{"a":null}', None),
        ('{"a":null}', None, None),
        (None, None, None),
        *[(bad, '{"a":null}', None) for bad in ("", "null", "[]", b"\xff")],
        *[('{"a":null}', bad, None) for bad in ("", "null", "[]", b"\xff")],
    ],
)
def test_null_columns_are_null_in_both(
    before: str | bytes | None, after: str | bytes | None, names: list[str] | None
) -> None:
    assert null_columns(before, after) == names


@pytest.mark.parametrize(
    ("known", "image", "names"),
    [
        ('{"z":"int","a":"text","é":1,"b":null}', '{"a":null}', '["z","é","b"]'),
        ('{"\\"\\\\\\u0001":1}', "{}", '["\\"\\\\\\u0001"]'),
        ('{"a":1}', '{"a":1,"b":2}', None),
        ("{}", "{}", None),
        (None, '{"a":1}', None),
        ('{"a":1}', None, None),
        *[(bad, "{}", None) for bad in ("", "null", "[]", b"\xff")],
        *[('{"a":1}', bad, None) for bad in ("", "null", "[]", b"\xff")],
    ],
)
def test_missing_columns_are_known_and_not_in_the_image(
    known: str | bytes | None, image: str | bytes | None, names: str | None
) -> None:
    assert missing_columns(known, image) == names


@pytest.mark.parametrize(
    ("text", "items"),
    [
        (
            f'[{{"n":[{NUMBERS}],"s":"é\\u0001"}},[1,[2.0]],"x",null,true]',
            [f'{{"n":[{NUMBERS}],"s":"é\\u0001"}}', "[1,[2.0]]", '"x"', "null", "true"],
        ),
        (f"[{NUMBERS}]", NUMBERS.split(",")),
        ("[]", []),
        (None, None),
        *[(bad, None) for bad in BAD_ARRAYS],
    ],
)
def test_list_items_keep_their_text(text: str | bytes | None, items: list[str] | None) -> None:
    assert list_items(text) == items


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.none(), OBJECT_TEXTS), max_size=3), st.binary(max_size=20))
def test_overlay_images_is_total_and_exact(texts: list[str | None], junk: bytes) -> None:
    overlay_images([*texts, junk])
    overlay_images(texts)
    opened = [None if text is None else canonical(text, dict) for text in texts]
    merged: dict[str, Any] = {}
    for one in opened:
        merged |= {} if one is None else one[1]
    expected = canonical_text(merged) if any(opened) else None
    images = [None if one is None else one[0] for one in opened]
    assert overlay_images(images) == expected


@settings(max_examples=300, deadline=None)
@given(OBJECT_TEXTS, OBJECT_TEXTS, st.lists(st.one_of(st.none(), NAMES), max_size=3), st.binary(max_size=20))
def test_drop_and_null_columns_are_total_and_exact(text: str, other: str, names: list[str], junk: bytes) -> None:
    drop_columns(text, names)
    drop_columns(junk, names)
    null_columns(text, other)
    null_columns(text, junk)
    before, after = canonical(text, dict), canonical(other, dict)
    if before is None or after is None:
        return
    rest = drop_columns(before[0], names)
    assert rest == canonical_text({name: value for name, value in before[1].items() if name not in names})
    both = null_columns(before[0], after[0])
    missing = object()
    assert both == sorted(name for name in before[1] if before[1][name] is None and after[1].get(name, missing) is None)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ('["id","it\\u0027s \\"x\\"",null,1.50,{"b":1},""]', ["id", 'it\'s "x"', None, "1.50", '{"b":1}', ""]),
        ("[]", []),
        (None, None),
        *[(bad, None) for bad in BAD_ARRAYS],
    ],
)
def test_list_texts_decodes_strings(text: str | bytes | None, texts: list[str | None] | None) -> None:
    assert list_texts(text) == texts


@settings(max_examples=300, deadline=None)
@given(array_texts(JSON_TEXTS), st.binary(max_size=20))
def test_list_items_is_total_and_exact(text: str, junk: bytes) -> None:
    list_items(junk)
    list_items(text)
    opened = canonical(text, list)
    if opened is None:
        return
    items = list_items(opened[0])
    assert items == [canonical_text(item) for item in opened[1]]
