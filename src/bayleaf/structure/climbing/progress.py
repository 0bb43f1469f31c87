"""A line on the terminal while a search takes its time."""

import time
from types import TracebackType

from rich.console import Console
from rich.status import Status

from bayleaf._util.progress import OnlyBar, wanted

# Short searches stay silent.
PATIENCE = 2.0


class Progress:
    """Shows where a search stands, on a terminal, once it has run for a while; gone when the search ends.

    Examples
    --------
    >>> with Progress("search") as progress:
    ...     progress.update(step=1, value=-12.5, arcs=3)
    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.started = time.monotonic()
        self.shows = wanted()
        self.status: Status | None = None
        self.alone = OnlyBar()

    def __enter__(self) -> "Progress":
        self.alone.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Also after Ctrl-C: the terminal is left as it was.
        if self.status is not None:
            self.status.stop()
        self.alone.__exit__(kind, error, trace)

    def update(self, *, step: int, value: float, arcs: int) -> None:
        """Say where the search stands."""
        if not self.shows or time.monotonic() - self.started < PATIENCE:
            return
        text = f"{self.what}: step {step}, {arcs} arcs, value {value:,.4f}"
        if self.status is None:
            self.status = Console(stderr=True).status(text)
            self.status.start()
        self.status.update(text)
