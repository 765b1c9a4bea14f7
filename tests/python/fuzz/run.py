"""Runs targets on made-up cases and writes down each failure; `python -m fuzz.run --help`."""

from __future__ import annotations

import argparse
import hashlib
import json
import secrets
import time
import traceback
from pathlib import Path
from random import Random

from fuzz.targets import TARGETS, Case

FAILURES = Path(__file__).parent / "failures"


def fuzz(name: str, seed: int, seconds: float, most_cases: int | None = None) -> tuple[int, list[Path]]:
    """Check cases of one target until time or cases are used up; give how many, and the files of those that failed."""
    target, count, failed = TARGETS[name], 0, []
    end = time.monotonic() + seconds
    while time.monotonic() < end and (most_cases is None or count < most_cases):
        case = target.make(Random(f"{seed} {count}"))
        count += 1
        try:
            target.check(case)
        except Exception:
            failed.append(write_failure(name, case, f"seed {seed}, case {count - 1}\n{traceback.format_exc()}"))
            if len(failed) == 10:
                break
    return count, failed


def write_failure(name: str, case: Case, reason: str) -> Path:
    """Keep a case that failed; `test_fuzz.py` checks it from then on."""
    content = json.dumps({"target": name, "case": case, "reason": reason}, indent=1) + "\n"
    path = FAILURES / f"{name}-{hashlib.sha256(json.dumps(case).encode()).hexdigest()[:12]}.json"
    FAILURES.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def main() -> int:
    """Fuzz from the command line; 1 if something failed."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together (default: %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=secrets.randbelow(10**9), help="default: a new one, which is printed"
    )
    parser.add_argument("--target", action="append", choices=list(TARGETS), help="default: all")
    options = parser.parse_args()
    names = options.target or list(TARGETS)
    print(f"seed {options.seed}", flush=True)
    failures = []
    for name in names:
        count, failed = fuzz(name, options.seed, options.seconds / len(names))
        failures += failed
        print(f"{name}: {count:,} cases, {len(failed)} failed", flush=True)
        for path in failed:
            print(f"  {path}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
