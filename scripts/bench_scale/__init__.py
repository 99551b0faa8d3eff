"""What one server process costs with many matches, each figure beside its aim."""
