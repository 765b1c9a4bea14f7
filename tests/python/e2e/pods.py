"""What Spark's driver asks of Kubernetes' API but for watches, made up: a pod is a process of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from conftest import PROJECT_DIR
from ports import ADDRESS, SECONDS

from watershed.server.jars import spark_environment

EXECUTOR = str(PROJECT_DIR / "scripts" / "executor.sh")
_OF_POD = {"status.podIP": lambda _: ADDRESS, "metadata.name": lambda name: name}


@dataclass
class Pods:
    """What was created, and the processes of the pods, by name.

    Args:
        folder: Where they run, each with a log of its name.
    """

    folder: Path
    created: list[dict[str, Any]] = field(default_factory=list)
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.created if one["kind"] == kind]

    def create(self, one: dict[str, Any]) -> dict[str, Any]:
        """Keep it as the server would give it back; run it if it is a pod."""
        one["metadata"] |= {"uid": str(len(self.created)), "creationTimestamp": "2026-01-01T00:00:00Z"}
        if one["kind"] == "Pod":
            name = one["metadata"]["name"]
            [container] = one["spec"]["containers"]
            given = {entry["name"]: _value(entry, name) for entry in container["env"]}
            environment = {"PATH": os.environ["PATH"], "SPARK_HOME": spark_environment()["SPARK_HOME"]} | given
            with (self.folder / f"{name}.log").open("wb") as log:
                self.running[name] = subprocess.Popen(
                    [EXECUTOR, *container["args"]], env=environment, cwd=self.folder, stdout=log, stderr=log
                )
        self.created.append(one)
        return one

    def pods(self) -> list[dict[str, Any]]:
        """The current state of the pods that were not deleted."""
        listed = []
        for pod in self.of_kind("Pod"):
            process = self.running.get(pod["metadata"]["name"])
            if process is not None:
                code = process.poll()
                phase = "Running" if code is None else "Failed" if code else "Succeeded"
                listed.append(pod | {"status": {"phase": phase, "podIP": ADDRESS}})
        return listed

    def delete(self, names: list[str]) -> None:
        for process in [self.running.pop(name) for name in names]:
            process.terminate()
            process.wait(SECONDS)


def _value(entry: dict[str, Any], name: str) -> str:
    """Return the value of a variable, which may be a field of the pod."""
    if "value" in entry:
        return str(entry["value"])
    return _OF_POD[entry["valueFrom"]["fieldRef"]["fieldPath"]](name)


@contextlib.contextmanager
def running_api(folder: Path) -> Iterator[tuple[str, Pods]]:
    """Answer at the address that is given, by plain HTTP; pods that are left end with it."""
    held = Pods(folder)
    folder.mkdir(parents=True, exist_ok=True)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            is_list = self.path.partition("?")[0].endswith("/pods")
            pods = {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": held.pods()}
            self._answer(pods if is_list else {"kind": "Status", "status": "Failure"}, 200 if is_list else 404)

        def do_POST(self) -> None:
            self._answer(held.create(self._body()), 201)

        def do_PATCH(self) -> None:
            self._answer(self._body())

        def do_DELETE(self) -> None:
            self._body()
            place, _, name = self.path.partition("?")[0].rpartition("/")
            held.delete([name] if place.endswith("/pods") else list(held.running) if name == "pods" else [])
            self._answer({"kind": "Status", "apiVersion": "v1", "status": "Success"})

        def _body(self) -> dict[str, Any]:
            text = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return dict(json.loads(text)) if text else {}

        def _answer(self, content: dict[str, Any], code: int = 200) -> None:
            text = json.dumps(content).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    with ThreadingHTTPServer((ADDRESS, 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://{ADDRESS}:{server.server_address[1]}", held
        finally:
            held.delete(list(held.running))
            server.shutdown()
