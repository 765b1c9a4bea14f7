"""Watershed's Spark functions: pure functions, their Arrow wrappers (`arrow`) and their registry (`registry`)."""
