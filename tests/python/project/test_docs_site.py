"""The docs site without a server: the page of the dbt that is installed is as the script expects it."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import dbt.task.docs
import pytest
from scripts_of_make import script

PAGE = Path(dbt.task.docs.__path__[0], "index.html").read_text("utf-8")


@pytest.fixture(scope="module")
def docs_site() -> ModuleType:
    return script("docs_site")


def test_the_page_of_this_dbt_takes_what_is_replaced(docs_site: ModuleType) -> None:
    page = docs_site._front_page(PAGE)
    assert "<title>Watershed</title>" in page
    assert "<title>dbt Docs" not in page
    assert page.count("ranked(") == 2, "the function and its call"


@pytest.mark.parametrize("number", range(4))
def test_another_page_stops_the_script_and_names_the_place(docs_site: ModuleType, number: int) -> None:
    place = list(docs_site._REPLACED)[number]
    for other in (PAGE.replace(place, place[1:]), PAGE + place):
        with pytest.raises(SystemExit) as stopped:
            docs_site._front_page(other)
        assert str(stopped.value).startswith(f"docs_site: expected {docs_site._REPLACED[place][0]} of {place!r} in ")
