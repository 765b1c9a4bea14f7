"""Landing of message files and Avro schemas into Delta tables, without a JVM."""
