"""A group of commands, and how errors and interruptions end a command."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn, TextIO

import typer
from typer.core import TyperGroup

NOT_WHOLE = 1
BAD_INPUT = 2
INTERRUPTED = 130

# The base class, wherever typer keeps it: some versions bring a click of their own.
UsageError: type[Exception] = typer.BadParameter.__bases__[0]
"""A command line that names no command, or has wrong arguments or options."""

GROUPS = PREPARE, RUN, UNDERSTAND, KEEP, TRUST = "Prepare", "Run", "Understand", "Keep", "Trust"
"""Groups of commands, in the order in which `airlink --help` shows them."""


NO_GLYPH = r"Glyph (\d+) .*missing from"
"""What matplotlib says, at each drawing, of a letter that its font does not have."""


class Commands(TyperGroup):
    """Ends a command with one message where the user can do something about it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words up to the command."""
        with one_sentence():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Runs the command; the exit codes are those of the package's description."""
        with one_sentence():
            return self._ended(ctx)

    def _ended(self, ctx: Any) -> Any:
        # Loaded once there is a command: --help and --version do without.
        from airlink.own import OwnError, with_traceback
        from airlink.result.errors import StoreWarning
        from airlink.scenario import ScenarioWarning

        try:
            with warnings.catch_warnings():
                # A command tells those of its scenario by itself; those of a study are its author's.
                warnings.simplefilter("ignore", ScenarioWarning)
                warnings.simplefilter("always", StoreWarning)
                warnings.filterwarnings("once", NO_GLYPH)
                warnings.showwarning = _show_warning  # type: ignore[assignment]
                return self._invoked(ctx)
        except _mistakes() as error:
            fail(with_traceback(error) if isinstance(error, OwnError) else str(error))
        except KeyboardInterrupt:
            message("interrupted; nothing was written")
            raise typer.Exit(INTERRUPTED) from None
        except MemoryError as error:
            told = f": {error}" if str(error) else ""
            message(f"out of memory{told}; fewer replicas, threads or series take less (airlink check)")
            raise typer.Exit(NOT_WHOLE) from None
        except UnicodeError as error:
            fail(f"a text can't be written or read: {error.reason if hasattr(error, 'reason') else error}")
        except BrokenPipeError:
            # The reader of our output (head, less) has seen enough.
            leave_stdout()
            raise typer.Exit(0) from None
        except OSError as error:
            # What reads and writes files says more; this is a full or broken output.
            leave_stdout()
            named = f"{error.filename}: " if error.filename else ""
            fail(f"{named}{error.strerror or error}")

    def _invoked(self, ctx: Any) -> Any:
        try:
            answer = super().invoke(ctx)
        except typer.Exit:
            try:
                sys.stdout.flush()
            except BrokenPipeError:
                leave_stdout()
            raise
        # Not left to the end of the program, where nothing could be done about a closed pipe.
        sys.stdout.flush()
        return answer


def _mistakes() -> tuple[type[Exception], ...]:
    """Mistakes of the user: their message is the answer, a traceback would only hide it."""
    from airlink.engine import RequestError
    from airlink.own import OwnError
    from airlink.result import MissingExtra, ResultError
    from airlink.scenario import ScenarioError

    return ScenarioError, RequestError, ResultError, MissingExtra, OwnError


@contextmanager
def one_sentence() -> Iterator[None]:
    """Ends a wrong command line with one sentence that says where help is."""
    try:
        yield
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            raise  # its message is the help
        context: Any = getattr(error, "ctx", None)
        path = "airlink" if context is None else " ".join(["airlink", *context.command_path.split()[1:]])
        named = path.removeprefix("airlink").strip()
        text = error.format_message().rstrip(".")  # type: ignore[attr-defined]
        fail(f"{f'{named}: ' if named else ''}{text[:1].lower()}{text[1:]}; see {path} --help")


def group(cls: type[Commands] = Commands, **options: Any) -> typer.Typer:
    """A group of commands in the house's manner."""
    return typer.Typer(
        cls=cls, no_args_is_help=True, context_settings={"help_option_names": ["-h", "--help"]}, **options
    )


def leave_stdout() -> None:
    """What is still to be printed goes nowhere, so that Python does not complain about a closed pipe at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(
    text: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning about the store or a letter is a sentence like others; all else is shown as Python shows it."""
    from airlink.result.errors import StoreWarning

    if issubclass(category, StoreWarning):
        message(f"warning: {text}")
    elif glyph := re.match(NO_GLYPH, str(text)):
        letter = chr(int(glyph[1]))
        message(f"warning: the font of figures has no {letter!r}: a box stands in its place; pages (.html) show it")
    else:
        (file or sys.stderr).write(warnings.formatwarning(text, category, filename, lineno, line))


def fail(text: str) -> NoReturn:
    """Prints a message and ends the command with the exit code for bad input."""
    message(text)
    raise typer.Exit(BAD_INPUT)


def message(text: str) -> None:
    """Prints to stderr, word-wrapped by the terminal only: lines stay whole for grep."""
    from airlink.cli.tables import PipedConsole
    from airlink.scenario.errors import printable

    safe = "\n".join(printable(line) for line in text.split("\n"))
    out = PipedConsole(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)
    with suppress(BrokenPipeError):
        out.print(f"airlink: {safe}")
