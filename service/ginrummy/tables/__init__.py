"""Live matches: order of commands, clocks, bots, and what each watcher is shown.

Between the log, which keeps what was accepted, and the server, which knows callers and the wire.
"""
