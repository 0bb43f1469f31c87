"""Cut points that the user knows already."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from bayleaf._util.params import check_param

from .discretizer import Discretizer, FloatArray, IntArray


class Cuts(Discretizer):
    """Bins with borders given by the user, column by column.

    Parameters
    ----------
    cuts : dict
        For each column name (or position, for arrays, whose columns have no names) the increasing cut points.
        A value equal to a cut belongs to the bin below it. An empty list makes the column constant.
    others : discretiser, optional
        Finds the cuts of the columns that ``cuts`` does not name, for example ``MDLP()``. None refuses such
        columns.

    Attributes
    ----------
    cuts_ : list of float64 arrays
        The cuts of each column, strictly increasing.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Examples
    --------
    >>> ages = Cuts({0: [18, 65]})
    >>> ages.fit_transform([[17], [18], [40], [70]]).ravel()
    array([0., 0., 1., 2.])
    >>> ages.cut_points(np.array([17.0, 40.0]), name="height")
    Traceback (most recent call last):
        ...
    ValueError: Cuts has no cut points for column 'height'. Add it to cuts, or pass others=... for the rest.
    """

    def __init__(
        self,
        cuts: dict[Any, Sequence[float]] | None = None,
        others: Discretizer | None = None,
    ) -> None:
        self.cuts = cuts
        self.others = others

    def cut_points(
        self,
        values: FloatArray,
        target: IntArray | None = None,
        weights: FloatArray | None = None,
        name: str | int | None = None,
    ) -> FloatArray:
        """Return the cuts of the column called ``name``; the rest is only for ``others``."""
        given = self._given_cuts()
        if name in given:
            return _checked_points(given[name], name)
        if self.others is None:
            raise ValueError(_no_cut_points([name]))
        return self.others.cut_points(values, target, weights, name)

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        check_param(self, "cuts", self.cuts, dict, allow_none=self.others is not None)

    def _given_cuts(self) -> dict[Any, Sequence[float]]:
        self.check_params()
        return self.cuts or {}

    def check_names(self, columns: Sequence[str | int]) -> None:
        """Refuse cut points for columns that are not there, and numeric columns without any."""
        given = self._given_cuts()
        unknown = [name for name in given if name not in set(columns)]
        if unknown:
            raise ValueError(
                f"Cuts names {_listed(unknown)}, but X has no such numeric column; it has {_listed(columns)}."
            )
        unnamed = [name for name in columns if name not in given]
        if unnamed and self.others is None:
            raise ValueError(_no_cut_points(unnamed))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.others is not None and get_tags(self.others).target_tags.required
        return tags


def _checked_points(points: Sequence[float], name: str | int | None) -> FloatArray:
    cuts = np.asarray(points)
    numeric = cuts.ndim == 1 and cuts.dtype.kind in "iuf"
    if not (numeric and np.isfinite(cuts).all() and (np.diff(cuts) > 0).all()):
        raise ValueError(
            f"The cut points of column {name!r} must be a list of increasing finite numbers. "
            f"Got {points!r} instead."
        )
    return cuts.astype(np.float64)


def _no_cut_points(names: Sequence[str | int | None]) -> str:
    them = "it" if len(names) == 1 else "them"
    return (
        f"Cuts has no cut points for {_listed(names)}. Add {them} to cuts, or pass others=... for the rest."
    )


def _listed(names: Collection[object], most: int = 10) -> str:
    """Column names in a sentence, not too many of them."""
    noun = "column" if len(names) == 1 else "columns"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{noun} {', '.join(map(repr, islice(names, most)))}{more}"
