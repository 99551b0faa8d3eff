"""`ginrummy-load`: plays many matches against a server at once, and checks what it is shown."""
