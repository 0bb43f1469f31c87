"""What an exact answer costs, said before it is worked out."""

from dataclasses import dataclass

# Entries of all tables that one answer may need: 1 GiB of numbers. More is refused beforehand.
MOST_ENTRIES = 2**27


@dataclass(frozen=True)
class QueryCost:
    """What an exact answer needs: entries of the largest table, and of all tables together.

    Examples
    --------
    >>> QueryCost(8, 20).exact
    True
    """

    largest: float
    total: float

    @property
    def exact(self) -> bool:
        """Whether an exact answer is within the limit."""
        return self.total <= MOST_ENTRIES

    def check(self) -> None:
        """Refuse what is beyond the limit.

        Examples
        --------
        >>> QueryCost(1e12, 3e12).check()
        Traceback (most recent call last):
            ...
        ValueError: The exact answer needs tables of 3e+12 entries in all (the limit is 1.3e+08): the network is too
        densely connected for this question. Give more evidence, ask for fewer nodes at once, or pass
        approximate=10_000 where a method has it, for an estimate by likelihood weighting.
        """
        if not self.exact:
            raise ValueError(
                f"The exact answer needs tables of {self.total:.2g} entries in all (the limit is "
                f"{MOST_ENTRIES:.2g}): the network is too densely connected for this question. Give more evidence, "
                "ask for fewer nodes at once, or pass approximate=10_000 where a method has it, for an estimate by "
                "likelihood weighting."
            )
