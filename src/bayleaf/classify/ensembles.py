"""Ensembles of networks over one schema: of several graphs, averaged, and of samples of the rows (bagging)."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import check_is_fitted

from bayleaf._util.kinds import Seed, TableLike
from bayleaf._util.params import (
    declared,
    flag,
    generator,
    one_of,
    rows_or_share,
    seeding,
    unchanged_on_failure,
    whole,
    with_method,
)
from bayleaf._util.words import counted, warn
from bayleaf.counts import count, family_counts
from bayleaf.data import Table, TableReader
from bayleaf.data.categories import without_identifiers
from bayleaf.data.columns import check_rows
from bayleaf.data.table import OwnCodes, empty_codes, missing_code
from bayleaf.explain.evidence import Weighing, weighing
from bayleaf.explain.questions import JointModel, JointQuestions
from bayleaf.learn.parameters import ClosedForm, ParameterLearner, Shrinkage
from bayleaf.learn.parameters.closed_form import fill_tables
from bayleaf.learn.register import learner_or_text, named_learner, with_learners
from bayleaf.learn.selection.selector import keep_selected
from bayleaf.learn.structure import FixedStructure
from bayleaf.learn.structure.aode import AODE
from bayleaf.learn.structure.structure_learner import MemberGraph, SeveralLearner
from bayleaf.learn.tuning.tuned_tables import TuningLearner
from bayleaf.network import BayesNet
from bayleaf.network.council import Council, Vote, first_joint, with_first_joint
from bayleaf.network.member import Member

from .base import NetworkClassifier, OfSingleNetworks, as_used
from .one_network import BayesNetClassifier
from .record import TrainingRecord

# Where to turn instead.
SEVERAL = (
    "it is several networks, and this is for a single one. Ask a member, as in estimators_[0].{name}; the page that "
    "report() writes shows all of them together"
)
NO_INTERVALS = (
    "it is several networks, and what each says of the rows it was learned from tells nothing of all together. For "
    "intervals fit a single network, BayesNetClassifier()"
)


# Whose settings count where no estimator is given.
USUAL_MEMBER = BayesNetClassifier()


class EnsembleClassifier(NetworkClassifier):
    """Several networks over one schema that decide together, as ``vote`` says.

    Rows are read, and decisions weighed, by the settings of ``estimator``.
    """

    estimator: BayesNetClassifier | None
    estimators_: list[BayesNetClassifier]
    council_: Council
    network_ = OfSingleNetworks(SEVERAL)
    sufficient_reason = OfSingleNetworks(SEVERAL)
    predict_interval = OfSingleNetworks(NO_INTERVALS)

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data; the members are classifiers of one network."""
        super().check_params()
        self._settings().check_params()

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the members too (``estimator__missing``), also where no estimator is given."""
        if params.get("estimator", self.estimator) is None and any(
            key.startswith("estimator__") for key in params
        ):
            params["estimator"] = BayesNetClassifier()
        super().set_params(**params)
        return self

    def _settings(self) -> BayesNetClassifier:
        if not (self.estimator is None or isinstance(self.estimator, BayesNetClassifier)):
            raise TypeError(
                f"The 'estimator' parameter of {type(self).__name__} must be a BayesNetClassifier, such as "
                f"bayleaf.BayesNetClassifier(bayleaf.TAN()). Got {self.estimator!r} instead."
            )
        return USUAL_MEMBER if self.estimator is None else self.estimator

    def _new_reader(self) -> TableReader:
        return self._settings()._new_reader()

    def _new_member(self) -> BayesNetClassifier:
        """Return a classifier that knows the columns, but has no network yet."""
        member: BayesNetClassifier = clone(self._settings())
        member._use(self._reader)
        return member

    def _set_members(
        self,
        members: list[BayesNetClassifier],
        vote: Vote,
        prior: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
        levels: Sequence[int] | None = None,
    ) -> None:
        self.estimators_ = members
        self.n_parameters_ = sum(model.n_parameters_ for model in members)
        costs = self._costs()
        self.council_ = Council(
            [Member(each._predictor, each._member.columns, each._prior, costs) for each in members],
            vote,
            prior,
            weights,
            levels,
            [variable.name for variable in self.schema_.variables],
        )

    def _weighing(self, table: Table) -> Weighing:
        return weighing(self.council_, table, self._prior)

    def _answering(self) -> Council:
        check_is_fitted(self, "council_")
        if self.council_.vote == "majority":  # members decide before they vote, by the costs of now
            self.council_ = self.council_.with_costs(self._costs())
        return self.council_


def class_shares(table: Table, classes: int) -> NDArray[np.float64]:
    """Return the share of each class in the weight of the training rows."""
    weights = np.bincount(table.codes[:, -1], table.weights, minlength=classes)
    shares: NDArray[np.float64] = weights / table.total_weight
    return shares


class AveragedClassifier(EnsembleClassifier, JointQuestions):
    """Networks of several graphs whose probabilities are averaged: AODE and similar ensembles.

    Parameters
    ----------
    structures : learner of several graphs or str, optional
        `AODE` (the default), `A2DE`, `WAODE`, `ATAN`, `ESKDB`, or its name with settings if need be. It also says
        whether joint probabilities are averaged or class probabilities.
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
        Their weights; those of each level sum to one.
    levels_ : ndarray of int
        Members of level 1 answer where all members of level 0 call a row impossible, and so on.
    council_ : Council
        The members as they answer together.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_parameters_ : int
        Free parameters of all members together.
    training_ : TrainingRecord
        Record of the training data: rows, classes, missing values.

    Notes
    -----
    Missing values are summed out exactly within each member. If joint probabilities are averaged, the result is the
    exact marginal of their average; otherwise it is the average of exact posteriors.

    Examples
    --------
    >>> import bayleaf as bl
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> aode = AveragedClassifier(bl.AODE(), bl.BayesNetClassifier(parameters=bl.Shrinkage())).fit(X, y)
    >>> round(aode.score(X, y), 2), len(aode.estimators_)
    (0.98, 4)
    """

    settings = declared(random_state=seeding)

    def __init__(
        self,
        structures: SeveralLearner | str | None = None,
        estimator: BayesNetClassifier | None = None,
        *,
        random_state: Seed = None,
    ) -> None:
        self.structures = learner_or_text("structures", structures)
        self.estimator = estimator
        self.random_state = random_state

    def set_params(self, **params: Any) -> Self:
        """Set parameters, those of the members and of the learner of graphs too (``structures__min_count=2``)."""
        return super().set_params(**with_learners(self, params, {"structures": AODE()}))

    @property
    def vote(self) -> Vote:
        """How the members answer together: "joint" or "average" probabilities."""
        return self.council_.vote if hasattr(self, "council_") else self._learner().vote

    def _learner(self) -> SeveralLearner:
        learner: SeveralLearner = named_learner("structures", self.structures)
        return AODE() if learner is None else learner

    def check_params(self) -> None:
        """Refuse settings that are wrong for any data."""
        super().check_params()
        with_method(self, "structures", self._learner(), "learn_all", "bayleaf.AODE()")
        if self.estimator is not None and self.estimator.structure is not None:
            raise ValueError(
                "The graphs of AveragedClassifier are those of 'structures': leave the structure of its 'estimator' "
                f"None. Got {self.estimator.structure!r} instead."
            )

    def fit(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> "AveragedClassifier":
        """Encode the rows, learn the graphs, and fill the tables of each from the same rows.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of two counts like two equal rows, a weight of zero like no row. Where the learner of graphs or
            of tables divides the rows, a row of weight two stays in one part, and two equal rows need not.
        groups : array-like of shape (n_samples,), optional
            Which rows belong together: visits of one patient, say. Rows that tuning holds out are then of groups that
            it has not learned from, as new rows will be.
        """
        self.check_params()
        with unchanged_on_failure(self):
            settings, learner, reader = self._settings(), self._learner(), self._new_reader()
            X = check_rows(X)  # some tables can be read only once
            everything = reader.learn(self, X, y, sample_weight, groups=groups)
            self._use(reader)
            self._costs()  # says what is wrong with the loss before any time is spent
            table, rng = without_identifiers(everything), generator(self.random_state)
            selector, parameters = settings._learner("selector"), settings._learner("parameters")
            if selector is not None:
                table = keep_selected(selector, learner, table, rng)
            parameters = Shrinkage() if parameters is None else parameters
            graphs, pattern = learner.learn_all(table, rng), self._new_member()
            self.structure_, self.parameters_ = as_used(learner), as_used(parameters)
            members, weights = [], np.empty(len(graphs))
            for number, graph in enumerate(graphs):
                network, weights[number] = _weighted_network(table, graph, parameters)
                members.append(self._member_of(pattern, network))
            prior = class_shares(table, len(self.classes_))
            self._set_members(members, learner.vote, prior, weights, [graph.level for graph in graphs])
            self.training_ = TrainingRecord.of_ensemble(everything, self.published_method)
            self._remember(everything, X, y, sample_weight)
        self._warn_if_nothing_learned()
        return self

    def _member_of(self, pattern: BayesNetClassifier, network: BayesNet) -> BayesNetClassifier:
        """Return a member with this network: a graph that was given, its tables filled."""
        member = copy(pattern)
        member._set_network(network)
        member.structure_, member.parameters_ = FixedStructure(network.dag), self.parameters_
        return member

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The weights of the members; those of each level sum to one."""
        check_is_fitted(self, "council_")
        weights: NDArray[np.float64] = self.council_.weights
        return weights

    @property
    def levels_(self) -> NDArray[np.int64]:
        """Members of level 1 answer where all members of level 0 call a row impossible, and so on."""
        check_is_fitted(self, "council_")
        levels: NDArray[np.int64] = self.council_.levels
        return levels

    def _joint_model(self) -> JointModel:
        check_is_fitted(self)
        if self.council_.vote != "joint":
            raise ValueError(
                f"{self.structure_!r} averages class probabilities, not joint probabilities: the ensemble has no "
                "joint distribution to ask. Ask a member, as in estimators_[0]."
            )
        return JointModel(self.council_, self._draw, self.classes_, self._prior, self._costs())

    def _draw(self, n: int, rng: np.random.Generator) -> Table:
        """Draw rows of the features from the members, each as often as it weighs; what they do not use is missing."""
        weights = np.where(self.levels_ == 0, self.weights_, 0.0)
        codes = empty_codes(n, self.schema_.features)
        codes[:] = missing_code(codes.dtype)
        start = 0
        for member, rows in zip(self.estimators_, rng.multinomial(n, weights / weights.sum()), strict=True):
            drawn = member._draw(int(rows), rng)
            codes[start : start + rows, member._member.columns] = drawn.codes
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


# Seeds are drawn below this number, as scikit-learn's ensembles draw theirs.
MOST_SEEDS = np.iinfo(np.int32).max
# A member that learns from fewer rows is probably a mistake.
FEW_ROWS = 5


class BaggedClassifier(EnsembleClassifier):
    """Several networks, each learned from its own random sample of the rows, that decide together.

    Rows are drawn as scikit-learn's ``BaggingClassifier`` draws them. The columns are encoded first, once and from
    all training rows: so DataFrames with strings and missing values work, all members know the same categories and
    intervals, and only codes are resampled.

    Parameters
    ----------
    estimator : BayesNetClassifier, optional
        What the members are; ``BayesNetClassifier()`` by default.
    n_estimators : int, default=10
        How many members.
    vote : {"average", "majority"}, default="average"
        The members' probabilities are averaged; or each member has one vote, and probabilities are shares of votes.
    max_samples : int or float, optional
        Rows of each sample, as a number or as a share of the rows (of their total weight, if they have weights); by
        default as many as there are rows.
    bootstrap : bool, default=True
        Whether a row may be in one sample several times.
    random_state : int or RandomState, optional

    Attributes
    ----------
    classes_ : ndarray
        The class labels, sorted.
    estimators_ : list of BayesNetClassifier
        The fitted members.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_parameters_ : int
        Free parameters of all members together.
    training_ : TrainingRecord
        Record of the training data: rows, classes, missing values.

    References
    ----------
    S. Ma and H. Shi. Tree-augmented naive Bayes ensembles. Machine Learning and Cybernetics, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> rtan = BaggedClassifier(random_state=0).fit(X, y)
    >>> round(rtan.score(X, y), 2), len(rtan.estimators_)
    (0.97, 10)
    """

    explain = OfSingleNetworks(SEVERAL)
    settings = declared(
        n_estimators=whole(low=1),
        vote=one_of("majority", "average"),
        max_samples=rows_or_share,
        bootstrap=flag,
        random_state=partial(seeding, types=(int, np.random.RandomState)),
    )

    def __init__(
        self,
        estimator: BayesNetClassifier | None = None,
        n_estimators: int = 10,
        vote: Literal["majority", "average"] = "average",
        *,
        max_samples: float | None = None,
        bootstrap: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.vote = vote
        self.max_samples = max_samples
        self.bootstrap = bootstrap
        self.random_state = random_state

    def fit(
        self,
        X: TableLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
    ) -> "BaggedClassifier":
        """Encode the rows, then learn each member from a sample of them.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Rows are drawn in proportion to it: a row of weight two is not the same as two equal rows.
        groups : array-like of shape (n_samples,), optional
            Which rows belong together: visits of one patient, say. Rows that tuning holds out are then of groups that
            it has not learned from, as new rows will be.
        """
        self.check_params()
        with unchanged_on_failure(self):
            reader = self._new_reader()
            X = check_rows(X)  # some tables can be read only once
            table = reader.learn(self, X, y, sample_weight, groups=groups)
            self._use(reader)
            rows_alone, parameters = table.without_weights(), self._settings()._learner("parameters")
            members = [
                _seeded(self._new_member(), seed).fit_table(_sampled(rows_alone, rows, parameters))
                for seed, rows in self._samples(table)
            ]
            for member in members:  # new rows are compared with all rows, not with samples
                member.training_ = replace(member.training_, counts=None)
            self._set_members(members, self.vote, class_shares(table, len(self.classes_)))
            structure, first = self._settings()._learner("structure"), members[0]
            self.structure_ = first.structure_ if structure is None else as_used(structure)
            self.parameters_ = first.parameters_ if parameters is None else as_used(parameters)
            self.training_ = TrainingRecord.of_ensemble(table, self.published_method)
            self._remember(table, X, y, sample_weight)
        self._warn_if_nothing_learned()
        return self

    def _samples(self, table: Table) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield a seed for each member, and the rows it learns from, ascending."""
        size = self._sample_size(table)
        seeds = check_random_state(self.random_state).randint(MOST_SEEDS, size=self.n_estimators)
        for seed in seeds.tolist():
            rng = np.random.RandomState(seed)
            if table.weights is not None:
                share = table.weights / table.weights.sum()
                rows = rng.choice(table.n_rows, size, replace=self.bootstrap, p=share)
            elif self.bootstrap:
                rows = rng.randint(0, table.n_rows, size)
            else:
                rows = sample_without_replacement(table.n_rows, size, random_state=rng)
            yield seed, np.sort(rows)

    def _sample_size(self, table: Table) -> int:
        if self.max_samples is None:
            return table.n_rows
        share = isinstance(self.max_samples, float | np.floating)
        size = max(int(self.max_samples * table.total_weight), 1) if share else int(self.max_samples)
        if size > table.n_rows and not self.bootstrap:
            raise ValueError(
                f"Samples of {size:,} rows cannot be drawn from {table.n_rows:,} rows without drawing a row twice: "
                "use a smaller max_samples, or bootstrap=True."
            )
        if size < FEW_ROWS <= table.n_rows:
            warn(
                f"Each member learns from {counted(size, 'row')} of {table.n_rows:,}: max_samples is a share of the "
                "sum of the weights. Use a larger max_samples, or weights with a larger sum."
            )
        if table.weights is not None and not self.bootstrap:
            warn(
                "Rows are drawn by their weights without drawing a row twice: bootstrap=True suits weights better."
            )
        return size


def _sampled(table: Table, rows: NDArray[np.int64], parameters: Any) -> Table:
    """Return a sample, with copies of a row as its weight where they must not be divided.

    Tables that are tuned hold out rows: of two copies of a row one would say what the other is.
    """
    if parameters is None or isinstance(parameters, TuningLearner):
        distinct, times = np.unique(rows, return_counts=True)
        if len(distinct) < len(rows):
            part = table.take(distinct)
            return replace(part, weights=times.astype(np.float64), own=OwnCodes(part.has_missing))
    return table.take(rows)


def _seeded(member: BayesNetClassifier, seed: int) -> BayesNetClassifier:
    """Give a classifier, and the learners in it, random states of its own."""
    names = [name for name in sorted(member.get_params()) if name.split("__")[-1] == "random_state"]
    rng = np.random.RandomState(seed)
    member.set_params(**{name: rng.randint(MOST_SEEDS) for name in names})
    return member
