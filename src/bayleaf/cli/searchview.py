"""The steps of a structure learner on the terminal."""

from typing import Any

from rich.text import Text

from bayleaf.graph import SearchTrace

from .output import counted, light_table


def search_of(model: Any) -> SearchTrace | None:
    """Return the steps that a model file keeps, if it does."""
    record = getattr(model, "training_", None)
    return None if record is None else record.search


def search_text(search: SearchTrace) -> str:
    """Tell in a line where a search began, how many steps it made and what it ended with.

    Examples
    --------
    >>> from bayleaf.graph import SearchStep
    >>> step = SearchStep((("a", "b"),), (), -12.5)
    >>> search_text(SearchTrace(("a", "b"), "BDeu()", (), -20.0, (step,)))
    '1 step: BDeu() from -20 to -12.5'
    """
    steps = counted(len(search.steps) + search.left_out, "step")
    return f"{steps}: {search.measure} from {search.start_score:.6g} to {search.score:.6g}"


def steps_table(search: SearchTrace, most: int) -> Any:
    """Tabulate the steps of a search: what was done, out of how many, and the score after it."""
    half = search.left_out and (len(search.steps) + 1) // 2
    numbered = [
        (k + 1 + (search.left_out if half and k >= half else 0), s) for k, s in enumerate(search.steps)
    ]
    more = len(numbered) + search.left_out - min(most, len(numbered))
    table = light_table(
        caption=f"... {counted(more, 'more step')}; --all shows those kept." if more else None
    )
    table.title = f"Search: {search.measure}"
    counts = any(step.considered is not None for step in search.steps)
    table.add_column("", justify="right", style="dim")
    table.add_column("step", overflow="fold")
    if counts:
        table.add_column("weighed", justify="right", no_wrap=True)
    table.add_column("score", justify="right", no_wrap=True)
    start = f"start with {counted(len(search.start), 'arc')}"
    table.add_row("0", start, *[""] * counts, f"{search.start_score:.6g}")
    for number, step in numbered[:most]:
        considered = "" if step.considered is None else f"{step.considered:,}"
        table.add_row(str(number), Text(str(step)), *[considered] * counts, f"{step.score:.6g}")
    return table
