"""Long work: its progress on a terminal, and kernels that stop on Ctrl-C."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextvars import ContextVar
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

Item = TypeVar("Item")
# What runs inside work that shows its progress stays silent: two bars would draw over each other.
_SHOWN: ContextVar[bool] = ContextVar("bayleaf_shows_progress", default=False)


def wanted() -> bool:
    """Tell whether to show progress: on a terminal, in the main thread, and while no other bar is shown."""
    main = threading.current_thread() is threading.main_thread()
    return main and sys.stderr.isatty() and not _SHOWN.get()


class Steps:
    """A bar for steps that the caller counts; gone at the end, also after Ctrl-C.

    Parameters
    ----------
    description : str
    total : int, optional
        Steps at most.
    patience : float
        Seconds that pass before the bar appears.
    shows : bool
        False hides this bar and all bars within it.
    """

    def __init__(
        self, description: str, total: int | None = None, patience: float = 0.0, *, shows: bool = True
    ) -> None:
        self.description = description
        self.total = total
        self._shows = shows and wanted()
        self._start = time.monotonic() + patience
        self._done = 0
        self._bar: Progress | None = None
        self._within_another = False

    def __enter__(self) -> "Steps":
        self._within_another = _SHOWN.get()
        _SHOWN.set(True)
        try:
            self.reach(0)
        except BaseException:  # Ctrl-C while the bar is being drawn
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        _SHOWN.set(self._within_another)

    def advance(self, detail: str = "") -> None:
        """Count one step."""
        self.reach(self._done + 1, detail)

    def reach(self, done: int, detail: str = "") -> None:
        """Say how many steps are done, and in a few words where that leads."""
        self._done = done
        if not self._shows or time.monotonic() < self._start:
            return
        if self._bar is None:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.completed}" if self.total is None else "{task.completed}/{task.total}"),
                TimeElapsedColumn(),
                TimeRemainingColumn(),
            )
            self._bar = Progress(
                *columns, console=Console(stderr=True), transient=True, redirect_stdout=False
            )
            self._bar.add_task(self.description, total=self.total)
            self._bar.start()
        text = f"{self.description}: {detail}" if detail else self.description
        self._bar.update(self._bar.task_ids[0], completed=done, description=escape(text))


def track(items: Iterable[Item], description: str, total: int | None = None) -> Iterator[Item]:
    """Pass the items on, with a progress bar where standard error is a terminal; it vanishes at the end."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with Steps(description, total) as steps:
        for item in items:
            yield item
            steps.advance()


# The kernel counts what it has done in the first number and stops when the second is not zero.
State = NDArray[np.int64]
_POLL_SECONDS = 0.1


def run_watched(kernel: Callable[[State], Any], total: int, description: str) -> Any:
    """Run ``kernel(state)`` in a thread and return what it returns.

    Parameters
    ----------
    kernel : callable
        Must release the interpreter lock and watch its ``state``.
    total : int
        What ``state[0]`` will have reached at the end.
    description : str
        Shown next to the bar, on a terminal only.
    """
    state = np.zeros(2, dtype=np.int64)
    outcome: dict[str, Any] = {}
    # An event, because a join that Ctrl-C interrupts takes the thread for finished.
    finished = threading.Event()

    def work() -> None:
        try:
            outcome["result"] = kernel(state)
        except BaseException as error:
            outcome["error"] = error
        finally:
            finished.set()

    threading.Thread(target=work, name="bayleaf-kernel").start()
    try:
        with Steps(description, total, patience=0.5) as steps:
            while not finished.wait(_POLL_SECONDS):
                steps.reach(int(state[0]))
    except BaseException:  # Ctrl-C above all: the kernel must not go on behind the caller's back
        state[1] = 1
        finished.wait()
        raise
    if "error" in outcome:
        raise outcome["error"]
    return outcome["result"]
