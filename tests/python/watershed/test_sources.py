"""The list of sources, and the formats that it may name."""

from pathlib import Path

import pytest

from watershed.sources import read_sources


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
