"""What the command line shows to its user in place of a traceback."""


class InterruptError(Exception):
    """The user has ended a command; the text says what has become of its work."""


class WatershedError(Exception):
    """Something the user can put right; the text is shown as it is, without a traceback.

    Args:
        problem: What was expected and what was found, with file, line, source or option.
        remedy: What to do next, as a sentence; empty where the problem already says it.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        """Join both parts into the text that is shown."""
        super().__init__(f"{problem}\n  {remedy}" if remedy else problem)
