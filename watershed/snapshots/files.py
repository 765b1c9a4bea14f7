"""The files of a typed snapshot: a model and its YAML, generated for a table found in messages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2
import msgspec
import yaml

from watershed.home import PROJECT_FILE
from watershed.snapshots.seen import Column, Table

CHECKSUM = re.compile(r"checksum ([0-9a-f]{32})\b")
_NOTE = "Written by watershed snapshots, and rewritten unless edited by hand; checksum "
_NEVER_BARE = {"varchar", "varbinary", "enum", "set"}
"""Types that MySQL has only with a length or labels."""
_MOST_DIGITS = 38
"""Of a decimal of Spark."""
_NEED_DIGITS = frozenset({"decimal", "decimal_base64"})
_OWN_COLUMNS = (
    "cast_failures",
    "row_key",
    "last_change_id",
    "sequence_number",
    "event_at",
    "row_id",
    "append_number",
    "changed_at",
)
"""Which every snapshot has."""
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"} | {one: f"\\x{ord(one):02x}" for one in "{}%#"}
_NOT_PRINTING = re.compile("[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")


class _Dumper(yaml.SafeDumper):  # type: ignore[misc]
    """Writes YAML; texts with rare line breaks between double quotes, since PyYAML folds them between single ones."""


_Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, '"' if re.search("[\x85\u2028\u2029]", text) else None
    ),
)


class Model(msgspec.Struct):
    """A generated model: its name, the texts of its files by name, and remarks."""

    name: str
    files: dict[str, str]
    remarks: list[str] = []


class Kinds:
    """Maps source types to kinds of values with dbt's value tables.

    The tables are the macros in macros/snapshot; dbt_project.yml defines the table of each format.

    Args:
        project_dir: The project with the macros.
    """

    def __init__(self, project_dir: Path) -> None:
        """Read the macros and the list of formats."""
        project = yaml.safe_load((project_dir / PROJECT_FILE).read_text("utf-8"))
        self._families = {name: facts.get("types") for name, facts in project["vars"]["formats"].items()}
        files = sorted((project_dir / "macros" / "snapshot").glob("*kind*.sql"))
        environment = jinja2.Environment(extensions=["jinja2.ext.do"])
        environment.globals["return"] = lambda value: value
        macros: Any = environment.from_string("\n".join(file.read_text("utf-8") for file in files)).module
        self._value_kind = macros.value_kind
        self.names = re.findall(r"\w+", str(macros.known_kinds()))
        """All kinds, without their digits."""

    def kind_of(self, source_type: str, family: str | None) -> str | None:
        """Return the kind, with digits if it has any, or None for a type that is not in the tables."""
        kind = str(self._value_kind({"type": source_type}, family)).strip()
        return kind if kind.partition("(")[0].strip() in self.names else None

    def is_type(self, source_type: str, family: str | None) -> bool:
        """Return whether a type is a kind or in the value table; a decimal needs digits within Spark's limits."""
        kind = self.kind_of(source_type, family) or ""
        found = re.fullmatch(r"(decimal\w*)\((\d{1,2}),\s*(\d{1,2})\)", kind)
        if found is None:
            return kind in self.names and kind not in _NEED_DIGITS
        name, precision, scale = found.groups()
        return name in self.names and int(scale) <= int(precision) <= _MOST_DIGITS and precision != "0"

    def family_of(self, table: Table) -> str | None:
        """Return the value table for a table; None if its messages contain no types.

        Of Canal messages whose types have no lengths, OMS writes those without an `id`, with its own values, and TiCDC
        those with `id` 0, with values of native Canal. Huawei DRS counts its `id`, like native Canal.
        """
        types = {(column.type or "").lower() for column in table.columns} - {""}
        family = self._families.get(table.format)
        if family == "canal" and table.message_id != "0" and not any("(" in one for one in types):
            family = "oms" if table.message_id is None or types & _NEVER_BARE else family
        return family if types else None


def models_of(tables: Sequence[Table], kinds: Kinds, source_name: str | None, table_name: str | None) -> list[Model]:
    """Return the models of the tables, or of those of one source or name.

    Args:
        tables: All tables found: database and schema become part of the name only if a source has a table name twice.
        kinds: The value tables.
        source_name: Only tables of this source; all if not given.
        table_name: Only tables of this name; all if not given.
    """
    models = []
    names = [(table.source_name, table.table_name) for table in tables]
    for table, (source, name) in zip(tables, names, strict=True):
        if source_name in (None, source) and table_name in (None, name):
            places = [table.database_name or "", table.schema_name or ""] if names.count((source, name)) > 1 else []
            models.append(render(table, "snapshot_" + "__".join(map(safe_name, [source, *places, name])), kinds))
    return models


def render(table: Table, name: str, kinds: Kinds) -> Model:
    """Return the two files of a snapshot, each after a line with the checksum of the rest."""
    family = kinds.family_of(table)
    taken = {"columns", "row_is_deleted", *_OWN_COLUMNS}
    settings = [_settings(column, family, kinds, taken) for column in table.columns]
    sql = _sql(table, family, settings)
    described = _yaml(table, name, settings)
    remarks = [
        f"column {column.name!r} keeps {column.type!r}: {refused.type!r} is {refused.change}"
        for column in table.columns
        for refused in column.refused
    ]
    remarks += [
        f"column {column.name!r} of seeds/typed_columns.csv is not in any message (seen: {_listed(table)})"
        for column in table.columns
        if column.is_unseen
    ]
    if not any(column.type or column.given_type for column in table.columns):
        remarks.append(
            "its messages contain no types, so every column is a string; add types to seeds/typed_columns.csv"
        )
    files = {
        f"{name}.sql": f"{{#- {_NOTE}{checksum(sql)} -#}}\n{sql}",
        f"{name}.yml": f"# {_NOTE}{checksum(described)}\n{described}",
    }
    return Model(name, files, remarks)


def checksum(text: str) -> str:
    """Return the checksum for the first line of a file."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


def safe_name(name: str) -> str:
    """Return a vendor's name as part of a dbt name, reversibly.

    Letters, digits and single underscores between them are kept; any other run of characters becomes _x.._ with the
    hexadecimal digits of its UTF-8 bytes. An underscore before an x is encoded too, so that the encoding is
    unambiguous: different vendor names stay different, and two underscores only separate two names.
    """
    runs = re.findall("([A-Za-z0-9]+(?:_(?!x)[A-Za-z0-9]+)*)|([^A-Za-z0-9]+)", name)
    return "".join(kept or f"_x{other.encode().hex()}_" for kept, other in runs) or "_x_"


def jinja_text(text: str) -> str:
    """Return a vendor's text as a Jinja literal, escaped so that it cannot end the literal or open a block."""
    return "'" + "".join(_ESCAPES.get(character, character) for character in text) + "'"


def plain_text(sentence: str) -> str:
    """Return a sentence that dbt prints unchanged: characters that Jinja reads or that do not print are replaced."""
    return _NOT_PRINTING.sub("?", sentence).replace("{", "(").replace("}", ")")


def rendered_name(name: str) -> str:
    """Return a vendor's name as a value in YAML, which dbt renders: as Jinja where it contains any."""
    return "{{ " + jinja_text(name) + " }}" if re.search(r"\{[{%#]|[}%#]\}|[\r\n]", name) else name


def _listed(table: Table) -> str:
    return ", ".join(column.name for column in table.columns if not column.is_unseen)


class _Settings(msgspec.Struct):
    """A column of the model: its name there, its settings, and the beginning of its description."""

    source: Column
    shown: str
    type: str
    keep_text: bool


def _settings(column: Column, family: str | None, kinds: Kinds, taken: set[str]) -> _Settings:
    """Return the settings of a column; its names in the snapshot are added, in lower case, to the taken ones.

    A value that no kind represents exactly also keeps its text; an unknown type is text. Labels of enum and set are
    written down only if the user gives them: others come with each row.
    """
    source_type, keep_text = column.given_type or column.type or "string", False
    kind = kinds.kind_of(source_type, family)
    name, digits = (kind or "").partition("(")[0].strip(), list(map(int, re.findall("-?[0-9]+", kind or "")))
    if kind is None or (family is None and column.type and not column.given_type):
        source_type = "string"
    elif name == "decimal":
        # PostgreSQL's numeric(3,5) has 5 digits after the point; numeric(10,-2) is a whole number of 12.
        precision, scale = [*digits, 0][:2] if digits else (_MOST_DIGITS + 1, 18)
        places = max(scale, 0)
        precision = max(precision - min(scale, 0), places)
        if precision > _MOST_DIGITS:
            source_type, keep_text = f"decimal({_MOST_DIGITS},{min(places, _MOST_DIGITS)})", True
        elif places != scale or precision != digits[0]:
            source_type = f"decimal({precision},{places})"
    elif name in ("enum_index", "set_mask") and not column.given_type:
        source_type = source_type.partition("(")[0]
    elif name == "double" and family == "datahub" and not column.given_type:
        keep_text = True  # a DECIMAL of the source may be sent as DOUBLE
    wanted = column.name if re.fullmatch("[A-Za-z0-9_]+", column.name) else safe_name(column.name)
    shown, number = wanted, 1
    while shown.lower() in taken or (keep_text and f"{shown}_text".lower() in taken):
        number += 1
        shown = f"{wanted}_{number}"
    taken |= {shown.lower(), f"{shown}_text".lower()} if keep_text else {shown.lower()}
    return _Settings(column, shown, source_type, keep_text)


def _sql(table: Table, family: str | None, columns: Iterable[_Settings]) -> str:
    lines = [f"{{{{ typed_snapshot({jinja_text(table.source_name)}, {jinja_text(table.table_name)},"]
    options = {"database_name": table.database_name, "schema_name": table.schema_name, "family": family}
    lines += [f"    {option}={jinja_text(text)}," for option, text in options.items() if text is not None]
    lines.append("    columns=[")
    for column in columns:
        texts: Mapping[str, str | None] = {
            "name": column.source.name,
            "type": column.type,
            "alias": column.shown if column.shown != column.source.name else None,
            "default": column.source.default,
        }
        parts = [f"'{key}': {jinja_text(text)}" for key, text in texts.items() if text is not None]
        if column.source.aliases:
            parts.append(f"'aliases': [{', '.join(map(jinja_text, column.source.aliases))}]")
        if column.keep_text:
            parts.append("'keep_text': true")
        lines.append(f"        {{{', '.join(parts)}}},")
    return "\n".join([*lines, "    ],", ") }}", ""])


def _yaml(table: Table, name: str, columns: Sequence[_Settings]) -> str:
    path = ".".join(filter(None, (table.database_name, table.schema_name, table.table_name)))
    about = f"Current rows of the table {path} of source {table.source_name}, with the types that its messages contain"
    kept = [column for column in columns if column.keep_text]
    failures = {
        "description": "Every value fits the type of its column; another becomes null, see cast_failures. A number "
        "with more digits than its type has does not count: its text is kept.",
        "arguments": {
            "except_columns": [rendered_name(one.source.name) for one in kept],
            "kept_texts": {one.source.name: rendered_name(f"{one.shown}_text") for one in kept},
        },
        # One value that does not fit is no reason to stop a build.
        "config": {"severity": "warn"},
    }
    described = []
    for column in columns:
        key = "Part of the key. " if column.source.is_key else ""
        seen = f"of type {column.source.type}" if column.source.type else "without a type in the messages"
        seen += f", read as {column.source.given_type}" if column.source.given_type else ""
        described.append((column.shown, plain_text(f"{key}Column {column.source.name} of the source, {seen}.")))
        if column.keep_text:
            described.append((f"{column.shown}_text", plain_text(f"The value of {column.shown} as sent.")))
    described += [(own, f"{{{{ doc('{own}') }}}}") for own in _OWN_COLUMNS]
    model = {
        "name": name,
        "description": plain_text(about + ", one row per key."),
        "config": {"meta": {"grain": "row key"}},
        "data_tests": [
            {"unique_combination": {"arguments": {"columns": ["row_key"]}}},
            {"has_no_cast_failures": failures},
        ],
        "columns": [{"name": shown, "description": description} for shown, description in described],
    }
    return str(yaml.dump({"models": [model]}, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110))
