"""A cache of results per text, bounded in bytes: no pyspark, no Arrow."""

import functools
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

Result = TypeVar("Result")

ENTRY_BYTES = 500
"""Size of an entry in addition to its text."""


class Remembered:
    """Results by key. The cache is cleared when it reaches its bound; overlong texts are never cached.

    Args:
        most_bytes: the bound.
        most_bytes_of_one: what is larger is not kept.
    """

    def __init__(self, most_bytes: int, most_bytes_of_one: int) -> None:
        """Start with nothing."""
        self._most_bytes = most_bytes
        self._most_bytes_of_one = most_bytes_of_one
        self._bytes = 0
        self._known: dict[Hashable, Any] = {}
        self.get = self._known.get

    def keep(self, key: Hashable, result: object, size: int) -> None:
        """Keep a result that is not None, if its text of `size` bytes is not too long."""
        size += ENTRY_BYTES
        if size > self._most_bytes_of_one:
            return
        if self._bytes + size > self._most_bytes:
            self._known.clear()
            self._bytes = 0
        self._known[key] = result
        self._bytes += size


def remembered(
    most_bytes: int, most_bytes_of_one: int, size_of: Callable[[Any], int] = len
) -> Callable[[Callable[[Any], Result]], Callable[[Any], Result]]:
    """Keep the results (not None) of a function of one argument, as `Remembered` does."""

    def decorate(function: Callable[[Any], Result]) -> Callable[[Any], Result]:
        known = Remembered(most_bytes, most_bytes_of_one)

        @functools.wraps(function)
        def call(key: Hashable) -> Result:
            found: Result | None = known.get(key)
            if found is None:
                found = function(key)
                known.keep(key, found, size_of(key))
            return found

        return call

    return decorate
