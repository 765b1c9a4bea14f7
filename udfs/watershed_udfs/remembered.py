"""A cache of results per text, bounded in bytes: no pyspark, no Arrow."""

import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")

ENTRY_BYTES = 500
"""Size of an entry in addition to its text."""


def remembered(
    most_bytes: int, most_bytes_of_one: int, size_of: Callable[[Any], int] = len
) -> Callable[[Callable[[Any], Result]], Callable[[Any], Result]]:
    """Keep the results (not None) of a function of one argument.

    Args:
        most_bytes: the bound of all kept arguments, at which all results are dropped.
        most_bytes_of_one: the result of a larger argument is not kept.
        size_of: the bytes of an argument.
    """

    def decorate(function: Callable[[Any], Result]) -> Callable[[Any], Result]:
        known: dict[Hashable, Result] = {}
        kept_bytes = 0

        @functools.wraps(function)
        def call(key: Hashable) -> Result:
            nonlocal kept_bytes
            found = known.get(key)
            if found is None:
                found = function(key)
                size = size_of(key) + ENTRY_BYTES
                if found is not None and size <= most_bytes_of_one:
                    if kept_bytes + size > most_bytes:
                        known.clear()
                        kept_bytes = 0
                    known[key] = found
                    kept_bytes += size
            return found

        return call

    return decorate
