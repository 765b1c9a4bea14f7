"""The requested members of a JSON message (second argument of `open_json`): the reference for `MemberSpec.java`."""

import functools
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from watershed_udfs.errors import PayloadError
from watershed_udfs.json_columns import canonical_text

from reference.ddl_meta import read_ddl_text
from reference.row_key import key_of_columns
from reference.strict_json import kind_of

SCALARS = frozenset((int, bool, msgspec.Raw))
"""The types of numbers, true and false."""
NO_MEMBERS: dict[str, Any] = {}
Texts = list[str | None]
Reader = Callable[[Any, "Member"], str | None]
_ORDER_KEEPING_ENCODER = msgspec.json.Encoder()


def text_in_order_sent(value: object) -> str:
    """Write a value as `canonical_text` does, but with the members of its objects in the order in which they came."""
    return _ORDER_KEEPING_ENCODER.encode(value).decode()


class Member(NamedTuple):
    """One requested member: its path, its required kind, and its place in the result."""

    place: int
    path: str
    kind: str
    without: frozenset[str] = frozenset()
    names: str = ""
    keeps_order: bool = False


class Step(NamedTuple):
    """An object with requested members: a member of an object that an earlier step found (0 is the message)."""

    parent: int
    name: str
    path: str


class Wanted(NamedTuple):
    """A requested member of an object that a step found (0 is the message), and how it is read."""

    parent: int
    name: str
    read: Reader
    member: Member


class WantedKey(NamedTuple):
    """A requested key of a row image: paths of the image and of the names of its key columns, and its place."""

    parent: int
    name: str
    names_parent: int
    names_name: str
    place: int


@dataclass(frozen=True, slots=True, eq=False)
class MemberSpec:
    """The requested members: those that are the whole message, and steps to all others; `size` texts per message."""

    size: int
    whole: list[Member] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    wanted: list[Wanted] = field(default_factory=list)
    keys: list[WantedKey] = field(default_factory=list)

    def read_texts(self, message: dict[str, Any]) -> Texts:
        """Return the text of each requested member, in the order of the specification; null if it is null or missing.

        Raises:
            PayloadError: `unexpected_type`, naming the path of the specification.
        """
        texts: Texts = [None] * self.size
        objects = [message]
        for parent, name, path in self.steps:
            found = objects[parent].get(name)
            if type(found) is dict:
                objects.append(found)
            elif found is None:
                objects.append(NO_MEMBERS)
            else:
                raise PayloadError("unexpected_type", f"{path}: expected object, found {kind_of(found)}")
        for parent, name, read, member in self.wanted:
            found = objects[parent].get(name)
            if found is not None:
                texts[member[0]] = found if read is _read_text and type(found) is str else read(found, member)
        for parent, name, names_parent, names_name, place in self.keys:
            columns = objects[parent].get(name)
            if type(columns) is dict:
                texts[place] = key_of_columns(columns, objects[names_parent].get(names_name))
        for member in self.whole:
            texts[member.place] = READERS[member.kind](message, member)
        return texts


@functools.lru_cache(maxsize=64)
def read_spec(text: str) -> MemberSpec:
    """Read a specification: JSON text such as `[["payload.op", "text"], ["", "object", {"without": ["_id_"]}]]`.

    Each entry is a path (parts separated by dots, "" is the whole message), a kind (one of `KINDS`) and options: for an
    object the members to leave out and whether the others keep their order, for a key the path of its columns' names.

    Raises:
        ValueError: the specification is wrong. That is a fault of the query, not of the data, so the query fails.
    """
    entries = json.loads(text)
    if not isinstance(entries, list) or not entries:
        raise ValueError("open_json: the members are not a JSON array of [path, kind] entries")
    spec = MemberSpec(size=len(entries))
    objects = {"": 0}
    for place, entry in enumerate(entries):
        member = _read_entry(place, entry)
        if not member.path:
            spec.whole.append(member)
            continue
        parent, last = _step_to(member.path, spec, objects)
        if member.kind == "key":
            spec.keys.append(WantedKey(parent, last, *_step_to(member.names, spec, objects), place))
        else:
            spec.wanted.append(Wanted(parent, last, READERS[member.kind], member))
    return spec


def _step_to(path: str, spec: MemberSpec, objects: dict[str, int]) -> tuple[int, str]:
    """Give the number of the object in which a path ends, and the last name; add the steps that are new."""
    parent = ""
    *above, last = path.split(".")
    for name in above:
        whole_path = f"{parent}.{name}" if parent else name
        if whole_path not in objects:
            spec.steps.append(Step(objects[parent], name, whole_path))
            objects[whole_path] = len(spec.steps)
        parent = whole_path
    return objects[parent], last


def _read_entry(place: int, entry: object) -> Member:
    where = f"open_json: member {place} "
    if not isinstance(entry, list) or len(entry) not in (2, 3):
        raise ValueError(where + "is not [path, kind] or [path, kind, options]")
    path, kind = entry[0], entry[1]
    if not _is_path(path) and path != "":
        raise ValueError(where + "has no path of names separated by dots")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(where + f"has none of the kinds {', '.join(sorted(KINDS))}")
    options = entry[2] if len(entry) == 3 else {}
    if not isinstance(options, dict) or set(options) != OPTIONS.get(kind, set()) & set(options):
        raise ValueError(where + f"has other options than {sorted(OPTIONS.get(kind, ()))}")
    without, names = options.get("without", []), options.get("names", "")
    if not isinstance(without, list) or not all(isinstance(name, str) for name in without):
        raise ValueError(where + 'may have {"without": [names]}')
    if kind == "key" and not (path and _is_path(names)):
        raise ValueError(where + 'needs a path and {"names": path of the names of the key columns}')
    keeps_order = options.get("keeps_order", False)
    if not isinstance(keeps_order, bool):
        raise ValueError(where + 'may have {"keeps_order": true or false}')
    return Member(place, path, kind, frozenset(without), names, keeps_order)


def _is_path(path: object) -> bool:
    return isinstance(path, str) and all(path.split("."))


def _mismatch(value: object, member: Member) -> PayloadError:
    where = member.path or "message"
    return PayloadError("unexpected_type", f"{where}: expected {member.kind}, found {kind_of(value)}")


def _read_text(value: Any, member: Member) -> str:  # noqa: ANN401 - any JSON value
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if type(value) in SCALARS:
        return canonical_text(value)
    raise _mismatch(value, member)


def _read_object(value: Any, member: Member) -> str:  # noqa: ANN401 - any JSON value
    if type(value) is not dict:
        raise _mismatch(value, member)
    if member.without:
        value = {name: one for name, one in value.items() if name not in member.without}
    return _read_any(value, member)


def _read_array(value: Any, member: Member) -> str:  # noqa: ANN401 - any JSON value
    if type(value) is not list:
        raise _mismatch(value, member)
    return canonical_text(value)


def _read_names(value: Any, member: Member) -> str:  # noqa: ANN401 - any JSON value
    if type(value) is not list:
        raise _mismatch(value, member)
    for one in value:
        if type(one) is not str:
            raise PayloadError("unexpected_type", f"{member.path}: expected names, found array with {kind_of(one)}")
    return canonical_text(value)


def _read_any(value: Any, member: Member) -> str:  # noqa: ANN401 - any JSON value
    return text_in_order_sent(value) if member.keeps_order else canonical_text(value)


def _read_types(value: Any, member: Member) -> str | None:  # noqa: ANN401 - any JSON value
    """Give a list of columns, objects with name and type, as the text of an object, in the order of the list.

    A list with a repeated or missing name is not reliable: null.
    """
    try:
        types = {column["name"]: column["type"] for column in value}
    except (KeyError, TypeError):
        return None
    if len(types) < len(value) or not types or not all(type(text) is str for pair in types.items() for text in pair):
        return None
    return _ENCODER.encode(types).decode()


def _read_ddl_meta(value: Any, member: Member) -> str | None:  # noqa: ANN401 - any JSON value
    try:
        return read_ddl_text(_read_text(value, member))
    except PayloadError as error:
        if error.code == "unexpected_type":
            raise
        return None


_ENCODER = msgspec.json.Encoder()
OPTIONS = {"object": {"without", "keeps_order"}, "any": {"keeps_order"}, "key": {"names"}}
READERS: dict[str, Reader] = {
    "text": _read_text,
    "object": _read_object,
    "array": _read_array,
    "names": _read_names,
    "any": _read_any,
    "types": _read_types,
    "ddl_meta": _read_ddl_meta,
}
KINDS = READERS.keys() | {"key"}
