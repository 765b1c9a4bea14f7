"""Calls of the functions in Java, made up: they must give what their references in Python give, details too."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Sequence
from random import Random
from typing import Any

from java_side import REFERENCES, call_all, is_same
from reference import json_message
from reference.member_spec import read_spec
from reference.strict_json import read_json
from watershed_udfs.errors import PayloadError
from watershed_udfs.json_columns import canonical_text

from fuzz import targets

Case = dict[str, Any]

SPECS = [
    [["a", "text"], ["row", "object"], ["row", "object", {"without": ["a", "é"]}], ["", "any"]],
    [["row", "key", {"names": "schema.keys"}], ["schema.keys", "names"], ["schema.columns", "types"]],
    [["", "any", {"keeps_order": True}], ["row", "object", {"keeps_order": True}], ["a", "array"], ["row.a", "any"]],
    [["", "object", {"without": ["schema"], "keeps_order": True}], ["meta", "ddl_meta"], ["row.a.b", "text"]],
    [["a", "any"], ["", "object"], ["schema.keys", "array"], ["meta", "text"]],
]
NAMES = ["a", "A", "b", "é", "É", "ß", "SS", "id", "Id", "\U0001f600", "\uffff", "", '"\\\n']


def json_object(random: Random) -> str:
    members = [
        f"{json.dumps(random.choice(NAMES), ensure_ascii=random.random() < 0.3)}:{targets.json_text(random, 3)}"
        for _ in range(random.choice([0, 1, 2, 3, 30 if random.random() < 0.05 else 4]))
    ]
    return "{" + ",".join(members) + "}"


def message(random: Random) -> bytes:
    columns = [
        {"name": random.choice(NAMES), "type": random.choice(["int", "text"])} for _ in range(random.randint(0, 3))
    ]
    keys = random.sample(NAMES, random.randint(0, 2))
    parts = {
        "schema": json.dumps({"keys": keys, "columns": columns}, ensure_ascii=random.random() < 0.5),
        "row": json_object(random),
        "meta": json.dumps(random.choice(targets.ddl_metas())) if random.random() < 0.3 else "null",
        "a": targets.json_text(random, 3),
    }
    for name in list(parts):
        if random.random() < 0.15:
            parts[name] = targets.json_text(random, 2)
    order = random.sample(list(parts), random.randint(1, 4))
    return ("{" + ",".join(f'"{name}":{parts[name]}' for name in order) + "}").encode()


def make_call(random: Random) -> Case:
    """Give a function and its arguments, bytes as hexadecimal digits."""
    name = random.choice(["open_json"] * 6 + sorted(set(REFERENCES) - {"text_map", "millis_timestamp"}))
    if name == "open_json":
        value = message(random) if random.random() < 0.6 else targets.json_text(random).encode()
        if random.random() < 0.5:
            value = targets.damaged(random, value)
        if random.random() < 0.3:
            value = random.choice([base64.b64encode, base64.encodebytes])(value)
            value = targets.damaged(random, value) if random.random() < 0.3 else value
        return {"function": name, "arguments": [value.hex(), json.dumps(random.choice(SPECS))]}
    if name == "read_ddl":
        names = [random.choice([None, None, "", "a", "A", "shop", "b c"]) for _ in range(3)]
        text = targets.damaged(random, ddl(random)) if random.random() < 0.3 else ddl(random)
        return {"function": name, "arguments": [text.decode(errors="replace").encode().hex(), *names]}
    images = [image(random, is_array=name.startswith("list")) for _ in range(3)]
    name_list = None if random.random() < 0.05 else names_for(random, images[0])
    arguments: dict[str, list[Any]] = {
        "pick_key": [images[0], name_list],
        "read_columns": [images[0]],
        "overlay_images": [images[: random.randint(0, 3)]],
        "drop_columns": [images[0], name_list],
        "null_columns": images[:2],
        "missing_columns": images[:2],
        "list_items": [images[0]],
        "list_texts": [images[0]],
    }
    return {"function": name, "arguments": arguments[name]}


DDL_WORDS = ["create", "or", "replace", "alter", "drop", "truncate", "rename", "table", "TABLES", "database", "schema"]
DDL_WORDS += [
    "if",
    "exists",
    "only",
    "a",
    "A.b",
    "shop . a",
    "x.y.z",
    "c..d",
    "`a``b`",
    '"A""b"',
    "[b c]",
    "to",
    "as",
    "=",
]
DDL_WORDS += [",", ",", ";", "(", ")", "*", "'it''s'", "'a\\'b'", "-- c\n", "/* c */", "/*!40101 drop */", "# c\n"]
DDL_WORDS += [
    "partition",
    "cascade",
    "view",
    "index",
    "event",
    "begin",
    "trigger",
    "wait",
    "5",
    "ignore",
    "exchange",
    "é",
    "$$;$$",
]
DDL_STARTS = [
    "drop table",
    "truncate",
    "rename table",
    "alter table a",
    "create or replace table",
    "drop schema",
    "begin",
]


def ddl(random: Random) -> bytes:
    words = [random.choice(DDL_STARTS)] if random.random() < 0.8 else []
    words += [random.choice(DDL_WORDS) for _ in range(random.randint(0, 9))]
    return random.choice([" ", " ", "\n", "\t "]).join(words).encode()


def names_for(random: Random, image: str | None) -> list[str | None]:
    """Give names of columns, most of them those of an image, some in upper case, few that it lacks, few nulls."""
    names: list[str] = NAMES
    with contextlib.suppress(ValueError):
        found = json.loads(bytes.fromhex(image or ""))
        names = (
            [*found, *[name.upper() for name in found]] if isinstance(found, dict) and random.random() < 0.8 else names
        )
    chosen: list[str | None] = [random.choice(names) for _ in range(random.choice([1, 1, 2, 3]))] if names else []
    if random.random() < 0.1:
        chosen.append(random.choice([None, *NAMES]))
    return [None if name is None else name.encode(errors="replace").hex() for name in chosen]


def image(random: Random, is_array: bool) -> str | None:
    """Give what `open_json` writes for an object or array, and sometimes damage it."""
    if random.random() < 0.05:
        return None
    text = (f"[{targets.json_text(random, 3)}]" if is_array else json_object(random)).encode()
    with contextlib.suppress(PayloadError):
        text = canonical_text(read_json(text)).encode()
    return (targets.damaged(random, text) if random.random() < 0.2 else text).hex()


def arguments_of(case: Case) -> list[Any]:
    if case["function"] == "open_json":
        value, members = case["arguments"]
        return [bytearray.fromhex(value), members]
    if case["function"] == "read_ddl":
        return [bytes.fromhex(case["arguments"][0]), *case["arguments"][1:]]
    return [_bytes_of(one) for one in case["arguments"]]


def _bytes_of(argument: Any) -> Any:  # noqa: ANN401
    if isinstance(argument, list):
        return [_bytes_of(one) for one in argument]
    return None if argument is None else bytes.fromhex(argument)


def expected(name: str, arguments: Sequence[Any]) -> Any:  # noqa: ANN401
    """Give what the reference gives, in the form of the result in Java."""
    if name != "open_json":
        if name in ("pick_key", "drop_columns") and arguments[1] is not None:
            names = [None if one is None else one.decode() for one in arguments[1]]
            return REFERENCES[name](arguments[0], names)
        return REFERENCES[name](*arguments)
    try:
        return [json_message.open_json(bytes(arguments[0]), read_spec(arguments[1])), None, None]
    except PayloadError as error:
        return [None, error.code, error.detail]


def disagreements(cases: Sequence[Case]) -> list[tuple[Case, Any, Any]]:
    """Give the cases in which the two differ, each with the result of the reference and that of Java."""
    found = []
    for name in {case["function"] for case in cases}:
        those = [(case, arguments_of(case)) for case in cases if case["function"] == name]
        results = call_all(name, [arguments for _, arguments in those])
        for (case, arguments), result in zip(those, results, strict=True):
            wanted = expected(name, arguments)
            if not is_same(name, arguments, wanted, result):
                found.append((case, wanted, result))
    return found


def check_call(case: Case) -> None:
    assert disagreements([case]) == []
