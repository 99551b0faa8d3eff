"""What to play, chosen from a numbered list when nobody said it and somebody can be asked."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence

from ginrummy.cli.faults import CommandError
from ginrummy.cli.run import Run
from ginrummy.client import GinRummyClient
from ginrummy.v1.rules_pb2 import Ruleset

DEFAULT_RULESET = "short"
DEFAULT_BOT = "simple"


async def chosen_ruleset(run: Run, client: GinRummyClient, name: str) -> Ruleset:
    """The named ruleset, the one chosen, or the default."""
    offered = {
        ruleset.name.removeprefix("rulesets/"): ruleset for ruleset in await client.rulesets()
    }
    wanted = name.removeprefix("rulesets/")
    if not wanted:
        default = DEFAULT_RULESET if DEFAULT_RULESET in offered else next(iter(offered))
        names = [default, *(short for short in offered if short != default)]
        rows = [(short, _described(run, short, offered[short])) for short in names]
        wanted = await _ask(run, "choose-ruleset", rows, default)
    if wanted not in offered:
        raise CommandError("unknown-ruleset", name=wanted, allowed=", ".join(offered))
    return offered[wanted]


def _described(run: Run, short: str, ruleset: Ruleset) -> str:
    return run.words.or_plain(f"ruleset-{short}", ruleset.description)


async def chosen_bot(run: Run, client: GinRummyClient, name: str, ruleset: Ruleset) -> str:
    """The named bot, the one chosen, or the one that usually plays this ruleset."""
    offered = {bot.name.removeprefix("bots/"): bot for bot in await client.bots()}
    wanted = name.removeprefix("bots/")
    if not wanted:
        usual = ruleset.usual_bot.removeprefix("bots/")
        default = usual if usual in offered else DEFAULT_BOT
        rows = [
            (short, run.words.or_plain(f"bot-{short}", bot.description))
            for short, bot in offered.items()
        ]
        wanted = default if len(rows) == 1 else await _ask(run, "choose-bot", rows, default)
    if wanted not in offered:
        raise CommandError("unknown-bot", name=wanted, allowed=", ".join(offered))
    return wanted


async def _ask(run: Run, title: str, rows: Sequence[tuple[str, str]], default: str) -> str:
    """A number or a name; Enter takes the default. Without a person, the default."""
    output, words = run.output, run.words
    if not output.interactive:
        return default
    width = max(len(short) for short, _ in rows)
    output.line(words(title), "title")
    for number, (short, meaning) in enumerate(rows, start=1):
        output.line(f"  {number}  {short:<{width}}  {meaning}")
    names = [short for short, _ in rows]
    while True:
        text = await _answered(run, words("choose-prompt", default=default))
        if not text:
            return default
        if text.isdecimal() and 1 <= int(text) <= len(rows):
            return names[int(text) - 1]
        if text in names:
            return text
        output.line(words("choose-again", count=len(rows), names=", ".join(names)), "warn")


async def _answered(run: Run, prompt: str) -> str:
    run.output.console.print(f"{prompt} ", end="", soft_wrap=True)
    line = await (_line_posix() if os.name == "posix" else asyncio.to_thread(sys.stdin.readline))
    if not line:
        raise CommandError("input-ended")
    return line.strip().lower()


async def _line_posix() -> str:
    """A typed line. Not in a thread: that would keep the program from ending at Ctrl-C."""
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[None] = loop.create_future()

    def ready() -> None:
        if not typed.done():
            typed.set_result(None)

    loop.add_reader(0, ready)
    try:
        await typed
    finally:
        loop.remove_reader(0)
    return os.read(0, 4096).decode(errors="replace")
