"""`watershed snapshots`: generates typed snapshot models from the columns found in messages."""
