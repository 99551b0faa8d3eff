"""The program `ginrummy`: finds the language, runs the command, turns failures into exit codes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Sequence

import click

from ginrummy.cli.faults import CommandError, CommandLineError, explained
from ginrummy.cli.localized import usage_fault
from ginrummy.cli.output import Output
from ginrummy.cli.private_server import NoServerProgramError, ServerStartError
from ginrummy.cli.program import Program
from ginrummy.cli.words import LANGUAGES, locale_language, program_name, words_for
from ginrummy.client import GinRummyError

FAILURE, USAGE, INTERRUPTED = 1, 2, 130


def language_of(arguments: Sequence[str]) -> str:
    """`--lang` wherever it stands, else the locale. Help and errors need it before the parser."""
    for at, argument in enumerate(arguments):
        if argument == "--lang" and at + 1 < len(arguments):
            wanted = arguments[at + 1]
        elif argument.startswith("--lang="):
            wanted = argument.partition("=")[2]
        else:
            continue
        if wanted.lower() in LANGUAGES:
            return wanted.lower()
    return locale_language(os.environ)


def run_until_stopped(command: Awaitable[object]) -> object:
    """Runs a command. SIGTERM and a closed terminal end it as Ctrl-C does, so that a private server
    never outlives it."""

    async def body() -> object:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        for name in ("SIGTERM", "SIGHUP"):
            with contextlib.suppress(AttributeError, NotImplementedError):
                loop.add_signal_handler(getattr(signal, name), task.cancel)
        return await command

    return asyncio.run(body())


def run(arguments: Sequence[str]) -> int:
    """The exit code of the program with these arguments."""
    words = words_for(language_of(arguments))
    errors = Output.standard(as_json=False)
    try:
        program = Program(words, run_until_stopped).group()
        program.main(list(arguments), prog_name=program_name(sys.argv[0]), standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        errors.error(error.format_message())
        return USAGE
    except click.UsageError as error:
        errors.error(words("error", what=usage_fault(error, words)))
        path = error.ctx.command_path if error.ctx else program_name(sys.argv[0])
        errors.error(words("try-help", command=path))
        return USAGE
    except (CommandError, NoServerProgramError, ServerStartError, GinRummyError) as error:
        errors.error(words("error", what=explained(error, words)))
        return USAGE if isinstance(error, CommandLineError) else FAILURE
    except (KeyboardInterrupt, asyncio.CancelledError, click.Abort):
        errors.error(words("interrupted"))
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has gone; nothing is left to say, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    return 0


def main() -> None:
    """The script's entry."""
    sys.exit(run(sys.argv[1:]))
