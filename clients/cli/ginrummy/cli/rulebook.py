"""`rules`: what the server's rulesets are, option by option."""

from __future__ import annotations

from rich.cells import cell_len

from ginrummy.cli.connect import throwaway
from ginrummy.cli.rule_options import rule_lines
from ginrummy.cli.run import Run
from ginrummy.client import GinRummyClient
from ginrummy.v1.rules_pb2 import Rules, Ruleset


async def rules(run: Run, name: str, overrides: Rules) -> None:
    """One ruleset with all its options, or the list of them."""
    async with throwaway(run.server, run.access) as server:
        if name:
            _tell(run, await _found(server.client, name, overrides))
        else:
            await _list(run, server.client)


async def _found(client: GinRummyClient, name: str, overrides: Rules) -> Ruleset:
    return await client.ruleset(name, overrides if overrides.ListFields() else None)


async def _list(run: Run, client: GinRummyClient) -> None:
    for ruleset in await client.rulesets():
        if run.output.json:
            run.output.message("ruleset", ruleset)
            continue
        short = ruleset.name.removeprefix("rulesets/")
        meaning = run.words.or_plain(f"ruleset-{short}", ruleset.description)
        run.output.line(f"{short:<12}{meaning}")
    for bot in await client.bots():
        if run.output.json:
            run.output.message("bot", bot)
            continue
        short = bot.name.removeprefix("bots/")
        meaning = run.words.or_plain(f"bot-{short}", bot.description)
        run.output.line(f"--bot {short:<10}  {meaning}")
    if not run.output.json:
        run.output.line(run.words("rules-how"), "muted")


def _tell(run: Run, ruleset: Ruleset) -> None:
    if run.output.json:
        run.output.message("ruleset", ruleset)
        return
    words, output = run.words, run.output
    short = ruleset.name.removeprefix("rulesets/")
    output.line(short, "title")
    output.line(words.or_plain(f"ruleset-{short}", ruleset.description))
    output.line()
    rows = rule_lines(ruleset.rules, words)
    rows += _manners(run, ruleset)
    label = max(cell_len(row[0]) for row in rows)
    value = max(cell_len(row[1]) for row in rows)
    longest = max(cell_len(row[2]) for row in rows)
    is_narrow = output.interactive and label + value + longest + 10 > output.console.width
    for what, is_set, option in rows:
        dots = " ".join(["", "·" * (label - cell_len(what) + 2), ""])
        if is_narrow:
            output.line(f"  {what}{dots}{is_set}")
            for line in _folded(option, output.console.width - 8):
                output.line(f"      {line}", "muted")
        else:
            gap = " " * (value - cell_len(is_set))
            output.line(f"  {what}{dots}{is_set}{gap}   {option}".rstrip())
    output.line()
    output.line(words("rules-change-how", ruleset=short), "muted")


def _folded(option: str, width: int) -> list[str]:
    """The option's choices on as many lines as they take."""
    first, *others = option.split("|")
    lines = [first]
    for choice in others:
        lines[-1] += "|"
        if cell_len(lines[-1] + choice) <= width:
            lines[-1] += choice
        else:
            lines.append(choice)
    return lines


def _manners(run: Run, ruleset: Ruleset) -> list[tuple[str, str, str]]:
    """What is no rule: clock, hints, bot."""
    words = run.words
    turn = ruleset.clock.turn_time.ToTimedelta().total_seconds()
    allowed = ", ".join(f"{time.ToTimedelta().total_seconds():g}" for time in ruleset.turn_times)
    clock = words("seconds", seconds=f"{turn:g}") if turn else words("value-none")
    if allowed:
        clock = words("clock-of", clock=clock, allowed=allowed)
    bot = ruleset.usual_bot.removeprefix("bots/") or words("value-none")
    return [
        (words("manners-clock"), clock, "--turn-time"),
        (words("manners-hints"), words("value-on" if ruleset.hints else "value-off"), "--hints"),
        (words("manners-bot"), bot, "--bot"),
    ]
