"""The samples apart from the user's data: their seeds in target/seeds only, a home, schema and target of their own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import PROJECT_DIR

from watershed.errors import WatershedError
from watershed.home import find_home
from watershed.samples import environment_of, write_seeds
from watershed.sources import SWITCH, read_sources
from watershed.sql import Layout, render
from watershed.tables import OutputFormat


@pytest.fixture
def sampled(project: Path) -> Path:
    """Give the small project the seeds that are shipped."""
    shutil.copytree(PROJECT_DIR / "samples" / "seeds", project / "samples" / "seeds")
    for name in ("table_keys.csv", "databus_sources.csv"):
        shutil.copy(PROJECT_DIR / "seeds" / name, project / "seeds")
    return project


def test_what_is_shipped_has_no_source_of_its_own() -> None:
    for name in ("cdc_sources", "table_keys", "databus_sources"):
        shipped, samples = (PROJECT_DIR / folder / f"{name}.csv" for folder in ("seeds", "samples/seeds"))
        assert shipped.read_text().count("\n") == 1, name
        assert samples.read_text().startswith(shipped.read_text()), name


def test_page_of_the_samples_shows_the_expected_outcomes() -> None:
    expected = json.loads((PROJECT_DIR / "tests/python/e2e/expected_samples.json").read_text())["source_outcomes"]
    names = ["source_name", "messages", "changes", "control_events", "duplicates", "quarantined"]
    shown = render(names, expected, OutputFormat.TABLE, Layout.CUT)
    assert f"```text\n{shown}```\n" in (PROJECT_DIR / "samples" / "README.md").read_text()


def test_sources_of_the_samples_are_known_where_they_are_switched_on(
    sampled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = (sampled / "seeds" / "cdc_sources.csv").read_bytes()
    write_seeds(sampled)
    assert read_sources(sampled).format_of("shop") == "datahub_blob"
    with pytest.raises(WatershedError, match=r"known: bank, other_shop, shop\)"):
        read_sources(sampled).format_of("oms_default")
    monkeypatch.setenv(SWITCH, "1")
    assert read_sources(sampled).format_of("shop") == "datahub_blob"
    assert read_sources(sampled).format_of("oms_default") == "oms_default"
    assert (sampled / "seeds" / "cdc_sources.csv").read_bytes() == mine


def test_seeds_of_the_user_stay_in_front_and_are_rewritten_each_time(sampled: Path) -> None:
    laid = sampled / "target" / "seeds" / "table_keys.csv"
    with (sampled / "seeds" / "table_keys.csv").open("a") as keys:
        keys.write('shop,,,orders,"[""a,b""]",,\n')
    write_seeds(sampled)
    first = laid.read_text()
    assert first.splitlines()[1] == 'shop,,,orders,"[""a,b""]",,'
    assert first.splitlines()[2] == "datahub_tuple,,,orders,order_id,,"
    write_seeds(sampled)
    assert laid.read_text() == first


def test_a_line_with_too_many_cells_is_named(sampled: Path) -> None:
    with (sampled / "seeds" / "table_keys.csv").open("a") as keys:
        keys.write("shop,,,orders,id,,,\n")
    with pytest.raises(WatershedError, match=r"table_keys.csv:2: expected at most 7 cells"):
        write_seeds(sampled)


@pytest.mark.parametrize("named", ["", "elsewhere/", "/data/watershed"])
def test_commands_on_the_samples_have_places_of_their_own(
    project: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    mine = {"WATERSHED_STORE": "file:///bucket", "WATERSHED_SCHEMA": "mine", "WATERSHED_PORT": "10003", "PATH": "/bin"}
    mine |= {"WATERSHED_HOME": named} if named else {}
    environment = environment_of(mine, project)
    assert environment["WATERSHED_HOME"] == f"{named.rstrip('/') or project / '.watershed'}-samples"
    assert environment["WATERSHED_SCHEMA"] == "watershed_samples"
    assert environment["DBT_TARGET_PATH"] == environment["DBT_LOG_PATH"] == "target/samples"
    assert environment["WATERSHED_PORT"] == "10003"
    assert environment["PATH"].endswith(":/bin")
    assert environment_of(environment, project) == environment, "in the shell of the samples"
    assert "WATERSHED_STORE" not in environment
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    if not named:
        assert find_home(project).root == project / ".watershed-samples"


def test_a_command_runs_on_the_samples_and_a_missing_one_is_named(sampled: Path) -> None:
    def run(*command: str) -> subprocess.CompletedProcess[str]:
        words = [sys.executable, "-m", "watershed.samples", *command]
        return subprocess.run(words, cwd=sampled, capture_output=True, text=True)

    assert run("sh", "-c", "echo $WATERSHED_SCHEMA $WATERSHED_SAMPLES").stdout == "watershed_samples 1\n"
    assert (sampled / "target" / "seeds" / "cdc_sources.csv").exists()
    for command in ((), ("no-such-program",)):
        assert "expected a command: python -m watershed.samples COMMAND" in run(*command).stderr
