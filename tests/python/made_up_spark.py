"""A Spark that only answers: what dbt asks of it is made up by a test, and what dbt writes is kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import agate
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.spark.relation import SparkRelation

Rows = list[dict[str, Any]]


class Spark:
    """Answers dbt's statements out of what a test says, and keeps those that write."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.information: dict[str, str] = {}
        self.properties: dict[str, dict[str, str]] = {}
        self.answers: dict[str, Rows] = {
            "describe detail": [{"sizeInBytes": 1000, "numFiles": 1}],
            "select count(*) from landing.messages": [{"count": 1}],
        }
        self.written: list[str] = []
        self.asked: list[str] = []
        # Columns that tables have, where they are not those of the YAML.
        self.columns: dict[str, list[str]] = {}

    def execute(self, _: object, sql: str, *__: object, **___: object) -> tuple[AdapterResponse, agate.Table]:
        return AdapterResponse("OK"), _table(self._answer(re.sub(r"/\*.*?\*/|\s+", " ", sql).strip()))

    def _answer(self, sql: str) -> Rows:
        properties = re.fullmatch(r"show tblproperties \w+\.(\w+)", sql)
        if properties:
            return [{"key": key, "value": value} for key, value in self.properties.get(properties[1], {}).items()]
        described = re.fullmatch(r"describe (?:table|extended) \w+\.(\w+)", sql)
        if described:
            nodes = json.loads((self.target / "manifest.json").read_text())["nodes"].values()
            columns = next(node for node in nodes if node["alias"] == described[1])["columns"]
            comments = {name: one["description"].strip() for name, one in columns.items()}
            names = self.columns.get(described[1], list(columns))
            rows = [{"col_name": name, "data_type": "", "comment": comments.get(name, "")} for name in names]
            about = {"col_name": "# Detailed Table Information", "data_type": "", "comment": ""}
            return [*rows, about] if sql.startswith("describe extended") else rows
        self.asked.append(sql)
        for start, rows in self.answers.items():
            if sql.startswith(start):
                return rows
        if not sql.startswith(("select", "describe", "show", "set ")):
            self.written.append(sql)
        for key in re.findall(r"unset tblproperties \('(watershed\.\w+)'\)", sql):
            del self.properties[sql.split(" ")[2].split(".")[1]][key]
        made = re.match(r"(?:create or replace table|create or replace view|alter table) (\w+)\.(\w+)", sql)
        if made:
            noted = re.findall(r"'(watershed\.\w+)' = '([^']*)'", sql)
            self.properties.setdefault(made[2], {}).update({key: value.replace("\\\\", "\\") for key, value in noted})
            listed = ", ".join(f"{key}={value}" for key, value in self.properties[made[2]].items())
            kind = "Type: VIEW" if " view " in sql[:30] else "Type: MANAGED\nProvider: delta"
            self.information[f"{made[1]}.{made[2]}"] = f"{kind}\nTable Properties: [{listed}]\n"
        return []

    def list_relations(self, _: object, schema_relation: SparkRelation) -> list[SparkRelation]:
        return [
            SparkRelation.create(
                schema=schema,
                identifier=name,
                type="view" if "VIEW" in said else "table",
                is_delta="delta" in said,
                information=said,
            )
            for (schema, name), said in ((full.split("."), said) for full, said in self.information.items())
            if schema == schema_relation.schema
        ]


def _table(rows: Rows) -> agate.Table:
    names = list(rows[0]) if rows else ["none", "of", "all", "these", "columns"]
    types = [agate.Number() if isinstance((rows or [{}])[0].get(name), int) else agate.Text() for name in names]
    types = [
        agate.Boolean() if isinstance((rows or [{}])[0].get(name), bool) else type_
        for name, type_ in zip(names, types, strict=True)
    ]
    return agate.Table([[row[name] for name in names] for row in rows], names, types)
