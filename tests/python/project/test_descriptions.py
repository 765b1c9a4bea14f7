"""Descriptions of columns fit into the metastore: it has room for 256 characters, and retries longer ones for 20 s."""

from __future__ import annotations

import re

import pytest
import yaml
from conftest import PROJECT_DIR

MOST_CHARACTERS = 255
DOCS = {
    name: text
    for page in (PROJECT_DIR / "models").rglob("*.md")
    for name, text in re.findall(r"{% docs (\w+) %}\n(.*?)\n{% enddocs %}", page.read_text("utf-8"), re.DOTALL)
}
FILES = sorted((PROJECT_DIR / "models").rglob("_*__models.yml"))


def described(text: str) -> str:
    """Return a description with its doc blocks in place."""
    return re.sub(r"{{ doc\('(\w+)'\) }}", lambda found: DOCS[found[1]], text).strip()


@pytest.mark.parametrize("file", FILES, ids=[file.parent.name for file in FILES])
def test_descriptions_of_columns_fit_into_the_metastore(file) -> None:  # noqa: ANN001
    too_long = {
        f"{model['name']}.{column['name']}": len(text)
        for model in yaml.safe_load(file.read_text("utf-8"))["models"]
        for column in model.get("columns", [])
        if len(text := described(column.get("description", ""))) > MOST_CHARACTERS
    }
    assert too_long == {}
