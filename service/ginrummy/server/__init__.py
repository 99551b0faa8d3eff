"""The gRPC service: callers, the wire, errors and streams over the tables."""
