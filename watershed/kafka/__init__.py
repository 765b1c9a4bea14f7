"""Landing from Kafka: `watershed land-kafka`."""
