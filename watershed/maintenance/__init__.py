"""`watershed maintain`: compaction of landing, and old files of all tables."""
