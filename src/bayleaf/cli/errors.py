"""What the user sees when something goes wrong: one sentence, never a traceback; Ctrl-C always works.

Exit codes: 2 for a mistake in the call or in its input, 1 for a bug, 130 for an interruption; ``monitor`` has 3.
"""

import _thread
import os
import re
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from bayleaf._util.optional import missing_library
from bayleaf._util.words import counted, listing, shortened

from .output import remark

REPEAT_SECONDS = 0.1


@contextmanager
def repeated_when_lost() -> Iterator[None]:
    """Send an interrupt again if Python swallows it.

    What is raised in a destructor or in a callback of the garbage collector goes nowhere, an interrupt too: the
    command would go on as if nothing had been pressed.
    """
    before = sys.unraisablehook

    def hook(lost: Any) -> None:
        if lost.exc_type is None or not issubclass(lost.exc_type, KeyboardInterrupt):
            before(lost)
            return
        # Later, and from another thread: raised here it would be lost again.
        again = threading.Timer(REPEAT_SECONDS, _thread.interrupt_main)
        again.daemon = True
        again.start()

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


MISTAKES = (ValueError, TypeError, OSError, ImportError, MemoryError)
MOST_WARNINGS = 5


class CommandGroup(TyperGroup):
    """A group of commands that reports errors, warnings and interruptions in one line."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **extra: Any) -> Any:
        """Parse the arguments and run the command; mistakes in the arguments get one line too."""
        try:
            code = super().main(args, *more, **{**extra, "standalone_mode": False})
        except typer.Abort:
            code = say("Interrupted.", 130)
        except Exception as error:
            if not hasattr(error, "format_message"):  # not what the argument parser raises
                raise
            context = getattr(error, "ctx", None)
            command = context.command_path if context else "bayleaf"
            mistake = sentence(ValueError(error.format_message()))
            code = say(f"Error: {mistake} See '{command} --help'.", 2)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; whatever it raises is reported in plain words."""
        debug = bool(ctx.params.get("debug")) or os.environ.get("BAYLEAF_DEBUG", "") not in ("", "0")
        with plain_warnings(lambda: self._options_of(ctx)), repeated_when_lost():
            try:
                return super().invoke(ctx)
            except BrokenPipeError:  # the reader of our output has seen enough
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(0) from None
            except KeyboardInterrupt as stop:
                noted = getattr(stop, "__notes__", ())  # on its way up
                raise typer.Exit(say(" ".join(["Interrupted.", *noted]), 130)) from None
            except MISTAKES as error:
                if debug:
                    remark(traceback.format_exc().rstrip())
                raise typer.Exit(say(f"Error: {sentence(error)}", 2)) from None
            except Exception as error:
                if debug or hasattr(error, "format_message") or isinstance(error, typer.Exit | typer.Abort):
                    raise
                what = f"{type(error).__name__}: {sentence(error)}"
                say(f"Error: this is a bug in bayleaf ({what}); 'bayleaf --debug ...' shows where.", 1)
                raise typer.Exit(1) from None

    def _options_of(self, ctx: Any) -> list[str]:
        command = self.commands.get(ctx.invoked_subcommand)
        return [] if command is None else [name for option in command.params for name in option.opts]


def sentence(error: BaseException) -> str:
    r"""Say what went wrong in one line.

    Examples
    --------
    >>> sentence(FileNotFoundError(2, "No such file or directory", "a.csv"))
    "There is no file 'a.csv'."
    >>> sentence(ValueError("k is -1.\n  Use 0 or more"))
    'k is -1. Use 0 or more.'
    >>> sentence(ModuleNotFoundError("No module named 'polars.io'", name="polars.io"))
    "This needs polars, which is not installed here: pip install 'bayleaf[files]'."
    >>> sentence(ModuleNotFoundError("No module named 'bayleaf.x'", name="bayleaf.x"))
    "No module named 'bayleaf.x'."
    """
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        if isinstance(error, FileNotFoundError):
            return f"There is no file '{error.filename}'."
        return f"Cannot open '{error.filename}': {(error.strerror or '').lower()}."
    if isinstance(error, MemoryError):
        return "There is not enough memory for this."
    library = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    if library not in ("", "bayleaf"):
        return missing_library(library)
    text = shortened(" ".join(str(error).split()) or type(error).__name__)
    return text if text.endswith((".", "?", "!")) else f"{text}."


def say(text: str, code: int) -> int:
    """Print one line to standard error and return the exit code."""
    remark(text, "red" if text.startswith("Error") else "")
    return code


# Options, what the library's sentences say where a command has these, and what the command says.
_IN_OPTIONS = (
    ("--set", r"identifiers='keep'", "--set identifiers=keep"),
    ("--types", r"identifiers='keep'", "--types COLUMN=category"),
    ("--types", r"column_types=\{['\"](.+?)['\"]: 'text'\}", r'--types "\1=text"'),
    ("--missing-values", r"missing_values or column_types \(--types\)", "--missing-values or --types"),
    (
        "--groups",
        "pass (it|one) as groups= instead of a feature, to fit and cross_validate",
        r"name \1 by --groups",
    ),
)


def in_options(text: str, options: Collection[str]) -> str:
    """Name settings in a sentence of the library by the options of a command.

    Examples
    --------
    >>> in_options("identifiers='keep' keeps them.", ["--types", "--set"])
    '--set identifiers=keep keeps them.'
    >>> in_options("column_types={'remark': 'text'} makes features of its words.", ["--types"])
    '--types "remark=text" makes features of its words.'
    """
    for option, said, instead in _IN_OPTIONS:
        if option in options:
            text = re.sub(said, instead, text)
    return text


@contextmanager
def unseen_in_folds() -> Iterator[None]:
    """Say once after all folds which columns of held-out rows have values that training rows lack."""
    from bayleaf.data.categories import (
        UnseenValuesWarning,
    )  # only here: a mistake in the call needs no library

    most: dict[str, int] = {}
    show = warnings.showwarning

    def collect(message: Warning | str, *more: Any, **named: Any) -> None:
        if isinstance(message, UnseenValuesWarning):
            most[message.column] = max(message.values, most.get(message.column, 0))
        else:
            show(message, *more, **named)

    warnings.showwarning = collect
    try:
        yield
    finally:
        warnings.showwarning = show
    if most:
        found = [f"up to {counted(values, 'value')} of column '{name}'" for name, values in most.items()]
        warnings.warn(
            "Held-out rows have values that the training rows of their fold lack; treated as missing: "
            f"{listing(found)}.",
            stacklevel=1,
        )


@contextmanager
def plain_warnings(options: Callable[[], Collection[str]] = tuple) -> Iterator[None]:
    """Show the library's warnings as one line each, the same one once, and not too many of them.

    They name the ``options`` of the command that runs.
    """
    shown: set[object] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = shortened(in_options(" ".join(str(message).split()), options()))
        # Of the same columns, folds only count other rows.
        key = (type(message), *message.columns) if hasattr(message, "columns") else text
        if key not in shown and len(shown) < MOST_WARNINGS:
            remark(f"Warning: {text}", "yellow")
        shown.add(key)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        try:
            yield
        finally:
            more = len(shown) - MOST_WARNINGS
            if more > 0:
                remark(f"Warning: {more} more like these.", "yellow")
