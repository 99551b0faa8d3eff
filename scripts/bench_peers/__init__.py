"""Measures the engine from Python beside the Python calls of its peers: `make bench-peers`."""
