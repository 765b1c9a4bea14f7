"""Functions of the Databus formats."""
