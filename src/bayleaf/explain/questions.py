"""Questions to a classifier that has a joint distribution: what to measure next, what matters, how usual a row is."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayleaf._util.frames import make_frame
from bayleaf._util.kinds import Frame, RowLike, TableLike
from bayleaf._util.params import check_param
from bayleaf.data import Schema, Table

from . import importance as of_features
from . import next_value, typicality
from .joint_model import JointModel


class JointQuestions:
    """What can be asked of a classifier whose networks have one joint distribution over features and class."""

    schema_: Schema

    @abstractmethod
    def encode(self, X: TableLike) -> Table:
        """Encode new rows."""

    @abstractmethod
    def _joint_model(self) -> JointModel:
        """Return the joint distribution, or say why there is none."""

    def value_of_information(self, row: RowLike, *, backend: str | None = None) -> Frame:
        """Say what to measure next: how much each unknown value is expected to tell about the class. Exact.

        Parameters
        ----------
        row : dict, DataFrame or array with one row
            What is known. A dict names columns; what it does not name is unknown.
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the DataFrame that is returned; by default the first of these that is installed.

        Returns
        -------
        DataFrame
            A line for each feature that is missing, the most telling first: ``feature``; ``information``, the
            expected information about the class given what is known, in bits; ``lowest`` and ``highest``, between
            which the probability of the present decision will be once the feature is known; ``change``, how probable
            it is that the decision becomes another. That a value can be measured is taken for granted, also where
            missing values have a state of their own.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = bl.BayesNetClassifier().fit(X, y)
        >>> clf.value_of_information({"sepal length (cm)": 5.0})["feature"].to_list()[0]
        'petal width (cm)'
        """
        table = self._one_row(row)
        lines = next_value.value_of_information(self._joint_model(), table)
        return _frame(next_value.COLUMNS, lines, backend)

    def importance(
        self,
        X: TableLike | None = None,
        *,
        states: bool = False,
        draws: int = 1000,
        random_state: int | np.random.Generator = 0,
        backend: str | None = None,
    ) -> Frame:
        """Rank the features by what they tell about the class: alone, and beside all others.

        Parameters
        ----------
        X : DataFrame or array, optional
            Rows over which ``added`` is averaged, and whose values are counted. By default rows are drawn from the
            model.
        states : bool, default=False
            Return the effect of each value instead.
        draws : int, default=1000
            How many rows are drawn.
        random_state : int or numpy Generator, default=0
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the DataFrame that is returned; by default the first of these that is installed.

        Returns
        -------
        DataFrame
            A line for each feature, the most telling first: ``feature``; ``information`` about the class that it has
            alone, in bits; ``added``, what it tells beside all others, in bits: little where they tell the same.
            With ``states``, a line for each feature, ``state`` and ``class``: the ``share`` of the state in the
            model, its ``rows`` in X, and ``log_odds``, by which it changes the log-odds of the class when nothing
            else is known.

        Examples
        --------
        >>> import bayleaf as bl
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = bl.BayesNetClassifier().fit(X, y)
        >>> clf.importance(X).columns
        ['feature', 'information', 'added']
        >>> effects = clf.importance(X, states=True)
        >>> effects["feature", "state", "rows"].row(0)
        ('sepal length (cm)', '(-inf, 4.95]', 22)
        """
        check_param("importance", "draws", draws, int, low=1)
        model = self._joint_model()
        rows = None if X is None else self.encode(X)
        if states:
            table = model.draw(1, np.random.default_rng(0)) if rows is None else rows
            return _frame(of_features.STATE_COLUMNS, of_features.state_effects(model, table, rows), backend)
        used = model.draw(draws, np.random.default_rng(random_state)) if rows is None else rows
        return _frame(of_features.COLUMNS, of_features.importance(model, used), backend)

    def log_evidence(self, X: TableLike) -> NDArray[np.float64]:
        """Log-probability of each row's known values, natural logarithm; the class and missing values are summed out.

        Examples
        --------
        >>> import bayleaf as bl
        >>> clf = bl.BayesNetClassifier().fit([["a"], ["a"], ["b"]], [0, 1, 1])
        >>> bool(abs(np.exp(clf.log_evidence([["a"], ["b"]])).sum() - 1.0) < 1e-9)
        True
        """
        table = self.encode(X)
        return self._joint_model().log_evidence(table)

    def typicality(
        self,
        X: TableLike,
        *,
        draws: int = 1000,
        random_state: int | np.random.Generator = 0,
        backend: str | None = None,
    ) -> Frame:
        """Say how typical rows are of what the model knows.

        Parameters
        ----------
        X : DataFrame or array
        draws : int, default=1000
            Rows that are drawn from the model to compare with.
        random_state : int or numpy Generator, default=0
        backend : {"polars", "pandas", "pyarrow"}, optional
            Library of the DataFrame that is returned; by default the first of these that is installed.

        Returns
        -------
        DataFrame
            A line for each row: ``log_evidence``, as above; ``typicality``, the share of drawn rows that are no more
            probable (of rows drawn from the model, 1% are below 0.01); ``conflict``, the logarithm of how much less
            probable the values are together than they would be if independent, above zero where they contradict one
            another.

        References
        ----------
        F. V. Jensen, B. Chamberlain, T. Nordahl and F. Jensen. Analysis in HUGIN of data conflict. UAI, 1990.

        Examples
        --------
        >>> import bayleaf as bl
        >>> X = [["a", "a"], ["a", "a"], ["b", "b"]] * 10
        >>> clf = bl.BayesNetClassifier().fit(X, [0, 0, 1] * 10)
        >>> usual, odd = clf.typicality([["a", "a"], ["a", "b"]])["typicality"]
        >>> usual > 0.9, odd < 0.1
        (True, True)
        """
        check_param("typicality", "draws", draws, int, low=1)
        table, model = self.encode(X), self._joint_model()
        drawn = model.draw(draws, np.random.default_rng(random_state))
        columns = typicality.typicality(model, table, drawn)
        return make_frame(
            {name: values.tolist() for name, values in zip(typicality.COLUMNS, columns, strict=True)}, backend
        )

    def _one_row(self, row: Any) -> Table:
        """Encode one row; a dict may leave out columns."""
        if isinstance(row, Mapping):
            row = self._as_row(row)
        table = self.encode(row)
        if table.n_rows != 1:
            raise ValueError(f"value_of_information takes one row. Got {table.n_rows:,} rows.")
        return table

    def _as_row(self, values: Mapping[str, Any]) -> Any:
        names = [variable.name for variable in self.schema_.columns]
        strange = [name for name in values if name not in names]
        if strange:
            raise ValueError(
                f"The model has no column {strange[0]!r}; its columns are {', '.join(names[:10])}."
            )
        if hasattr(self, "feature_names_in_"):
            return make_frame({name: [values.get(name)] for name in names})
        cells = np.empty((1, len(names)), dtype=object)
        cells[0] = [values.get(name) for name in names]
        return cells


def _frame(names: tuple[str, ...], lines: list[tuple[Any, ...]], backend: str | None) -> Any:
    columns = zip(*lines, strict=True) if lines else [()] * len(names)
    return make_frame({name: list(column) for name, column in zip(names, columns, strict=True)}, backend)
