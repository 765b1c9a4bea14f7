"""The command line of Watershed: serve, land, sql."""
