"""What only the Databus formats need."""
