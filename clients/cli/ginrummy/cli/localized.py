"""Click with its own words taken from the catalog: help pages and usage errors."""

from __future__ import annotations

import re

import click

from ginrummy.cli.words import Words

_EXTRA = re.compile(r"Got unexpected extra arguments? \((.*)\)$")


class Command(click.Command):
    """A command whose help page is in the reader's language, with examples at its end."""

    def __init__(self, words: Words, name: str, **attributes: object) -> None:
        super().__init__(name, **attributes)  # type: ignore[arg-type]
        self.words = words

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return help_option(self.words)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_usage(self, self.words, ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_options(self, self.words, ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(self, self.words, formatter)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return usage_pieces(self, self.words, ctx)


class Group(click.Group):
    """The program itself."""

    def __init__(self, words: Words, name: str, **attributes: object) -> None:
        super().__init__(name, **attributes)  # type: ignore[arg-type]
        self.words = words

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        return help_option(self.words)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_usage(self, self.words, ctx, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(self.words("help-commands")):
            formatter.write_dl(
                [(name, command.short_help or "") for name, command in self.commands.items()]
            )
        write_options(self, self.words, ctx, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        write_examples(self, self.words, formatter)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        return [f"[{self.words('help-options')}]", self.words("help-command")]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            names = ", ".join(self.commands)
            raise click.UsageError(self.words("no-command", name=args[0], allowed=names), ctx)
        return super().resolve_command(ctx, args)


def help_option(words: Words) -> click.Option:
    def show(ctx: click.Context, _: click.Parameter, value: bool) -> None:
        if value and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        ["-h", "--help"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=show,
        help=words("option-help"),
    )


def usage_pieces(command: click.Command, words: Words, ctx: click.Context) -> list[str]:
    arguments = [
        piece
        for param in command.get_params(ctx)
        if isinstance(param, click.Argument)
        for piece in param.get_usage_pieces(ctx)
    ]
    return [f"[{words('help-options')}]", *arguments]


def write_usage(
    command: click.Command, words: Words, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    pieces = " ".join(command.collect_usage_pieces(ctx))
    formatter.write_usage(ctx.command_path, pieces, prefix=f"{words('help-usage')}: ")


def write_options(
    command: click.Command, words: Words, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    records = [param.get_help_record(ctx) for param in command.get_params(ctx)]
    rows = [record for record in records if record]
    if rows:
        with formatter.section(words("help-options")):
            formatter.write_dl(rows)


def write_examples(command: click.Command, words: Words, formatter: click.HelpFormatter) -> None:
    """The epilog as it is: examples are not to be wrapped."""
    if command.epilog:
        with formatter.section(words("help-examples")):
            for line in command.epilog.splitlines():
                formatter.write(f"{' ' * formatter.current_indent}{line}\n")


def usage_fault(error: click.UsageError, words: Words) -> str:
    """What was wrong with the command line, in the reader's language."""
    name = _parameter_name(error)
    if isinstance(error, click.NoSuchOption):
        if error.possibilities:
            near = ", ".join(error.possibilities)
            return words("no-option-but", name=error.option_name, near=near)
        return words("no-option", name=error.option_name)
    if isinstance(error, click.MissingParameter):
        return words("missing-argument", name=name)
    if isinstance(error, click.BadParameter):
        return words("bad-value", name=name, why=error.message)
    if isinstance(error, click.BadOptionUsage):
        return words("option-needs-value", name=error.option_name)
    if found := _EXTRA.match(error.message):
        return words("extra-argument", name=found.group(1))
    return error.message


def _parameter_name(error: click.UsageError) -> str:
    parameter = getattr(error, "param", None)
    if isinstance(parameter, click.Argument):
        return parameter.make_metavar(error.ctx) if error.ctx else (parameter.name or "")
    return parameter.opts[-1] if isinstance(parameter, click.Option) else ""


class OneOf(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """One of some words; says which when it was another."""

    def __init__(self, words: Words, *choices: str) -> None:
        self.name = "|".join(choices)
        self._words = words
        self._choices = choices

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        text = str(value).lower()
        if text not in self._choices:
            allowed = ", ".join(self._choices)
            self.fail(self._words("allowed-values", value=text, allowed=allowed), param, ctx)
        return text

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        return self.name


class Number(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4
    """A number within limits; says which when it was none."""

    name = "N"

    def __init__(
        self,
        words: Words,
        least: float,
        most: float,
        kind: type = int,
        fault: str = "allowed-numbers",
        also: float | None = None,
    ) -> None:
        """`also` is allowed outside the limits; `fault` says what is allowed."""
        self._words = words
        self._fault, self._also = fault, also
        self._least, self._most, self._kind = least, most, kind

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number: float | None
        try:
            number = self._kind(str(value))
        except ValueError:
            number = None
        if number is not None and number == self._also:
            return number
        if number is None or not self._least <= number <= self._most:
            limits = {"least": f"{self._least:.15g}", "most": f"{self._most:.15g}"}
            self.fail(self._words(self._fault, value=str(value), **limits), param, ctx)
        return number
