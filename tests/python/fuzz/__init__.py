"""Differential tests with made-up input: `make fuzz` runs them for as long as one likes, the suite for a moment."""
