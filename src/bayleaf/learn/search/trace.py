"""How a search came to its graph: where it began, each change of arcs, and the score after it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bayleaf.graph import DAG, Arc

# A trace that is kept with a model has at most this many steps.
MOST_STEPS = 1000
MOST_ARCS_IN_WORDS = 4


@dataclass(frozen=True)
class SearchStep:
    """One change of a graph in the course of a search.

    Attributes
    ----------
    added, removed : tuple of (parent, child)
        Arcs that the step made and took away; an arc that was reversed is in both, the other way round.
    score : float
        After the step; larger is better.
    considered : int or None
        How many changes were considered, where they were counted.
    note : str
        What else there is to say, in words.

    Examples
    --------
    >>> print(SearchStep((("a", "b"),), (), -12.5))
    add a -> b
    >>> print(SearchStep((("b", "a"),), (("a", "b"),), -12.0))
    reverse a -> b
    """

    added: tuple[Arc, ...]
    removed: tuple[Arc, ...]
    score: float
    considered: int | None = None
    note: str = ""

    def __str__(self) -> str:
        reversed_ = [arc for arc in self.removed if arc[::-1] in self.added]
        parts = {
            "add": [arc for arc in self.added if arc[::-1] not in reversed_],
            "delete": [arc for arc in self.removed if arc not in reversed_],
            "reverse": reversed_,
        }
        changes = "; ".join(f"{what} {_in_words(arcs)}" for what, arcs in parts.items() if arcs)
        return ": ".join(part for part in (self.note, changes) if part)


def _in_words(arcs: Sequence[Arc]) -> str:
    shown = ", ".join(f"{parent} -> {child}" for parent, child in arcs[:MOST_ARCS_IN_WORDS])
    more = len(arcs) - MOST_ARCS_IN_WORDS
    return f"{shown} and {more} more" if more > 0 else shown


@dataclass(frozen=True, repr=False)
class SearchTrace:
    """The steps of a search, from the graph it began with.

    Attributes
    ----------
    nodes : tuple of str
    measure : str
        What the scores are; larger is better, so that scores that are costs have a minus sign.
    start : tuple of (parent, child)
        Arcs of the graph that the search began with.
    start_score : float
        Its score.
    steps : tuple of SearchStep
        The steps to the graph that was returned.
    left_out : int
        Steps between the first and the second half of ``steps`` that were not kept.

    Examples
    --------
    >>> step = SearchStep((("a", "b"),), (), -12.5, considered=2)
    >>> trace = SearchTrace(("a", "b"), "BDeu()", (), -20.0, (step,))
    >>> trace.replay().arcs, trace.score
    ((('a', 'b'),), -12.5)
    >>> trace
    <SearchTrace: 1 step over 2 nodes, BDeu() -20 -> -12.5>
    """

    nodes: tuple[str, ...]
    measure: str
    start: tuple[Arc, ...]
    start_score: float
    steps: tuple[SearchStep, ...]
    left_out: int = 0

    def __repr__(self) -> str:
        made = len(self.steps) + self.left_out
        steps = "1 step" if made == 1 else f"{made} steps"
        scores = f"{self.start_score:.6g} -> {self.score:.6g}"
        return f"<SearchTrace: {steps} over {len(self.nodes)} nodes, {self.measure} {scores}>"

    @property
    def score(self) -> float:
        """The score of the graph that the search ended with."""
        return self.steps[-1].score if self.steps else self.start_score

    def replay(self) -> DAG:
        """Make the steps again, one after another; the graph at the end."""
        if self.left_out:
            raise ValueError(f"{self.left_out} steps of the search were not kept: it cannot be replayed.")
        arcs = set(self.start)
        for step in self.steps:
            arcs = (arcs - set(step.removed)) | set(step.added)
        return DAG(self.nodes, arcs)

    def shortened(self, most: int = MOST_STEPS) -> "SearchTrace":
        """Return the trace with at most ``most`` steps: the first and the last ones."""
        if len(self.steps) <= most:
            return self
        kept = (*self.steps[: most - most // 2], *self.steps[len(self.steps) - most // 2 :])
        return replace(self, steps=kept, left_out=self.left_out + len(self.steps) - len(kept))

    def to_dict(self) -> dict[str, Any]:
        """Return the trace as plain data: arcs by the numbers of their nodes."""
        number = {name: i for i, name in enumerate(self.nodes)}

        def numbers(arcs: Sequence[Arc]) -> list[int]:
            return [number[name] for arc in arcs for name in arc]

        return {
            "nodes": list(self.nodes),
            "measure": self.measure,
            "start": numbers(self.start),
            "start_score": self.start_score,
            "added": [numbers(step.added) for step in self.steps],
            "removed": [numbers(step.removed) for step in self.steps],
            "scores": [step.score for step in self.steps],
            "considered": [step.considered for step in self.steps],
            "notes": {str(k): step.note for k, step in enumerate(self.steps) if step.note},
            "left_out": self.left_out,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "SearchTrace":
        """Rebuild a trace from plain data."""
        nodes = tuple(data["nodes"])

        def arcs(numbers: Sequence[int]) -> tuple[Arc, ...]:
            if len(numbers) % 2:
                raise ValueError("the trace of the search has an arc with one end only")
            return tuple((nodes[p], nodes[c]) for p, c in zip(numbers[::2], numbers[1::2], strict=True))

        parts = [data[name] for name in ("added", "removed", "scores", "considered")]
        if len({len(part) for part in parts}) > 1:
            raise ValueError(
                "the trace of the search is incomplete: its parts differ in their number of steps"
            )
        columns = zip(*parts, strict=True)
        steps = tuple(
            SearchStep(arcs(added), arcs(removed), score, considered, data["notes"].get(str(k), ""))
            for k, (added, removed, score, considered) in enumerate(columns)
        )
        start = arcs(data["start"])
        return cls(nodes, data["measure"], start, data["start_score"], steps, data["left_out"])


@dataclass(frozen=True)
class Search:
    """What a structure learner found, and how: a graph and, where the learner keeps one, the trace to it.

    ``how`` is the trace, or a function that writes it, which is called if somebody asks for it: graphs are often
    learned again, from parts of the rows, for the graph alone.
    """

    dag: DAG
    how: SearchTrace | Callable[[], SearchTrace | None] | None = None

    @cached_property
    def trace(self) -> SearchTrace | None:
        """The steps of the search, where the learner keeps them."""
        return self.how() if callable(self.how) else self.how


class SearchDiary:
    """Writes down a search while it runs. Nodes are numbers here, as learners have them.

    ``measure`` is what is maximised, in words or an object whose text is shown; ``parents`` are those of each node in
    the graph that the search begins with, and ``score`` is of that graph.
    """

    def __init__(
        self, nodes: Sequence[str], measure: object, parents: Sequence[Iterable[int]], score: float
    ) -> None:
        self._nodes = tuple(nodes)
        self._parents = [set(family) for family in parents]
        self._measure = " ".join(str(measure).split())[:200]
        self._start = self._named((parent, child) for child, own in enumerate(parents) for parent in own)
        self._start_score = float(score)
        self._steps: list[SearchStep] = []

    def change(
        self,
        added: Iterable[tuple[int, int]],
        removed: Iterable[tuple[int, int]],
        score: float,
        considered: int | None = None,
        note: str = "",
    ) -> None:
        """Write down a step by the arcs that it changed."""
        added, removed = list(added), list(removed)
        for parent, child in removed:
            self._parents[child].remove(parent)
        for parent, child in added:
            self._parents[child].add(parent)
        step = SearchStep(self._named(added), self._named(removed), float(score), considered, note)
        self._steps.append(step)

    def now(
        self, parents: Sequence[Iterable[int]], score: float, considered: int | None = None, note: str = ""
    ) -> None:
        """Write down a step by the parents that the nodes have after it."""
        pairs = [
            (child, old, set(new))
            for child, (old, new) in enumerate(zip(self._parents, parents, strict=True))
        ]
        added = [(parent, child) for child, old, new in pairs for parent in sorted(new - old)]
        removed = [(parent, child) for child, old, new in pairs for parent in sorted(old - new)]
        self.change(added, removed, score, considered, note)

    def search(self) -> Search:
        """Return the graph at the end, with the trace to it."""
        trace = SearchTrace(self._nodes, self._measure, self._start, self._start_score, tuple(self._steps))
        return Search(DAG.from_parents(self._nodes, [sorted(family) for family in self._parents]), trace)

    def _named(self, arcs: Iterable[tuple[int, int]]) -> tuple[Arc, ...]:
        return tuple((self._nodes[parent], self._nodes[child]) for parent, child in arcs)
