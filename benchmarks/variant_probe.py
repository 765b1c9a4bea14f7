"""The two ways to open JSON, side by side: staging of Blob alone, with the UDF and with VARIANT in SQL.

Both write the same columns of the staging model to Delta. The second statement is the first with one expression
replaced, so that nothing but the opening differs.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks.machine import Timing
from benchmarks.watershed_side import Project

MODEL = "stg_datahub_blob__events"
STATISTICS_COLUMNS = "batch_id,source_name,event_at,sequence_number"
_OPENING = re.compile(r"open_json\(value, r'(?P<members>[^']*)'\) as opened\s+from (?P<source>\S+)")


def run_udf(project: Project) -> Timing:
    """Write the staging model as it is; return the time."""
    return project.write_table("udf", compiled_staging(project), STATISTICS_COLUMNS)


def run_variant(project: Project) -> Timing:
    """Write the staging model with VARIANT in place of the UDF; return the time."""
    return project.write_table("variant", variant_statement(compiled_staging(project)), STATISTICS_COLUMNS)


def variant_statement(statement: str) -> str:
    """Replace the call of open_json by VARIANT functions that give the same struct.

    Strict as far as VARIANT can be: text behind the value is found by a member that is put behind it. Long numbers,
    numbers with an exponent and halves of surrogate pairs would need another path, which is not measured here.
    """
    found = _OPENING.search(statement)
    if found is None:
        raise ValueError(f"the compiled {MODEL} has no `open_json(value, r'..') as opened` to replace")
    texts = ", ".join(_member(path, kind) for path, kind, *_ in json.loads(found["members"]))
    opened = (
        f"named_struct('members', array({texts}), "
        "'error_code', if(message is null, 'malformed_json', null), 'error_detail', '') as opened "
        "from (select *, if(is_valid_utf8(cast(value as string)), "
        """try_parse_json(concat('{"message":', cast(value as string), ',"end":true}')), null) as message """
        f"from {found['source']})"
    )
    # An error makes its struct field not null, as with the UDF.
    return statement[: found.start()] + opened + statement[found.end() :]


def compiled_staging(project: Project) -> str:
    """Return the SQL of the staging model as dbt compiled it."""
    files = list(project.target.glob(f"compiled/**/{MODEL}.sql"))
    if len(files) != 1:
        raise ValueError(f"{len(files)} compiled files of {MODEL} in {project.target}; one is expected")
    return Path(files[0]).read_text(encoding="utf-8")


def _member(path: str, kind: str) -> str:
    steps = "".join(f".{name}" for name in path.split("."))
    if kind == "text":
        return f"try_variant_get(message, '$.message{steps}', 'string')"
    return f"to_json(try_variant_get(message, '$.message{steps}', 'variant'))"
