"""Files of messages and Avro schemas into the Delta tables of landing, without a JVM."""
