"""Names: with or without their collection, as people type them."""


def match_name(name: str) -> str:
    """`"matches/x"` for `"x"` and for `"matches/x"`."""
    return _in_collection("matches/", name)


def ruleset_name(name: str) -> str:
    """`"rulesets/short"` for `"short"` and for `"rulesets/short"`."""
    return _in_collection("rulesets/", name)


def bot_name(name: str) -> str:
    """`"bots/simple"` for `"simple"` and for `"bots/simple"`."""
    return _in_collection("bots/", name)


def simulation_name(name: str) -> str:
    """`"simulations/x"` for `"x"` and for `"simulations/x"`."""
    return _in_collection("simulations/", name)


def _in_collection(prefix: str, name: str) -> str:
    return name if not name or name.startswith(prefix) else prefix + name
