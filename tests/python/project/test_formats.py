"""Every format of the var `formats` has all the parts that "Add a format" of CONTRIBUTING.md asks for."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from conftest import PROJECT_DIR

from watershed.sources import read_formats

FORMATS = read_formats(PROJECT_DIR)
HEADINGS = ("What it looks like", "How we read it", "What can surprise you", "How to check")


def _text(path: str) -> str:
    return (PROJECT_DIR / path).read_text("utf-8")


def _files(pattern: str) -> list[Path]:
    return sorted(PROJECT_DIR.glob(pattern))


def _has_model(name: str) -> bool:
    return len(_files(f"models/staging/*/stg_{name}__events.sql")) == 1


def _is_described(name: str) -> bool:
    models = [yaml.safe_load(file.read_text("utf-8"))["models"] for file in _files("models/staging/*/_*__models.yml")]
    return any(model["name"] == f"stg_{name}__events" for some in models for model in some)


def _has_page(name: str) -> bool:
    page = PROJECT_DIR / "docs" / "formats" / f"{name}.md"
    return page.is_file() and all(f"\n## {heading}\n" in page.read_text("utf-8") for heading in HEADINGS)


def _is_listed(name: str) -> bool:
    return all(f"`{name}`" in _text(page) for page in ("docs/formats/README.md", "README.md"))


def _has_samples(name: str) -> bool:
    return f"\n{name},{name}," in _text("samples/seeds/cdc_sources.csv") and bool(
        _files(f"samples/messages/{name}/*.jsonl")
    )


def _has_expected_samples(name: str) -> bool:
    return f'"{name}"' in _text("tests/python/e2e/expected_samples.json")


def _has_unit_tests(name: str) -> bool:
    # Formats that share a model share its tests.
    given = "\n".join(file.read_text("utf-8") for file in _files("tests/unit/*/*.yml"))
    fixtures = [file for file in _files("tests/fixtures/*__*.sql") if f"'{name}'" in file.read_text("utf-8")]
    return bool(fixtures) and any(re.search(rf"fixture: {file.stem}\b", given) for file in fixtures)


def _says_what_it_lacks(name: str) -> bool:
    return f"`{name}`" in _text("docs/formats/what_formats_cannot_say.md")


def _has_encoder(name: str) -> bool:
    return f'"{name}"' in _text("tests/python/e2e/encoders/__init__.py")


ROOMS: dict[str, Callable[[str], bool]] = {
    "models/staging/<vendor>/stg_<format>__events.sql": _has_model,
    "a description in models/staging/<vendor>/_<vendor>__models.yml": _is_described,
    "docs/formats/<format>.md with four headings": _has_page,
    "a row in docs/formats/README.md and in README.md": _is_listed,
    "samples/messages/<format>/*.jsonl and a row in samples/seeds/cdc_sources.csv": _has_samples,
    "rows in tests/python/e2e/expected_samples.json": _has_expected_samples,
    "tests/fixtures/*.sql with its messages, used in tests/unit": _has_unit_tests,
    "a row in docs/formats/what_formats_cannot_say.md": _says_what_it_lacks,
    "an encoder in tests/python/e2e/encoders/__init__.py": _has_encoder,
}


def missing_rooms(name: str) -> list[str]:
    """Return the missing parts of a format."""
    return [room for room, is_there in ROOMS.items() if not is_there(name)]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_all_its_parts(name: str) -> None:
    assert missing_rooms(name) == [], f"format {name!r} of the var formats lacks parts; see CONTRIBUTING.md"


def test_a_format_without_parts_is_reported() -> None:
    assert missing_rooms("no_such_format") == list(ROOMS)


def test_every_staging_model_and_sample_is_of_a_format_of_the_list() -> None:
    models = {
        file.stem.removeprefix("stg_").removesuffix("__events") for file in _files("models/staging/*/stg_*__events.sql")
    }
    assert models == {*FORMATS, "unsupported"}
    assert {folder.name for folder in _files("samples/messages/*")} <= set(FORMATS)
