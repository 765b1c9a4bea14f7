"""seeds/anomaly_kinds.csv has the kinds of anomalies that the reports list, and no others."""

import csv
import re
from collections import defaultdict

import yaml
from conftest import PROJECT_DIR

from watershed.health.questions import ANOMALIES

REPORTS = PROJECT_DIR / "models" / "reports"
# The SQL of a report writes a kind as 'tie' as anomaly, or as if(.., 'chain_break', null) in an array of anomalies.
LISTED = re.compile(r"select '(\w+)'|'(\w+)'(?=(?:, '\w+' ?\))? as anomaly| ?\) as anomaly|(?:, '\w+')?\)?, null ?\))")


def kinds_of(model: str) -> set[str]:
    """Return the kinds that a report can list."""
    if model == "databus_windows":
        return {"missing_end_of_period", *re.findall(r"if\(is_\w+, '(\w+)', null\)", ANOMALIES[model])}
    if model == "schema_drift":
        models = yaml.safe_load((REPORTS / "_reports__models.yml").read_text("utf-8"))["models"]
        [columns] = [one["columns"] for one in models if one["name"] == model]
        [tests] = [column["data_tests"] for column in columns if column["name"] == "change_kind"]
        return set(tests[0]["accepted_values"]["arguments"]["values"])
    sql = " ".join((REPORTS / f"{model}.sql").read_text("utf-8").split())
    return {kind for pair in LISTED.findall(sql) for kind in pair if kind}


def test_each_kind_of_anomaly_is_explained_once() -> None:
    with (PROJECT_DIR / "seeds" / "anomaly_kinds.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    explained = defaultdict(set)
    for row in rows:
        explained[row["model_name"]].add(row["anomaly"])
    assert len({row["anomaly"] for row in rows}) == len(rows)
    assert all(row["meaning"] for row in rows)
    assert explained == {model: kinds_of(model) for model in ANOMALIES}
