"""Watershed's Spark functions: pure functions, their Arrow wrappers (`arrow`) and the one list of them (`registry`)."""
