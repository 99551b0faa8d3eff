"""Which release of grpcio, which event loop and which settings carry messages for the least CPU."""
