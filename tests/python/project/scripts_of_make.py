"""The scripts that make runs, as modules."""

from __future__ import annotations

import importlib.util
from types import ModuleType

from conftest import PROJECT_DIR


def script(name: str) -> ModuleType:
    """Return a file of scripts/ as a module."""
    spec = importlib.util.spec_from_file_location(name, PROJECT_DIR / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
