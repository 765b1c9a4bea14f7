"""Benchmarks: Watershed compared with alternatives, on the same bytes in the same run."""
