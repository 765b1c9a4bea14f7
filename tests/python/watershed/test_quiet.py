"""Statements that run only while nobody else uses the server: what happens when somebody comes, or stays."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from TCLIService.ttypes import TOperationState as State

from watershed import quiet
from watershed.client import QueryError
from watershed.quiet import run_while_quiet

OURS = 2
CONFLICT = "[DELTA_CONCURRENT_APPEND] Transaction conflict detected."


class MadeUpServer:
    """Answers as Spark's server does; a statement takes as long as `clients` lets it."""

    def __init__(self) -> None:
        self.clients = OURS
        self.said: list[str] = []
        self.cancelled: list[str] = []
        self.error = ""
        self.comes_in: set[str] = set()
        self.comes_behind = ""
        self._ended = threading.Event()

    @contextlib.contextmanager
    def connect(self, *_: object) -> Iterator[Any]:
        yield SimpleNamespace(
            execute=self.execute,
            poll=self.poll,
            _operationHandle="handle",
            _connection=SimpleNamespace(client=SimpleNamespace(CancelOperation=self.cancel)),
        )

    def execute(self, statement: str, async_: bool) -> None:
        assert async_
        self.said.append(statement)
        self.state = State.FINISHED_STATE
        self._ended.clear()
        if statement in self.comes_in:  # a build connects meanwhile, and is done when it has gone
            self.comes_in.remove(statement)
            self.clients += 1
        else:
            self._ended.set()

    def poll(self) -> SimpleNamespace:
        if not self._ended.wait(0.01):
            return SimpleNamespace(operationState=State.RUNNING_STATE, errorMessage=None)
        self.clients += self.said[-1] == self.comes_behind  # and stays
        state = State.ERROR_STATE if self.error else self.state
        return SimpleNamespace(operationState=state, errorMessage=self.error or None)

    def cancel(self, request: SimpleNamespace) -> None:
        assert request.operationHandle == "handle"
        self.cancelled.append(self.said[-1])
        self.state = State.CANCELED_STATE
        self.clients -= 1
        self._ended.set()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> MadeUpServer:
    made_up = MadeUpServer()
    monkeypatch.setattr(quiet, "connect", made_up.connect)
    monkeypatch.setattr(quiet, "run", lambda _, statement: made_up.said.append(statement))
    monkeypatch.setattr(quiet, "clients_of", lambda _: made_up.clients)
    monkeypatch.setattr(quiet, "_QUIET_SECONDS", 0.1)
    monkeypatch.setattr(quiet, "_PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(quiet, "_POLL_SECONDS", 0.01)
    return made_up


def test_each_statement_runs_once_behind_the_settings(server: MadeUpServer) -> None:
    assert run_while_quiet(1, ["set a", "set b"], {"one": "optimize 1", "two": "optimize 2"}) == []
    assert server.said == ["set a", "set b", "optimize 1", "optimize 2"]
    assert server.cancelled == []


def test_who_comes_goes_first_and_the_statement_is_tried_again(server: MadeUpServer) -> None:
    server.comes_in = {"optimize 1"}
    assert run_while_quiet(1, [], {"one": "optimize 1", "two": "optimize 2"}) == []
    assert server.said == ["optimize 1", "optimize 1", "optimize 2"]
    assert server.cancelled == ["optimize 1"]


def test_beside_one_who_stays_nothing_is_begun(server: MadeUpServer) -> None:
    server.clients += 1
    assert run_while_quiet(1, [], {"one": "optimize 1", "two": "optimize 2"}) == ["one", "two"]
    assert server.said == []


def test_who_comes_at_the_end_of_a_statement_keeps_the_next_one_from_it(server: MadeUpServer) -> None:
    server.comes_behind = "optimize 1"
    assert run_while_quiet(1, [], {"one": "optimize 1", "two": "optimize 2"}) == ["two"]
    assert server.said == ["optimize 1"]


def test_what_delta_refuses_is_left_after_some_tries(server: MadeUpServer) -> None:
    server.error = CONFLICT
    assert run_while_quiet(1, [], {"one": "optimize 1"}) == ["one"]
    assert server.said == ["optimize 1"] * 3


def test_what_fails_by_itself_is_told_in_its_first_line(server: MadeUpServer) -> None:
    server.error = "No space left on device\n\tat java.io.FileOutputStream"
    with pytest.raises(QueryError, match=r"^The server failed: No space left on device$"):
        run_while_quiet(1, [], {"one": "optimize 1"})
