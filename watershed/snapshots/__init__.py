"""`watershed snapshots`: the files of typed snapshot models, from the columns that were seen."""
