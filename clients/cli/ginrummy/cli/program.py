"""The commands and their options, built in the reader's language."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click

from ginrummy.cli import analyze, demo, lobby, play, rulebook, simulate, verify, watching
from ginrummy.cli.access import FILES, access_of
from ginrummy.cli.creation import SPECTATORS, Wish, seed_of
from ginrummy.cli.faults import CommandError, CommandLineError
from ginrummy.cli.localized import Command, Group, Number, OneOf
from ginrummy.cli.menus import DEFAULT_BOT, DEFAULT_RULESET
from ginrummy.cli.output import Output
from ginrummy.cli.rule_options import parsed
from ginrummy.cli.run import Run
from ginrummy.cli.simulate import DEFAULT_BOTS, MOST_MATCHES, SimulationWish
from ginrummy.cli.state import SavedSeats, state_folder
from ginrummy.cli.words import LANGUAGES, Words
from ginrummy.v1.rules_pb2 import Rules

Runner = Callable[[Awaitable[object]], object]
"""Runs a command's coroutine and gives its result."""


class Program:
    """Builds the tree of commands; `run` runs what a command does."""

    def __init__(self, words: Words, run: Runner) -> None:
        self._words = words
        self._run = run
        self._wants_tls = False
        self._files: dict[str, str] = {}

    def group(self) -> Group:
        words = self._words
        group = Group(
            words,
            "ginrummy",
            help=words("about"),
            epilog=words("examples"),
            no_args_is_help=True,
            params=[self._lang(), self._version()],
            callback=lambda lang: None,
        )
        for command in (
            self._demo(),
            self._play(),
            self._new(),
            self._join(),
            self._watch(),
            self._list(),
            self._rules(),
            self._analyze(),
            self._simulate(),
            self._verify(),
        ):
            group.add_command(command)
        return group

    # ------------------------------------------------------------------ options

    def _option(self, *names: str, message: str, **attributes: Any) -> click.Option:
        return click.Option(names, help=self._words(message), **attributes)

    def _lang(self) -> click.Option:
        languages = OneOf(self._words, *LANGUAGES)
        return self._option("--lang", message="option-lang", type=languages)

    def _version(self) -> click.Option:
        def show(context: click.Context, _: click.Parameter, asked: bool) -> None:
            if asked and not context.resilient_parsing:
                click.echo(f"ginrummy {version('ginrummy-cli')}")
                context.exit()

        return self._option(
            "--version",
            message="option-version",
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=show,
        )

    def _common(self, server: str = "option-server") -> list[click.Parameter]:
        return [
            self._option(
                "--server",
                message=server,
                metavar="HOST:PORT",
                envvar="GINRUMMY_SERVER",
                default="",
            ),
            *self._access(),
            self._lang(),
            self._option("--json", "as_json", message="option-json", is_flag=True),
        ]

    def _access(self) -> list[click.Parameter]:
        """How the server is reached; the same for every command, so that none has to know."""

        def keep_tls(_: click.Context, __: click.Parameter, value: bool) -> None:
            self._wants_tls = value

        def file(name: str) -> click.Option:
            def keep(_: click.Context, __: click.Parameter, value: str) -> None:
                self._files[name] = value

            return self._option(
                f"--{name}",
                message=f"option-{name}",
                metavar="FILE",
                envvar=f"GINRUMMY_{name.replace('-', '_').upper()}",
                default="",
                expose_value=False,
                callback=keep,
            )

        tls = self._option(
            "--tls",
            message="option-tls",
            is_flag=True,
            envvar="GINRUMMY_TLS",
            expose_value=False,
            callback=keep_tls,
        )
        return [tls, *map(file, FILES)]

    def _seed(self) -> click.Option:
        return self._option("--seed", message="option-seed", metavar="TEXT")

    def _ruleset(self) -> click.Option:
        return self._option("--ruleset", message="option-ruleset", metavar="NAME", default="")

    def _changed_rules(self) -> list[click.Parameter]:
        """What is to differ from the ruleset."""
        target = Number(self._words, 50, 500, fault="fault-target", also=0)
        return [
            self._option("--target", message="option-target", type=target),
            self._rule(),
        ]

    def _rule(self) -> click.Option:
        return self._option(
            "--rule", "settings", message="option-rule", multiple=True, metavar="NAME=VALUE"
        )

    def _seat(self, message: str) -> click.Option:
        return self._option("--seat", message=message, type=Number(self._words, 1, 2))

    def _table(self, spectators: str) -> list[click.Parameter]:
        """How a match is to be played."""
        words = self._words
        return [
            self._ruleset(),
            self._option("--name", message="option-name", metavar="NAME", default=""),
            *self._changed_rules(),
            self._option("--hints/--no-hints", message="option-hints", default=None),
            self._option(
                "--turn-time", message="option-turn-time", type=Number(words, 0, 86400, float)
            ),
            self._option(
                "--spectators",
                message="option-spectators",
                type=OneOf(words, *SPECTATORS),
                default=spectators,
            ),
            self._seed(),
            self._option("--replay", message="option-replay", metavar="MATCH", default=""),
        ]

    def _command(
        self, name: str, params: list[click.Parameter], callback: Callable[..., None]
    ) -> Command:
        words = self._words
        server = "option-server-for-two" if name in ("new", "join") else "option-server"
        return Command(
            words,
            name,
            params=[*params, *self._common(server)],
            callback=callback,
            help=words(f"about-{name}"),
            short_help=words(f"short-{name}"),
            epilog=words(f"examples-{name}"),
        )

    def _context(self, server: str, as_json: bool) -> Run:
        return Run(
            self._words,
            Output.standard(as_json),
            SavedSeats(state_folder()),
            server.strip(),
            access_of(self._wants_tls, self._files, os.environ),
        )

    # ------------------------------------------------------------------ commands

    def _demo(self) -> Command:
        def run(
            ruleset: str, seed: str, delay: float, server: str, lang: str, as_json: bool
        ) -> None:
            wish = Wish(ruleset, "demo", DEFAULT_BOT, hints=True, seed=seed_of(seed))
            self._run(demo.demo(self._context(server, as_json), wish, delay))

        delay = self._option(
            "--delay", message="option-delay", type=Number(self._words, 0, 60, float), default=0
        )
        ruleset = self._ruleset()
        ruleset.default = DEFAULT_RULESET
        return self._command("demo", [ruleset, self._seed(), delay], run)

    def _play(self) -> Command:
        def run(
            resume: str | None,
            seat: int | None,
            bot: str,
            server: str,
            lang: str,
            as_json: bool,
            **table: Any,
        ) -> None:
            context = self._context(server, as_json)
            if resume is not None:
                name = f"matches/{resume.removeprefix('matches/')}" if resume else ""
                self._run(play.resume(context, name, seat))
            else:
                self._run(play.play(context, wish_of(bot=bot, **table)))

        params = [
            *self._table(spectators="none"),
            self._option("--bot", message="option-bot", metavar="NAME", default=""),
            self._option(
                "--resume", message="option-resume", is_flag=False, flag_value="", metavar="[MATCH]"
            ),
            self._seat("option-resume-seat"),
        ]
        return self._command("play", params, run)

    def _new(self) -> Command:
        def run(server: str, lang: str, as_json: bool, **table: Any) -> None:
            self._run(lobby.new(self._context(server, as_json), wish_of(bot="", **table)))

        return self._command("new", self._table(spectators="public"), run)

    def _join(self) -> Command:
        def run(
            match: str, name: str, seat: int | None, server: str, lang: str, as_json: bool
        ) -> None:
            self._run(lobby.join(self._context(server, as_json), match, name, seat))

        name = self._option("--name", message="option-name", metavar="NAME", default="")
        return self._command("join", [self._match(), name, self._seat("option-seat")], run)

    def _watch(self) -> Command:
        def run(match: str, server: str, lang: str, as_json: bool) -> None:
            self._run(watching.watch(self._context(server, as_json), match))

        return self._command("watch", [self._match()], run)

    def _list(self) -> Command:
        def run(joinable: bool, limit: int, server: str, lang: str, as_json: bool) -> None:
            self._run(lobby.list_matches(self._context(server, as_json), joinable, limit))

        params: list[click.Parameter] = [
            self._option("--joinable", message="option-joinable", is_flag=True),
            self._option(
                "--limit", message="option-limit", type=Number(self._words, 1, 10000), default=20
            ),
        ]
        return self._command("list", params, run)

    def _rules(self) -> Command:
        def run(
            ruleset: str, settings: tuple[str, ...], server: str, lang: str, as_json: bool
        ) -> None:
            overrides = parsed(settings)
            self._run(rulebook.rules(self._context(server, as_json), ruleset, overrides))

        params: list[click.Parameter] = [
            click.Argument(["ruleset"], required=False, default="", metavar="[RULESET]"),
            self._rule(),
        ]
        return self._command("rules", params, run)

    def _simulate(self) -> Command:
        def run(
            target: int | None,
            settings: tuple[str, ...],
            seed: str | None,
            server: str,
            lang: str,
            as_json: bool,
            **wished: Any,
        ) -> None:
            wish = SimulationWish(
                overrides=overrides_of(target, settings), seed=seed_of(seed), **wished
            )
            self._run(simulate.simulate(self._context(server, as_json), wish))

        ruleset = self._ruleset()
        ruleset.default = DEFAULT_RULESET
        params: list[click.Parameter] = [
            ruleset,
            self._option(
                "--bots", message="option-bots", metavar="NAME,NAME…", default=DEFAULT_BOTS
            ),
            self._option(
                "--matches",
                message="option-matches",
                type=Number(self._words, 1, MOST_MATCHES),
                default=1000,
            ),
            *self._changed_rules(),
            self._seed(),
            self._option("--single-deals", message="option-single-deals", is_flag=True),
            self._option(
                "--plot", message="option-plot", metavar="FILE", type=click.Path(path_type=Path)
            ),
            self._option(
                "--csv", message="option-csv", metavar="FILE", type=click.Path(path_type=Path)
            ),
            self._option("--detach", message="option-detach", is_flag=True),
            self._option("--follow", message="option-follow", metavar="SIMULATION", default=""),
        ]
        return self._command("simulate", params, run)

    def _analyze(self) -> Command:
        def run(
            hand: tuple[str, ...],
            ruleset: str,
            settings: tuple[str, ...],
            barred: str,
            layoffs_on: tuple[str, ...],
            wants_all: bool,
            server: str,
            lang: str,
            as_json: bool,
        ) -> None:
            question = analyze.Question(ruleset, parsed(settings), barred, wants_all, layoffs_on)
            self._run(analyze.analyze(self._context(server, as_json), hand, question))

        params: list[click.Parameter] = [
            click.Argument(["hand"], nargs=-1, metavar="HAND"),
            self._option(
                "--layoffs-on", message="option-layoffs-on", multiple=True, metavar="MELD"
            ),
            self._option("--barred", message="option-barred", metavar="CARD", default=""),
            self._option("--all", "wants_all", message="option-all", is_flag=True),
            self._ruleset(),
            self._rule(),
        ]
        return self._command("analyze", params, run)

    def _verify(self) -> Command:
        def run(match: str, server: str, lang: str, as_json: bool) -> None:
            if not self._run(verify.verify(self._context(server, as_json), match)):
                raise CommandError("verify-wrong")

        return self._command("verify", [self._match()], run)

    def _match(self) -> click.Argument:
        return click.Argument(["match"], metavar="MATCH")


def overrides_of(target: int | None, settings: tuple[str, ...]) -> Rules:
    """What differs from the ruleset."""
    overrides = parsed(settings)
    if target is not None:
        overrides.target = int(target)
    return overrides


def wish_of(
    bot: str,
    ruleset: str,
    name: str,
    target: int | None,
    settings: tuple[str, ...],
    hints: bool | None,
    turn_time: float | None,
    spectators: str,
    seed: str | None,
    replay: str,
) -> Wish:
    """The match that the options describe."""
    if seed and replay:
        raise CommandLineError("seed-or-replay")
    return Wish(
        ruleset=ruleset,
        name=name,
        bot=bot,
        overrides=overrides_of(target, settings),
        hints=hints,
        turn_time_s=turn_time,
        spectators=spectators,
        seed=seed_of(seed),
        replay_of=replay or None,
    )
