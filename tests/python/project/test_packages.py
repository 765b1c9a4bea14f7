"""The packages that `pip install` copies are those of the repository: a missing one breaks the setup of a new clone."""

import tomllib

from conftest import PROJECT_DIR


def test_pyproject_names_the_packages_that_exist() -> None:
    named = tomllib.loads((PROJECT_DIR / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    roots = {"watershed": PROJECT_DIR / "watershed", "watershed_udfs": PROJECT_DIR / "udfs" / "watershed_udfs"}
    found = {
        ".".join((name, *file.parent.relative_to(root).parts))
        for name, root in roots.items()
        for file in root.rglob("__init__.py")
    }
    assert set(named) == found
