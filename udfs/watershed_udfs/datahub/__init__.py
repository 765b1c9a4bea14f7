"""What only the DataHub formats need."""
