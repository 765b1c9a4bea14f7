"""How the data and the server are: facts from the server and the files of dbt, and the verdict on them."""
