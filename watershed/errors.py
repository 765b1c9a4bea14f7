"""Errors that the command line prints instead of a traceback."""


class InterruptError(Exception):
    """The user interrupted a command; the text describes the state of its work."""


class WatershedError(Exception):
    """An error that the user can correct; the text is printed without a traceback.

    Args:
        problem: Expected and found, with file, line, source or option.
        remedy: The next step, as a sentence; empty if the problem implies it.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        """Join both parts into the printed text."""
        super().__init__(f"{problem}\n  {remedy}" if remedy else problem)
