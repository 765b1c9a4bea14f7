"""`watershed maintain`: compaction of landing, and removal of old files of all tables."""
