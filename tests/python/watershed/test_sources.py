"""The list of sources, and the formats that it may name."""

import re
from pathlib import Path

import pytest
from conftest import PROJECT_DIR

from watershed.sources import FORMATS, read_sources

MODEL = re.compile(r"stg_(.+)__events")


@pytest.mark.parametrize(
    "content",
    [
        "source_name,format,time_zone\nshop,datahub_blob,\nbank,oms_canal,Asia/Shanghai\n",
        "source_name,format,time_zone,order_by\nshop,datahub_blob,\nbank,oms_canal,Asia/Shanghai,\n",
        "source_name,format,time_zone,order_by\nshop,datahub_blob,,position\nbank,oms_canal,,\n",
    ],
)
def test_a_list_of_sources_may_leave_out_the_order(project: Path, content: str) -> None:
    (project / "seeds" / "cdc_sources.csv").write_text(content)
    sources = read_sources(project)
    assert [sources.format_of(name) for name in ("shop", "bank")] == ["datahub_blob", "oms_canal"]


def test_every_list_of_formats_is_the_same() -> None:
    text = (PROJECT_DIR / "dbt_project.yml").read_text(encoding="utf-8")
    of_dbt = re.findall(r"(?m)^    (\w+): \{order: ", text)
    models = {match[1] for path in (PROJECT_DIR / "models").rglob("*.sql") if (match := MODEL.fullmatch(path.stem))}
    pages = {path.stem for path in (PROJECT_DIR / "docs" / "formats").glob("*.md")}
    assert tuple(of_dbt) == FORMATS
    assert models == {*FORMATS, "unsupported"}
    assert set(FORMATS) <= pages
