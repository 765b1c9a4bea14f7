"""Benchmarks: Watershed beside other ways to do the same, on the same bytes in the same run."""
