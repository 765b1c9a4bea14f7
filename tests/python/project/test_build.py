"""The output of `make build`, from dbt's events."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from scripts_of_make import script


def event(name: str, **data: object) -> SimpleNamespace:
    info = SimpleNamespace(name=name, level=data.pop("level", "info"), msg=data.get("msg", ""))
    return SimpleNamespace(info=info, data=SimpleNamespace(**data))


def finished(node: str, status: str) -> SimpleNamespace:
    return event("NodeFinished", node_info=SimpleNamespace(node_name=node, node_status=status))


def told(
    monkeypatch: pytest.MonkeyPatch, success: bool, *events: SimpleNamespace, exception: BaseException | None = None
) -> int:
    build = script("build")

    def runner(callbacks: list[Callable[[Any], None]]) -> SimpleNamespace:
        def invoke(command: list[str]) -> SimpleNamespace:
            assert {"--quiet", "build"} < set(command)
            for one in events:
                callbacks[0](one)
            return SimpleNamespace(success=success, exception=exception)

        return SimpleNamespace(invoke=invoke)

    times: Iterator[float] = iter(range(1, 99))
    monkeypatch.setattr(build, "dbtRunner", runner)
    monkeypatch.setattr(build, "findings", lambda: print("Findings of the last build: .."))
    monkeypatch.setattr(build.time, "time", lambda: next(times))
    code = build.main()
    assert isinstance(code, int)
    return code


def test_a_build_prints_a_few_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    notice, found = "seeds/table_keys.csv has changed. Rebuild.", "1 tests or seeds failed or warned (t)."
    events = [finished("events", "success"), event("JinjaLogInfo", msg=f"{notice}\n"), finished("t", "warn")]
    events.append(event("JinjaLogInfo", msg=found))
    said = f"{notice}\n\n{found}"
    assert told(monkeypatch, True, event("LogStartLine", total=2), *events) == 0
    assert capsys.readouterr().out == (
        "   1.0 s  dbt build: 2 models, seeds and tests, 1 warning, 0 errors\n\n"
        f"{said}\n\nFindings of the last build: ..\n\n"
        "Full log: target/dbt.log. Progress of the sources: .venv/bin/watershed status, make report\n"
    )


def test_failures_are_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert told(monkeypatch, False, finished("events", "error"), finished("t", "fail")) == 1
    failed = "dbt build failed: events, t. Full log: target/dbt.log\n\nFindings of the last build: ..\n"
    assert capsys.readouterr().out.endswith(failed)
    assert told(monkeypatch, False) == 1
    assert "dbt build failed: before its first model." in capsys.readouterr().out


def test_errors_of_dbt_are_printed_without_its_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    errors = [event(name, level="error", msg=f"{name} text") for name in ("MainEncounteredError", "MainStackTrace")]
    assert told(monkeypatch, False, *errors) == 1
    printed = capsys.readouterr().out
    assert "MainEncounteredError text\ndbt build failed" in printed
    assert "MainStackTrace" not in printed


def test_ctrl_c_prints_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    error = event("MainEncounteredError", level="error", msg="Encountered an error:")
    with pytest.raises(KeyboardInterrupt):
        told(monkeypatch, False, error, exception=KeyboardInterrupt())
    assert "error" not in capsys.readouterr().out
