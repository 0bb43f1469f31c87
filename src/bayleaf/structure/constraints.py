"""Arcs between features that a learner of augmented graphs must or must not make."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bayleaf._util.words import counted
from bayleaf.data import Table
from bayleaf.graph import Arc
from bayleaf.graph.checks import constraint_arcs

from .structure_learner import require_target

Pair = tuple[int, int]


@dataclass(frozen=True)
class ArcConstraints:
    """Required and forbidden arcs (parent, child) between features, by number.

    Examples
    --------
    >>> constraints = ArcConstraints(("a", "b", "c"), required=((2, 0),), forbidden=((1, 0),))
    >>> constraints.arranged([0, 1, 2]), constraints.allows(1, 0), constraints.allows(0, 2)
    ([2, 0, 1], False, False)
    """

    names: tuple[str, ...]
    required: tuple[Pair, ...] = ()
    forbidden: tuple[Pair, ...] = ()

    @classmethod
    def read(
        cls,
        table: Table,
        required: Iterable[Arc] | None,
        forbidden: Iterable[Arc] | None,
        most: int | None = None,
    ) -> "ArcConstraints":
        """Check constraints given by name: no contradictions, no cycle, and at most so many parents of a feature."""
        names = tuple(table.names[j] for j in table.features)
        wanted = feature_arcs(table, () if required is None else required, "required")
        unwanted = feature_arcs(table, () if forbidden is None else forbidden, "forbidden")
        for parent, child in wanted:
            if (parent, child) in unwanted:
                raise ValueError(
                    f"The arc '{names[parent]}' -> '{names[child]}' is both required and forbidden."
                )
        found = cls(names, tuple(dict.fromkeys(wanted)), tuple(dict.fromkeys(unwanted)))
        if most is not None:
            for child, name in enumerate(names):
                parents = len(found.required_parents(child))
                if parents > most:
                    raise ValueError(
                        f"'{name}' has {counted(parents, 'required parent')}; here a feature can have {most}."
                    )
        found.arranged(range(len(names)))  # says where required arcs form a cycle
        return found

    def required_parents(self, child: int) -> list[int]:
        """Return the parents that a feature must have, in feature order."""
        return sorted(parent for parent, other in self.required if other == child)

    def allows(self, parent: int, child: int) -> bool:
        """Whether an arc is neither forbidden nor the reverse of a required one."""
        return (parent, child) not in self.forbidden and (child, parent) not in self.required

    def arranged(self, order: Iterable[int]) -> list[int]:
        """Change an order as little as possible, so that required parents come before their children.

        Where an arc is forbidden in one direction only, its parent waits for its child too, if it can: in the order
        given, the other direction might be out of reach.
        """
        left = list(order)
        if not self.required and not self.forbidden:
            return left
        before: dict[int, set[int]] = {feature: set() for feature in left}
        rather: dict[int, set[int]] = {feature: set() for feature in left}
        for parent, child in self.required:
            before[child].add(parent)
        unwanted = set(self.forbidden)
        for parent, child in self.forbidden:
            if (child, parent) not in unwanted:
                rather[parent].add(child)
        arranged: list[int] = []
        placed: set[int] = set()
        while left:
            able = [feature for feature in left if before[feature] <= placed]
            if not able:
                raise ValueError(
                    f"The required arcs form a cycle through '{self.names[left[0]]}': drop one of them."
                )
            chosen = next((feature for feature in able if rather[feature] <= placed), able[0])
            arranged.append(chosen)
            placed.add(chosen)
            left.remove(chosen)
        return arranged

    def ranked(self, child: int, candidates: Sequence[int]) -> list[int]:
        """Return the candidates that may be parents of a feature, those required first."""
        required = self.required_parents(child)
        return [
            *required,
            *(each for each in candidates if each not in required and self.allows(each, child)),
        ]

    def by_column(self, table: Table) -> "ArcConstraints":
        """Return the same constraints by the numbers of the columns."""
        column = table.features
        required, forbidden = (
            tuple((column[parent], column[child]) for parent, child in arcs)
            for arcs in (self.required, self.forbidden)
        )
        return ArcConstraints(tuple(table.names), required, forbidden)


def feature_arcs(table: Table, arcs: Iterable[Arc], what: str) -> list[Pair]:
    """Arcs by name become pairs of feature numbers; arcs of the class are not the user's to choose."""
    target = require_target(table)
    number = {column: feature for feature, column in enumerate(table.features)}
    pairs = []
    for arc in constraint_arcs(arcs, table.names, what):
        if target in arc:
            parent, child = (table.names[end] for end in arc)
            raise ValueError(
                f"The arc '{parent}' -> '{child}' touches the class '{table.names[target]}', which is always a "
                "parent of every feature here: constrain arcs between features only."
            )
        pairs.append((number[arc[0]], number[arc[1]]))
    return pairs
