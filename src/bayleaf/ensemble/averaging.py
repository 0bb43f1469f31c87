"""Averaging: networks of several graphs, learned from the same rows."""

from copy import copy

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import Label, Seed, TableLike
from bayleaf._util.params import check_param, generator
from bayleaf.counts import count, family_counts
from bayleaf.data import Table
from bayleaf.data.discretize.adaptive import default_discretizer
from bayleaf.data.identifier_columns import without_identifiers
from bayleaf.data.table import empty_codes, missing_code
from bayleaf.estimator import BayesNetClassifier, stand_ins
from bayleaf.explain.evidence import Explanation, explain_rows
from bayleaf.explain.joint_model import JointModel
from bayleaf.explain.questions import JointQuestions
from bayleaf.network import BayesNet
from bayleaf.network.council import Vote
from bayleaf.network.first_joint import first_joint, with_first_joint
from bayleaf.parameters import ClosedForm, ParameterLearner, Shrinkage
from bayleaf.parameters.closed_form import fill_tables
from bayleaf.record import TrainingRecord
from bayleaf.selection.selector import keep_selected
from bayleaf.structure.aode import AODE
from bayleaf.structure.several import MemberGraph, SeveralLearner

from .ensemble_base import EnsembleClassifier, class_shares


class AveragedClassifier(EnsembleClassifier, JointQuestions):
    """Networks of several graphs whose probabilities are averaged: AODE and its kin.

    Parameters
    ----------
    structures : learner of several graphs, optional
        `AODE` (the default), `A2DE`, `WAODE`, `ATAN`, `ESKDB`. It also says whether joint probabilities are averaged
        or class probabilities.
    estimator : BayesNetClassifier, optional
        How everything else is done: the parameter learner, discretiser, selector, missing values, costs. Its own
        structure learner must be None.
    random_state : int or RandomState, optional
        For learners that draw random numbers.

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    estimators_ : list of BayesNetClassifier
        The fitted members.
    weights_ : ndarray
        What they weigh; those of each level sum to one.
    levels_ : ndarray of int
        Members of level 1 answer where all members of level 0 call a row impossible, and so on.
    council_ : Council
        The members as they answer together.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.
    n_parameters_ : int
        Free parameters of all members together.
    training_ : TrainingRecord
        What fit saw: rows, classes, missing values.

    Notes
    -----
    Missing values are summed out exactly within each member. The sum over members then is the exact marginal of
    their average, where joint probabilities are averaged; otherwise it is the average of exact posteriors.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> aode = AveragedClassifier(bl.AODE(), bl.BayesNetClassifier(parameters=bl.Shrinkage())).fit(X, y)
    >>> round(aode.score(X, y), 2), len(aode.estimators_)
    (0.98, 4)
    """

    def __init__(
        self,
        structures: SeveralLearner | None = None,
        estimator: BayesNetClassifier | None = None,
        *,
        random_state: Seed = None,
    ) -> None:
        self.structures = structures
        self.estimator = estimator
        self.random_state = random_state

    @property
    def vote(self) -> Vote:  # type: ignore[override]
        """How the members answer together: "joint" or "average" probabilities."""
        return self._learner().vote

    def _learner(self) -> SeveralLearner:
        return AODE() if self.structures is None else self.structures

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        if isinstance(self.structures, type) or not hasattr(self._learner(), "learn_all"):
            raise TypeError(
                "The 'structures' parameter of AveragedClassifier must be an object with a method 'learn_all', such "
                f"as bayleaf.AODE(). Got {self.structures!r} instead."
            )
        self.check_estimator()
        if self.estimator is not None and self.estimator.structure is not None:
            raise ValueError(
                "The graphs of AveragedClassifier are those of 'structures': leave the structure of its 'estimator' "
                f"None. Got {self.estimator.structure!r} instead."
            )
        check_param(
            self,
            "random_state",
            self.random_state,
            (int, np.random.RandomState, np.random.Generator),
            low=0,
            allow_none=True,
        )

    def fit(self, X: TableLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> "AveragedClassifier":
        """Encode the rows, learn the graphs, and fill the tables of each from the same rows.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two counts like two equal rows, a weight of zero like no row.
        """
        self.check_params()
        encoder, learner = self._new_encoder(), self._learner()
        everything = encoder.learn_table(X, y, sample_weight)
        table = without_identifiers(everything)
        rng = generator(self.random_state)
        encoder._costs()  # says what is wrong with the loss before any time is spent
        if encoder.selector is not None:
            table = keep_selected(encoder.selector, learner, table, rng)
        parameters = Shrinkage() if encoder.parameters is None else encoder.parameters
        graphs = learner.learn_all(table, rng)
        members, weights = [], np.empty(len(graphs))
        for number, graph in enumerate(graphs):
            network, weights[number] = _weighted_network(table, graph, parameters)
            member = copy(encoder)
            member._set_network(network)
            members.append(member)
        prior = class_shares(table, len(encoder.classes_))
        self._set_members(encoder, members, prior, weights, [graph.level for graph in graphs])
        used = {"structures": learner, "parameters": parameters}
        stood_in = stand_ins(encoder, used | {"discretizer": default_discretizer()})
        self.training_ = TrainingRecord.of_ensemble(everything, self.published_method, stood_in)
        self._keep_seen(encoder)
        self._warn_if_nothing_learned()
        return self

    @property
    def weights_(self) -> NDArray[np.float64]:
        """What the members weigh; those of each level sum to one."""
        weights: NDArray[np.float64] = self.council_.weights
        return weights

    @property
    def levels_(self) -> NDArray[np.int64]:
        """Members of level 1 answer where all members of level 0 call a row impossible, and so on."""
        levels: NDArray[np.int64] = self.council_.levels
        return levels

    def explain(
        self, X: TableLike, *, target: Label | None = None, against: Label | None = None
    ) -> Explanation:
        """Evidence of each feature for one class against another, in log-odds, row by row.

        Features are shown to the members one by one, in the order of the columns, and all others summed out: the
        evidence of a feature is what it adds to the log-odds. It adds up to those of the prediction.

        Parameters
        ----------
        X : DataFrame or array
        target, against : class labels, optional
            By default the predicted class against the most probable of the others, for each row.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> explanation = AveragedClassifier().fit(X, y).explain(X.iloc[[100]])
        >>> bool(np.isclose(explanation.total[0], explanation.log_odds[0]))
        True
        """
        table = self.encode(X)
        return explain_rows(
            self.council_,
            table,
            self.classes_,
            self._prior,
            costs=self._encoder._costs(),
            target=target,
            against=against,
        )

    def _joint_model(self) -> JointModel:
        check_is_fitted(self)
        if self.vote != "joint":
            raise ValueError(
                f"{self._learner()!r} averages class probabilities, not joint probabilities: the ensemble has no "
                "joint distribution to ask. Ask a member, as in estimators_[0]."
            )
        return JointModel(self.council_, self._draw, self.classes_, self._prior, self._encoder._costs())

    def _draw(self, n: int, rng: np.random.Generator) -> Table:
        """Draw rows of the features from the members, each as often as it weighs; what they do not use is missing."""
        weights = np.where(self.levels_ == 0, self.weights_, 0.0)
        codes = empty_codes(n, self.schema_.features)
        codes[:] = missing_code(codes.dtype)
        start = 0
        for member, rows in zip(self.estimators_, rng.multinomial(n, weights / weights.sum()), strict=True):
            drawn = member._draw(int(rows), rng)
            codes[start : start + rows, member._columns] = drawn.codes
            start += rows
        return Table(self.schema_.features, codes)


def _weighted_network(
    table: Table, graph: MemberGraph, parameters: ParameterLearner
) -> tuple[BayesNet, float]:
    """Return the network of a graph, and its weight."""
    dag, target, first = graph.dag, table.n_variables - 1, graph.superparents
    tables, share = fill_tables(parameters, table, dag, family_counts(table, dag)), 1.0
    if first:
        joint = first_joint(dag, tables, target, first)
        if isinstance(parameters, ClosedForm):
            # One table over the class and the super-parents, smoothed as one.
            (counts,) = count(table, [[target, *first]])
            joint = parameters.estimate(counts.reshape(-1)).reshape(counts.shape)
        if graph.seen is not None:
            joint = np.where(graph.seen, joint, 0.0)
        changed, share = with_first_joint(dag, tables, target, first, joint)
        tables = tuple(changed)
    return BayesNet(table.variables, dag, tables, table.names[-1]), graph.weight * share
