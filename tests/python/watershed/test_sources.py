"""The list of sources, and the formats that it may name."""

from pathlib import Path

import pytest

from watershed.errors import WatershedError
from watershed.sources import read_sources


@pytest.mark.parametrize(
    "content",
    [
        "source_name,format,time_zone\nshop,datahub_blob,\nbank,oms_canal,Asia/Shanghai\n",
        "source_name,format,time_zone,order_by\nshop,datahub_blob,\nbank,oms_canal,Asia/Shanghai,\n",
        "source_name,format,time_zone,order_by\nshop,datahub_blob,,position\nbank,oms_canal,,\n",
        "source_name,format,time_zone,unavailable_value\nshop,datahub_blob,,hex:6A6b\nbank,oms_canal,,n/a\n",
    ],
)
def test_a_list_of_sources_may_leave_out_the_order(project: Path, content: str) -> None:
    (project / "seeds" / "cdc_sources.csv").write_text(content)
    sources = read_sources(project)
    assert [sources.format_of(name) for name in ("shop", "bank")] == ["datahub_blob", "oms_canal"]


def test_a_list_that_excel_has_saved_is_read(project: Path) -> None:
    path = project / "seeds" / "cdc_sources.csv"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_sources(project).format_of("bank") == "oms_canal"
    path.write_text(path.read_text("utf-8-sig").replace(",", ";"))
    with pytest.raises(WatershedError, match=r"csv:1: expected .*\n  The cells are separated by semicolons. Save it"):
        read_sources(project)


def test_cells_in_single_quotes_and_misspelt_formats_are_refused_with_the_remedy(project: Path) -> None:
    with (project / "seeds" / "cdc_sources.csv").open("a") as file:
        file.write("'s1','oms_canal','UTC'\ns2,OMS-cannal,UTC\ns3,nothing like it,\n")
    sources = read_sources(project)
    with pytest.raises(WatershedError, match=r"csv:5: 's1' is in single quotes, .*\n  Remove them; only"):
        sources.format_of("s1")
    with pytest.raises(WatershedError, match=r"csv:6: .*\n  Did you mean 'oms_canal'\? Formats: "):
        sources.format_of("s2")
    with pytest.raises(WatershedError, match=r"csv:7: .*\n  Formats: "):
        sources.format_of("s3")
    assert sources.format_of("shop") == "datahub_blob"
