"""Health of data and server: facts from the server and dbt's files, and the verdict on them."""
