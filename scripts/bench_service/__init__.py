"""What a move costs the service, beside a server that moves the same messages and does nothing."""
