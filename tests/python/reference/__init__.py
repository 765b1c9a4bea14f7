"""What the functions in Java must give: the same rules in Python, called by tests only (ADR 0003)."""
