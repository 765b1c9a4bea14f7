"""The examples of docs/production.md, each run or checked as far as a machine without Docker and Airflow can."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
from conftest import PROJECT_DIR, WATERSHED
from dbt.cli.main import cli as dbt
from setuptools._vendor.packaging.specifiers import SpecifierSet

from watershed.cli import main as watershed

PAGE = (PROJECT_DIR / "docs" / "production.md").read_text("utf-8")
FENCE = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
BLOCKS = [(kind, re.sub(rf"(?m)^{indent}", "", text)) for indent, kind, text in FENCE.findall(PAGE)]
UNITS = dict(re.findall(r"/etc/systemd/system/([\w@-]+\.(?:service|timer))`.*?```ini\n(.*?)```", PAGE, re.DOTALL))
PROGRAMS = {"watershed": watershed, "dbt": dbt}
CALL = re.compile(r"(?:/srv/watershed/)?\.venv/bin/(watershed|dbt) [^\"'`|;&>)\n]+")
IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.com"]


def blocks(kind: str, containing: str) -> list[str]:
    """Return the blocks of the page in this language that contain a text; there must be one."""
    found = [text for language, text in BLOCKS if language == kind and containing in text]
    assert found, f"{kind}: {containing}"
    return found


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *IDENTITY, *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run lines of the page in bash, which stops at the first that fails."""
    identity = {f"GIT_{role}_{part}": "test" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    return subprocess.run(
        ["bash", "-euc", script], cwd=folder, env=os.environ | identity | variables, capture_output=True, text=True
    )


@pytest.fixture
def upstream(tmp_path: Path) -> Path:
    """A repository with the files that are those of a fork's owner, as this project ships them."""
    folder = tmp_path / "upstream"
    (folder / "seeds").mkdir(parents=True)
    for name in ("cdc_sources.csv", "table_keys.csv", "databus_sources.csv", "typed_columns.csv"):
        shutil.copy(PROJECT_DIR / "seeds" / name, folder / "seeds")
    shutil.copy(PROJECT_DIR / "dbt_project.yml", folder)
    (folder / "Makefile").write_text("setup:\n\t@touch .setup\n")
    git(folder.parent, "init", "--quiet", "--initial-branch", "main", str(folder))
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "0.1.0")
    return folder


def test_an_update_merges_into_a_fork_with_its_own_seeds_and_snapshots(tmp_path: Path, upstream: Path) -> None:
    fork = tmp_path / "srv" / "watershed"
    fork.parent.mkdir()
    clone = blocks("sh", "git clone")[0].replace("https://git.example.com/watershed.git", str(upstream))
    done = run(clone.replace("/srv/watershed", str(fork)), tmp_path)
    assert done.returncode == 0, done.stderr
    with (fork / "seeds" / "cdc_sources.csv").open("a") as file:
        file.write("shop_orders,datahub_tuple,UTC,\n")
    model = fork / "models" / "typed_snapshots" / "generated" / "snapshot_shop_orders__orders.sql"
    model.parent.mkdir(parents=True)
    model.write_text("select 1\n")
    config = fork / "dbt_project.yml"
    config.write_text(config.read_text().replace("silent_after_minutes: 60", "silent_after_minutes: 15"))
    git(fork, "add", ".")
    git(fork, "commit", "--quiet", "--message", "our configuration")
    shipped = upstream / "dbt_project.yml"
    shipped.write_text(shipped.read_text() + "# a new line of 0.2.0\n")
    git(upstream, "commit", "--quiet", "--all", "--message", "0.2.0")

    # First in a second checkout, as the upgrade has it, then in place.
    (trial,) = blocks("sh", "git worktree add")
    done = run(trial, fork)
    assert done.returncode == 0, done.stderr
    assert "silent_after_minutes: 15" in (fork.with_name("watershed-next") / "dbt_project.yml").read_text()
    done = run(
        next(text for text in blocks("sh", "git merge") if text.startswith("git fetch upstream\ngit merge")), fork
    )
    assert done.returncode == 0, done.stderr
    assert config.read_text().endswith("# a new line of 0.2.0\n")
    assert "silent_after_minutes: 15" in config.read_text()
    assert model.exists()
    assert "shop_orders" in (fork / "seeds" / "cdc_sources.csv").read_text()


def test_what_belongs_to_a_fork_is_shipped_empty() -> None:
    named = re.findall(
        r"`(?:seeds/)?(\w+\.csv)`",
        PAGE.partition("Your files, committed to your fork:")[2].partition("All other files")[0],
    )
    assert len(named) == 4
    for name in named:
        assert len((PROJECT_DIR / "seeds" / name).read_text().splitlines()) == 1, name
    assert not (PROJECT_DIR / "models" / "typed_snapshots").exists()


def test_units_and_timers_are_valid(tmp_path: Path) -> None:
    assert len(UNITS) == 8
    enabled = set(re.search(r"systemctl enable --now (.+)", PAGE)[1].split())  # type: ignore[index]
    assert enabled == {name for name, text in UNITS.items() if "[Install]" in text}
    for name in UNITS:
        assert not name.endswith(".timer") or name.replace(".timer", ".service") in UNITS
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    alert = tmp_path / "watershed-alert"
    alert.write_text("#!/bin/sh\n")
    alert.chmod(0o755)
    environment = tmp_path / "watershed.env"
    environment.write_text(blocks("ini", "WATERSHED_HOME=")[0])
    for name, text in UNITS.items():
        text = text.replace("/srv/watershed/.venv/bin", str(Path(WATERSHED).parent)).replace(
            "/srv/watershed", str(PROJECT_DIR)
        )
        text = text.replace("/usr/local/bin/watershed-alert", str(alert)).replace(
            "/etc/watershed.env", str(environment)
        )
        (tmp_path / name).write_text(text.replace("User=watershed\n", ""))
    names = [name.replace("@", "@x") for name in UNITS]
    (tmp_path / "watershed-alert@x.service").symlink_to(tmp_path / "watershed-alert@.service")
    command = [
        "systemd-analyze",
        "verify",
        "--man=no",
        "--recursive-errors=no",
        *(str(tmp_path / name) for name in names),
    ]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | {"SYSTEMD_UNIT_PATH": f"{tmp_path}:"}
    )
    complaints = [line for line in done.stderr.splitlines() if "watershed" in line]
    assert (done.returncode, complaints) == (0, []), done.stderr


@pytest.mark.parametrize("call", sorted({match[0].strip() for match in CALL.finditer(PAGE)}))
def test_commands_of_schedulers_are_taken(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT_DIR)
    words = shlex.split(call)
    if words[1] == "with-server":
        assert Path(words[2]).name in PROGRAMS
        words = words[2:]
    group = PROGRAMS[Path(words[0]).name]
    with click.Context(group, info_name="x") as context:
        options = group.make_parser(context).parse_args(words[1:])[1]
        name, command, rest = group.resolve_command(context, options)
        assert command is not None
        command.make_context(name, rest, parent=context)


def test_selectors_are_those_of_the_project() -> None:
    selectors = set(re.findall(r"--selector (\w+)|selector:(\w+)", PAGE))
    assert {one or other for one, other in selectors} == {"increment_typed"}
    assert "- name: increment_typed\n" in (PROJECT_DIR / "selectors.yml").read_text()


def test_scripts_have_no_syntax_errors() -> None:
    for kind, text in BLOCKS:
        if kind == "python":
            compile(text, "production.md", "exec")
        elif kind in ("sh", "bash"):
            done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
            assert (done.returncode, done.stderr) == (0, ""), text
    crontab = PAGE.partition("### cron\n\n```\n")[2].partition("```")[0]
    jobs = [line for line in crontab.splitlines() if not re.match(r"[A-Z_]+=", line)]
    assert len(jobs) == 4
    for job in jobs:
        assert re.match(r"(@reboot|(?:[\d*/]+ ){4}[\d*]) +cd /srv/watershed && ", job), job
        assert "%" not in job, "cron takes it for a line break"


def test_metrics_are_made_of_a_status(tmp_path: Path) -> None:
    (script,) = blocks("python", "watershed_exit_code")
    source = {"source_name": 'shop "1"', "unread": 3, "lag_seconds": None}
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps({"exit_code": 1, "sources": [source]}),
        capture_output=True,
        text=True,
    )
    assert done.stdout == 'watershed_exit_code 1\nwatershed_unread{source="shop \\"1\\""} 3\n'
    members = (PROJECT_DIR / "docs" / "monitoring.md").read_text()
    assert all(f"`{name}`" in members for name in ("exit_code", "sources", "source_name", "unread", "lag_seconds"))


def test_a_restored_home_knows_what_has_landed(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "seeds").mkdir(parents=True)
    shutil.copy(PROJECT_DIR / "dbt_project.yml", project)
    for seed in (PROJECT_DIR / "seeds").glob("*.csv"):
        shutil.copy(seed, project / "seeds")
    with (project / "seeds" / "cdc_sources.csv").open("a") as file:
        file.write("shop,datahub_blob,UTC,\n")
    (project / "shop.jsonl").write_text('{"topic": "t", "partition": 0, "offset": 0, "value": "{}"}\n')
    land = f"{WATERSHED} land --source shop shop.jsonl"
    done = run(land, project, WATERSHED_HOME=str(tmp_path / "old"))
    assert "Landed 1 message" in done.stdout, done.stderr
    for folder in ("kafka", "conf"):
        (tmp_path / "old" / folder).mkdir(exist_ok=True)
    (backup,) = blocks("sh", "tar --create")
    restore = blocks("sh", "tar --extract")[0].partition(".venv/bin/")[0]
    for script, home in ((backup, "old"), (restore, "new")):
        script = script if shutil.which("zstd") else script.replace("--zstd ", "")
        done = run(script.replace("/var/lib/watershed", str(tmp_path / home)), tmp_path)
        assert done.returncode == 0, done.stderr
    done = run(land, project, WATERSHED_HOME=str(tmp_path / "new"))
    assert "these bytes landed before" in done.stdout
    assert "Nothing new has landed." in done.stdout


def test_the_image_has_what_setup_requires() -> None:
    dockerfile = (PROJECT_DIR / "Dockerfile").read_text()
    version = re.search(r"^FROM python:([\d.]+)-slim-(\w+) AS base$", dockerfile, re.MULTILINE)
    assert version is not None
    assert f"{version[1]}.9" in SpecifierSet(
        re.search(r'requires-python = "(.+)"', (PROJECT_DIR / "pyproject.toml").read_text())[1]
    )  # type: ignore[index]
    setup = (PROJECT_DIR / "scripts" / "setup.sh").read_text()
    java = re.search(r"apt-get install (openjdk-\d+-jre-headless)", setup)
    assert java is not None
    assert {java[1], "make"} <= set(dockerfile.split())
    names = {line.split()[0] for line in re.sub(r"\\\n", " ", dockerfile).splitlines() if line and line[0] != "#"}
    assert names <= {"FROM", "RUN", "COPY", "USER", "WORKDIR", "ENV", "VOLUME", "ENTRYPOINT", "CMD"}
    ignored = set((PROJECT_DIR / ".dockerignore").read_text().split())
    assert {".git", ".venv", ".watershed", ".watershed-samples", "target"} <= ignored
    editor = json.loads((PROJECT_DIR / ".devcontainer" / "devcontainer.json").read_text())
    build = editor["build"]
    assert (PROJECT_DIR / ".devcontainer" / build["dockerfile"]).resolve() == PROJECT_DIR / "Dockerfile"
    assert f"AS {build['target']}\n" in dockerfile
    assert f"useradd --create-home {editor['remoteUser']}\n" in dockerfile
    assert editor["postCreateCommand"] == "make setup"
