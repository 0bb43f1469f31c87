"""Tables tuned by what they predict: a parameter learner for graphs whose tuned scores are a network again.

First the learner, then what it tunes: weights of levels and features, chosen on some of the rows, and
corrections of cells, learned from all of them; at last how scores over the families of a graph become the tables of a
network with the same graph.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from bayleaf._native import _core
from bayleaf._util.params import Needs, WithSettings, declared, one_thread, whole
from bayleaf.counts import Counts, count, required_classes
from bayleaf.data import Table
from bayleaf.data.table import stratified_folds
from bayleaf.graph import DAG
from bayleaf.learn.parameters import Shrinkage, Tables
from bayleaf.network import BayesNet
from bayleaf.network.member import BackedOff, EvidenceTables, GapCaution, Gaps, TwoReadings

from .corrections import CellProblem, Correction, Part, follow
from .held_out import (
    Cells,
    FamilyCells,
    FloatArray,
    FoldModel,
    Learn,
    OutOfSample,
    Target,
    class_codes,
    doubt_about,
    fold_models,
    log_joints,
    log_prior,
    log_softmax,
    order_of_content,
    rows_to_hide_from,
    score_members,
    usual_gaps,
)
from .stages import (
    Corrections,
    MemberScores,
    Rows,
    correct,
    fit_feature_weights,
    fit_gap_weights,
    fit_level_weights,
)

# Into how many parts rows are divided to choose penalties.
PARTS = 3
# More scores of members, rows and classes are not held.
MOST_SCORES = 2**28


@dataclass(frozen=True)
class Tuned:
    """What tuning gives.

    ``held_out`` has the logarithms of the class probabilities of training rows, [row, class], by what was learned
    without them; None where there are too few rows.
    """

    tables: Tables
    held_out: FloatArray | None
    rows: NDArray[np.int64]  # the numbers of the rows held out
    gaps: "GapReading | None" = None  # for rows with gaps; None where there are too few rows

    def readings(self, network: BayesNet) -> tuple[BayesNet, TwoReadings | None]:
        """Return the joint distribution of the rows, and the two readings of the graph of a tuned network."""
        if self.gaps is None:
            return network, None
        joint = BayesNet(network.variables, network.dag, self.gaps.joint, network.target)
        # Where no feature can tell anything, the class frequencies are all that there is to say.
        evidence = EvidenceTables(network if self.gaps.telling else joint, self.gaps.backed_off)
        return joint, TwoReadings(joint, evidence, self.gaps.caution)

    def out_of_sample(self, table: Table, costs: FloatArray | None = None) -> OutOfSample | None:
        """Measure what was said of rows of the table that was tuned by; None where there were too few.

        ``costs`` [true class, decision] are what decisions cost, where they cost anything.
        """
        if self.held_out is None:
            return None
        weights = None if table.weights is None else table.weights[self.rows]
        target = class_codes(table)[self.rows]
        totals = np.bincount(target, weights, minlength=self.held_out.shape[1])
        return OutOfSample.of(np.exp(self.held_out), target, totals / totals.sum(), weights, costs)


@dataclass(frozen=True)
class GapReading:
    """What is needed of a graph beside its tuned tables, where values are missing.

    Attributes
    ----------
    joint : tables
        Shrunk estimates, and the class frequencies: how the rows are distributed.
    backed_off : dict
        By node: its evidence where parents are missing.
    caution : GapCaution
    telling : bool
        Whether any feature has several states.
    """

    joint: Tables
    backed_off: dict[int, BackedOff]
    caution: GapCaution
    telling: bool


@runtime_checkable
class TuningLearner(Protocol):
    """A parameter learner that learns the graph again from some of the rows, to see what it says of the others."""

    def tune(self, table: Table, dag: DAG, learn: Learn | None = None) -> Tuned:
        """Return the tables of a graph that ``learn`` found in this table."""
        ...


class TunedTables(WithSettings):
    """Tables that predict the class well: shrunk estimates, weighted and corrected by rows they have not seen.

    1. The rows are dealt out to folds, the ``groups`` of fit as a whole. log P(x | c), log P(x | parent, c) and so on
       of a row's features come from a graph and `Shrinkage` tables that were learned without its fold.
    2. These scores are weighted: softmax(b + w log P(c) + sum of w_l u_i log P_l(x_i | ...)) with one weight w_l for
       each number l of parents and one weight u_i for each feature.
    3. The entries of the tables get corrections D, first those of P(x | c), then those with a parent, and so on. They
       maximise the conditional likelihood of the classes less lambda / 2 |D|^2.
    4. Penalties are chosen by cross-validation, from strong to weak; a step that does not lower the log-loss of rows
       that were held out is left out.
    5. What has been learned is a network of the same graph again, once each family is divided by its sums, from the
       leaves upwards.

    For the last step the parents of each node must be connected, and the class must have none, as in naive
    Bayes, in trees and forests (`TAN`, `FAN`, ``KDB(k=1)``), and in some others.

    Parameters
    ----------
    folds : int, default=5
        Into how many parts the rows are dealt out for the scores.
    sample : int, default=20000
        Weights and penalties are chosen on at most this many rows; corrections are learned from all.
    max_iter : int, default=20
        Iterations of L-BFGS for each penalty, at most.
    seed : int, default=0
        How the rows are dealt out. It depends on their values, not on their order.

    References
    ----------
    T. Roos, H. Wettig, P. Grünwald, P. Myllymäki and H. Tirri. On discriminative Bayesian network classifiers and
    logistic regression. Machine Learning 59, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import bayleaf as bl
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = bl.BayesNetClassifier(bl.TAN(), bl.TunedTables()).fit(X, y)
    >>> round(clf.score(X, y), 2)
    0.97
    """

    needs: Needs = "rows"
    settings = declared(
        folds=whole(low=2, high=255),
        sample=whole(low=PARTS),
        max_iter=whole(low=1),
        seed=whole(low=0),
    )

    def __init__(self, folds: int = 5, sample: int = 20_000, max_iter: int = 20, seed: int = 0) -> None:
        self.folds = folds
        self.sample = sample
        self.max_iter = max_iter
        self.seed = seed

    def fit(self, table: Table, dag: DAG) -> Tables:
        """Estimate the table of every node, of a graph that is known: one axis per parent, then the node's own."""
        return self.tune(table, dag).tables

    def tune(self, table: Table, dag: DAG, learn: Learn | None = None) -> Tuned:
        """Estimate the tables of a graph.

        ``learn`` is how the graph was learned from this table: it returns the graph for a table of some of its rows.
        Without it the graph counts as known, and held-out rows as better predicted than new ones if it is not.
        """
        self.check_params()
        check_graph(self, table, dag, ": use Shrinkage()", "Shrinkage(), or a structure such as TAN()")
        rows = order_of_content(table, self.seed)
        if table.weights is not None:
            rows = rows[table.weights[rows] > 0]
        table = table.take(rows)
        if table.n_rows < 2 * PARTS or table.arities[table.target] < 2 or not table.features:
            return Tuned(Shrinkage().fit(table, dag), None, rows)
        folds = stratified_folds(
            class_codes(table), min(self.folds, table.n_rows), self.seed + 1, table.groups
        )
        with one_thread():
            problem = TuningProblem.of(table, dag, learn or (lambda _: dag), folds)
            sample = self._sample(problem)
            groups = None if table.groups is None else table.groups[sample]
            parts = stratified_folds(problem.target[sample], PARTS, self.seed, groups)
            recipe = problem.choose(sample, parts, self.max_iter)
            correction = problem.corrected(recipe, self.max_iter)
            tuned = TunedFamilies.of(problem, recipe, correction)
        telling = bool((table.arities[list(table.features)] > 1).any())
        gaps = GapReading(tuned.joint, tuned.backed_off, recipe.caution, telling)
        return Tuned(normalised(dag, tuned.scores), recipe.held_out, rows[sample], gaps)

    def _sample(self, problem: "TuningProblem") -> NDArray[np.int64]:
        """Return the rows on which weights and penalties are chosen: all of them, or some of each class."""
        most = min(self.sample, max(MOST_SCORES // problem.scores_per_row, 2 * PARTS))
        rows = len(problem.target)
        if rows <= most:
            return np.arange(rows)
        # So many rows of each class in turn are passed over for one that is taken.
        return np.flatnonzero(stratified_folds(problem.target, -(-rows // most), self.seed) == 0)


def check_graph(owner: object, table: Table, dag: DAG, instead: str, connected: str) -> None:
    """Refuse a table without classes, and a graph whose tuned scores would be no network of the same graph.

    ``instead`` says what to use where the class has parents, and ``connected`` where parents are not connected.
    """
    name = type(owner).__name__
    target = required_classes(table, name)
    if parents := dag.parent_indices[target]:
        raise ValueError(
            f"{name} needs a class without parents; '{dag.nodes[parents[0]]}' is a parent of "
            f"'{dag.nodes[target]}' here{instead}."
        )
    if found := unconnected_parents(dag):
        node, one, other = found
        raise ValueError(
            f"{name} needs a graph in which the parents of each node are connected; '{one}' and '{other}', parents "
            f"of '{node}', are not: use {connected}."
        )


def can_tune(dag: DAG, target: int) -> bool:
    """Return whether the tuned scores of a graph are a network of the same graph."""
    return not dag.parent_indices[target] and unconnected_parents(dag) is None


@dataclass(frozen=True)
class ScoreWeights:
    """A class scores bias + w_0 log P(c) + sum over features and levels of w_level u_feature log P(x | ...)."""

    levels: FloatArray  # w: of the class, then of each level
    features: FloatArray  # u: of the class, then of each feature
    bias: FloatArray

    def prior(self, log_prior: FloatArray) -> FloatArray:
        """Return what the class itself adds to the scores."""
        prior: FloatArray = self.bias + self.levels[0] * self.features[0] * log_prior
        return prior

    def feature_weights(self, families: FamilyCells) -> FloatArray:
        """Return the weight of each cell's feature."""
        features = [column for column in range(len(families.arities)) if column != families.target]
        of_family = [1 + features.index(family[0]) for family in families.families]
        return np.repeat(self.features[of_family], np.diff(families.first))

    def cell_weights(self, families: FamilyCells) -> tuple[FloatArray, FloatArray]:
        """Return the weight of each cell against the levels before it; the deepest counts for all after it.

        The second is the weight of the levels after it, for which it counts too where a parent is missing.
        """
        own, later = self.feature_weights(families), self.feature_weights(families)
        for number, family in enumerate(families.families):
            for parents in range(len(family)):
                last = None if parents + 1 == len(family) else parents + 2
                own[families.slices[number][parents]] *= self.levels[1 + parents : last].sum()
                later[families.slices[number][parents]] *= self.levels[2 + parents :].sum()
        return own, later

    def scores(self, table: Table, models: Sequence[FoldModel]) -> FloatArray:
        """Return the scores of all rows, each by the model that has not seen it."""
        scores = np.empty((table.n_rows, len(self.bias)))
        zeros = np.zeros(len(self.bias))
        for model in models:
            rows = table.take(model.rows)
            found = np.tile(self.prior(model.prior), (rows.n_rows, 1))
            tables = self.feature_weights(model.families)[:, None] * model.tables
            for level, weight in enumerate(self.levels[1:].tolist()):
                numbers, before = np.concatenate([[1.0], zeros, weight * tables.ravel()]), found
                found = np.empty_like(before)
                _core.cell_scores(
                    before, model.families.cells(rows, level), None, numbers, found, table.n_jobs
                )
            scores[model.rows] = found
        return scores


def level_sums(members: MemberScores, features: int) -> MemberScores:
    """Add up the scores of the features, level by level; the class comes first, as it does in the members."""
    sums = members[1:].reshape(-1, features, *members.shape[1:]).sum(axis=1, dtype=np.float64)
    return np.concatenate([members[:1], sums.astype(np.float32)])


def joined_levels(members: MemberScores, features: int, weights: FloatArray) -> MemberScores:
    """Add up the weighted scores of all levels for the class and each feature."""
    joined = np.empty((1 + features, *members.shape[1:]), dtype=np.float32)
    joined[0] = weights[0] * members[0]
    levels = members[1:].reshape(-1, features, *members.shape[1:])
    joined[1:] = np.float32(weights[1]) * levels[0]
    for level, weight in zip(levels[1:], weights[2:], strict=True):
        joined[1:] += np.float32(weight) * level
    return joined


# Cells with fewer rows are not corrected.
LEAST_ROWS = 3
# The penalty of corrections grows by this factor with each parent after the first.
PER_PARENT = 2.0
# More corrections than these are not learned.
MOST_CORRECTIONS = 5_000_000


@dataclass(frozen=True)
class Recipe:
    """What was chosen on some of the rows."""

    weights: ScoreWeights
    # The levels whose cells are corrected, each with the strengths of the penalty to go through.
    phases: tuple[tuple[int, tuple[float, ...]], ...]
    held_out: FloatArray  # logarithms of the probabilities of these rows, by what was learned without them
    caution: GapCaution


@dataclass(frozen=True)
class TuningProblem:
    """The rows with their graph, and networks that were learned without a fold of them."""

    table: Table
    dag: DAG
    target: Target
    families: FamilyCells
    models: list[FoldModel]
    learn: Learn

    @classmethod
    def of(cls, table: Table, dag: DAG, learn: Learn, folds: NDArray[np.uint8]) -> "TuningProblem":
        """Learn networks without each of the folds."""
        models = fold_models(table, learn, folds)
        return cls(table, dag, class_codes(table), FamilyCells.of(table, dag), models, learn)

    @property
    def classes(self) -> int:
        """The number of classes."""
        return self.families.arities[self.families.target]

    @cached_property
    def doubt(self) -> FloatArray:
        """How much of a row's label is doubted, by class."""
        return doubt_about(self.target, self.classes, self.table.weights)

    @property
    def scores_per_row(self) -> int:
        """How many numbers `choose` holds of each row."""
        return (1 + (self.families.depth + 1) * len(self.table.features)) * self.classes

    @cached_property
    def levels(self) -> list["LevelCells"]:
        """The cells that can be corrected, by the number of parents that they know."""
        return [LevelCells.of(self.table, self.families, level) for level in range(self.families.depth + 1)]

    def choose(self, sample: NDArray[np.int64], parts: NDArray[np.uint8], max_iter: int) -> Recipe:
        """Choose weights and penalties on some of the rows, each of which is held out with its part."""
        part, features = self.table.take(sample), len(self.table.features)
        place = np.full(self.table.n_rows, -1)
        place[sample] = np.arange(len(sample))
        places = [place[model.rows] for model in self.models]
        models = [replace(model, rows=own[own >= 0]) for model, own in zip(self.models, places, strict=True)]
        rows = Rows(self.target[sample], part.weights, parts, self.doubt, self.table.n_jobs)
        members = score_members(part, models, range(self.families.depth + 1))
        stage, (*_, levels) = fit_level_weights(level_sums(members, features), rows)
        members = joined_levels(members, features, levels.weights)
        stage, found, _ = fit_feature_weights(members, rows, stage)
        weights = ScoreWeights(levels.weights, np.ones(1 + features), levels.bias)
        if found is not None:
            weights = replace(weights, features=found.weights, bias=found.bias)
        done, phases, cells_of_phases = Corrections.none(rows, self.classes), [], []
        # Parents are learned too: those that the rows of a part helped to choose would be too good for them.
        others = (part.take(parts != k) for k in range(rows.n_parts))
        without = [FamilyCells.of(some, self.learn(some)) for some in others]
        for level, chosen in enumerate(self.levels):
            if chosen.size and chosen.size * self.classes <= MOST_CORRECTIONS:
                own = [LevelCells.of(part, families, level) for families in without]
                cells, relative = [each.cells for each in own], [each.relative for each in own]
                stage, done, strengths = correct(stage, rows, done, cells, relative, max_iter)
                if strengths:
                    phases.append((level, strengths))
                    cells_of_phases.append(own)
        withheld = Withheld(part, models, weights, parts, without, cells_of_phases, done.parts)
        caution = withheld.caution()
        return Recipe(weights, tuple(phases), withheld.answered(stage.held_out, caution), caution)

    def corrected(self, recipe: Recipe, max_iter: int) -> Correction:
        """Learn the corrections of a recipe from all rows; those of its phases lie one after the other."""
        correction, penalties, pull = Correction.none(self.classes), np.empty(0), None
        if not recipe.phases:
            return correction
        base = recipe.weights.scores(self.table, self.models)
        cells = np.empty((0, self.table.n_rows), dtype=np.int32)
        nobody = np.zeros(self.table.n_rows, dtype=bool)
        for level, strengths in recipe.phases:
            chosen = self.levels[level]
            cells = np.concatenate([cells, np.where(chosen.cells < 0, -1, chosen.cells + len(penalties))])
            problem = CellProblem(
                base, cells.astype(np.int32), self.target, self.table.weights, self.table.n_jobs, self.doubt
            )
            relative = np.concatenate([np.zeros(len(penalties)), chosen.relative])
            fixed = np.concatenate([penalties, np.zeros(chosen.size)])
            part = Part.of(problem, nobody, relative, fixed, correction, pull)
            correction = follow(part, strengths, max_iter)
            penalties = fixed + strengths[-1] * relative
            pull = strengths[-1] if pull is None else pull
        return correction


@dataclass(frozen=True)
class Withheld:
    """What was learned without a fold, or without a part, of the rows: it is asked about them with values hidden."""

    table: Table
    models: Sequence[FoldModel]
    weights: "ScoreWeights"
    parts: NDArray[np.uint8]
    families: Sequence[FamilyCells]  # of a graph that was learned without each of the parts
    phases: Sequence[Sequence["LevelCells"]]  # the corrected cells of each phase, without each of the parts
    corrections: Sequence[Correction]

    def caution(self) -> GapCaution:
        """Learn how much evidence and network count in rows with gaps."""
        table, features, gaps = self.table, list(self.table.features), self._gaps
        rows, shares = rows_to_hide_from(table.n_rows)
        codes = table.codes[rows][:, features]
        gaps.hide(codes, shares)
        usual = usual_gaps(gaps.count(table.codes[:, features]), table.weights)
        share = GapCaution(usual, np.empty((0, 0))).share(gaps.count(codes), gaps.features)
        readings, target = self._readings(rows, codes), class_codes(table)[rows]
        weights = None if table.weights is None else table.weights[rows]
        prior = np.log(class_frequencies(table))
        return GapCaution(usual, fit_gap_weights(readings, prior, share, target, weights, table.n_rows))

    def answered(self, held_out: FloatArray, caution: GapCaution) -> FloatArray:
        """Return the logarithms of held-out probabilities as new rows with the same gaps will get them."""
        table, features, gaps = self.table, list(self.table.features), self._gaps
        if not (any(table.variables[j].gap for j in features) or table.has_missing[features].any()):
            return held_out
        share = caution.share(gaps.count(table.codes[:, features]), gaps.features)
        rows = np.flatnonzero(share > 0)
        if len(rows):
            evidence, joint = self._readings(rows, table.codes[rows][:, features])
            a, b = caution.of_share(share[rows])[:, :, None]
            mixed = a * evidence + b * joint + (1.0 - a - b) * np.log(class_frequencies(table))
            held_out = held_out.copy()
            held_out[rows] = log_softmax(mixed)
        return held_out

    @cached_property
    def _gaps(self) -> Gaps:
        """What is missing in a row."""
        return Gaps([self.table.variables[column] for column in self.table.features])

    def _readings(self, rows: NDArray[np.int64], codes: NDArray[Any]) -> FloatArray:
        """Return what evidence and network say of rows with these codes of their features, [reading, row, class]."""
        table = self.table
        self._gaps.as_missing(codes)
        everything = np.array(table.codes[rows], order="F")
        everything[:, list(table.features)] = codes
        asked = replace(table.take(rows), codes=everything)  # type: ignore[arg-type]
        fold = np.empty(table.n_rows, dtype=np.int64)
        for number, model in enumerate(self.models):
            fold[model.rows] = number
        models = [replace(model, rows=np.flatnonzero(fold[rows] == k)) for k, model in enumerate(self.models)]
        return np.stack([self._evidence(rows, asked, models), log_joints(asked, models)])

    def _evidence(self, rows: NDArray[np.int64], hidden: Table, models: Sequence[FoldModel]) -> FloatArray:
        """Return the tuned scores of rows, [row, class], by what was learned without them."""
        scores = self.weights.scores(hidden, models)
        for part, (families, correction) in enumerate(zip(self.families, self.corrections, strict=True)):
            own = np.flatnonzero(self.parts[rows] == part)
            some, cells, first = hidden.take(own), [np.empty((0, len(own)), dtype=np.int32)], 0
            for phase in self.phases:
                found = phase[part].of_rows(families, some)
                cells.append(np.where(found < 0, -1, found + first).astype(np.int32))
                first += phase[part].size
            corrected = np.empty((len(own), scores.shape[1]))
            _core.cell_scores(
                scores[own], np.concatenate(cells), None, correction.flat(), corrected, hidden.n_jobs
            )
            scores[own] = corrected
        return scores


@dataclass(frozen=True)
class TunedFamilies:
    """The tuned scores of the families of a graph, and the estimates that they were made of.

    Attributes
    ----------
    scores : list of ndarray
        Of every state of every node: one axis per parent, then the node's own.
    backed_off : dict
        By node: the scores of its states where parents are missing.
    joint : tables
        The estimates, and the class frequencies.
    """

    scores: list[FloatArray]
    backed_off: dict[int, BackedOff]
    joint: Tables

    @classmethod
    def of(cls, problem: TuningProblem, recipe: Recipe, correction: Correction) -> "TunedFamilies":
        """Add up what a recipe and its corrections say of each family."""
        table, families, dag = problem.table, problem.families, problem.dag
        tables, unseen = families.estimates(table)
        joint = _joint_tables(table, dag, families.of_nodes(tables, dag))
        tables[unseen] = 0.0
        added = np.zeros_like(tables)
        stop = 0
        for level, _ in recipe.phases:
            start, stop = stop, stop + problem.levels[level].size
            added[problem.levels[level].chosen] = correction.cells[start:stop]
        own, later = recipe.weights.cell_weights(families)
        numbers = correction.scale * own[:, None] * tables + added
        of_missing_parents = correction.scale * later[:, None] * tables
        prior = log_prior(table)
        counted = count(table, [[*family[:0:-1], families.target] for family in families.families])
        totals, backed_off = np.empty_like(tables), {}
        for number, family in enumerate(families.families):
            total, levels = np.zeros((families.arities[family[0]], problem.classes)), []
            for parents in range(len(family)):
                cells = families.slices[number][parents]
                shape = [families.arities[column] for column in (*family[parents:0:-1], family[0])]
                levels.append(total + (numbers[cells] + of_missing_parents[cells]).reshape(*shape, -1))
                total = total + numbers[cells].reshape(*shape, -1)
            total += common_to_classes(
                total, tables[cells].reshape(total.shape), counted[number], np.exp(prior)
            )
            totals[cells] = total.reshape(-1, problem.classes)
            if len(family) > 1:
                backed_off[family[0]] = BackedOff(family[1:], tuple(map(parents_in_order, levels[:-1])))
        scores = families.of_nodes(totals, dag)
        scores[families.target] = correction.scale * recipe.weights.prior(prior) + correction.bias
        scores |= {node: np.log(joint[node]) for node in range(table.n_variables) if node not in scores}
        return cls([scores[node] for node in range(table.n_variables)], backed_off, joint)


def parents_in_order(scores: FloatArray) -> FloatArray:
    """Return scores [last parent, ..., first parent, state, class] with the first parent first."""
    parents = scores.ndim - 2
    return np.ascontiguousarray(np.transpose(scores, [*reversed(range(parents)), parents, parents + 1]))


def _joint_tables(table: Table, dag: DAG, logs: dict[int, FloatArray]) -> Tables:
    """Return how rows are distributed: shrunk estimates, whose logarithms are known for children of the class."""
    apart = len(logs) + 1 < table.n_variables
    joint = list(Shrinkage().fit(table, dag)) if apart else [np.empty(0)] * table.n_variables
    for node, of_node in logs.items():
        shrunk = np.exp(of_node)
        joint[node] = shrunk / shrunk.sum(axis=-1, keepdims=True)
    assert table.target is not None
    joint[table.target] = class_frequencies(table)
    return tuple(joint)


def class_frequencies(table: Table) -> FloatArray:
    """Return the share of each class in the rows; where a class has none, half a row more for each."""
    assert table.target is not None
    return frequencies_of(
        np.bincount(class_codes(table), table.weights, minlength=int(table.arities[table.target]))
    )


def frequencies_of(counts: Counts) -> FloatArray:
    """Return the share of each class from its counts; where a class has none, half a row more for each."""
    smoothed = counts.astype(np.float64) + (0.0 if counts.all() else 0.5)
    frequencies: FloatArray = smoothed / smoothed.sum()
    return frequencies


def common_to_classes(
    scores: FloatArray, shrunk: FloatArray, counts: Counts, prior: FloatArray
) -> FloatArray:
    """Return what to add to the scores of a family, the same for all classes, so that full rows do not change.

    It is chosen such that the states of the node have their ``shrunk`` probabilities given the parents, the class
    summed out by the ``counts`` of parents and class: else weights and corrections would decide how probable a
    missing value is.
    """
    given = np.log((counts + prior) / (counts.sum(axis=-1, keepdims=True) + 1.0))[..., None, :]
    wanted = logsumexp(shrunk + given, axis=-1, keepdims=True)
    common: FloatArray = wanted - logsumexp(scores + given, axis=-1, keepdims=True)
    return common


@dataclass(frozen=True)
class LevelCells:
    """The cells of one level that can be corrected.

    ``cells`` are their numbers among the chosen, [family, row], of the families that reach the level; -1 for others.
    """

    level: int
    chosen: NDArray[np.int64]  # their numbers among all cells
    cells: Cells
    relative: FloatArray  # what the strength of the penalty is multiplied by

    @classmethod
    def of(cls, table: Table, families: FamilyCells, level: int) -> "LevelCells":
        """Choose the cells that enough rows have."""
        reaching = _reaching(families, level)
        cells = families.cells(table, level)[reaching]
        known = cells >= 0
        weights = None if table.weights is None else np.broadcast_to(table.weights, cells.shape)[known]
        rows = np.bincount(cells[known], weights, minlength=families.n_cells)
        enough = np.zeros(families.n_cells, dtype=bool)
        for number in reaching:
            own = families.slices[number][level]
            enough[own] = rows[own] >= LEAST_ROWS
        chosen = np.flatnonzero(enough)
        numbered: Cells = _numbered(chosen, families)[cells]
        return cls(level, chosen, numbered, np.full(len(chosen), PER_PARENT ** max(level - 1, 0)))

    def of_rows(self, families: FamilyCells, table: Table) -> Cells:
        """Return which of these cells other rows have."""
        return _numbered(self.chosen, families)[
            families.cells(table, self.level)[_reaching(families, self.level)]
        ]

    @property
    def size(self) -> int:
        """The number of cells."""
        return len(self.chosen)


def _reaching(families: FamilyCells, level: int) -> list[int]:
    """Return the families that have as many parents, of features with several states."""
    return [
        number
        for number, family in enumerate(families.families)
        if len(family) > level and families.arities[family[0]] > 1
    ]


def _numbered(chosen: NDArray[np.int64], families: FamilyCells) -> Cells:
    """Return the number of each cell among the chosen, -1 for others; the last is for rows without a cell."""
    numbers = np.full(families.n_cells + 1, -1, dtype=np.int32)
    numbers[chosen] = np.arange(len(chosen))
    return numbers


def unconnected_parents(dag: DAG) -> tuple[str, str, str] | None:
    """Return a node of which two parents are not connected, and these two; None where there is none."""
    parents_of = dag.parent_indices
    for node, parents in enumerate(parents_of):
        for place, one in enumerate(parents):
            for other in parents[place + 1 :]:
                if one not in parents_of[other] and other not in parents_of[one]:
                    return dag.nodes[node], dag.nodes[one], dag.nodes[other]
    return None


def normalised(dag: DAG, scores: Sequence[FloatArray]) -> Tables:
    """Return the tables of the network whose distribution is proportional to exp(sum of the families' scores).

    From the leaves upwards each family is divided by its sum over the node's own states, and the sums are handed to
    the family of the last of its parents, which holds the others too: so every pair of parents must be connected
    (`unconnected_parents`). The scores are finite, and have one axis per parent, then the node's own.

    References
    ----------
    T. Roos, H. Wettig, P. Grünwald, P. Myllymäki and H. Tirri. On discriminative Bayesian network classifiers and
    logistic regression. Machine Learning 59, 2005.
    """
    parents_of = dag.parent_indices
    place = {node: number for number, node in enumerate(dag.topological_indices)}
    left = [np.array(part, dtype=np.float64) for part in scores]
    tables: list[FloatArray] = [np.empty(0)] * len(left)
    for node in reversed(dag.topological_indices):
        sums = logsumexp(left[node], axis=-1, keepdims=True)
        table = np.exp(left[node] - sums)
        tables[node] = table / table.sum(axis=-1, keepdims=True)
        parents = parents_of[node]
        if parents:
            last = max(parents, key=place.__getitem__)
            family = [*parents_of[last], last]
            # The axes of the sums in the order of that family; its other axes do not matter to them.
            shape = [sums.shape[parents.index(other)] if other in parents else 1 for other in family]
            order = sorted(range(len(parents)), key=lambda axis: family.index(parents[axis]))
            left[last] += np.transpose(sums[..., 0], order).reshape(shape)
    return tuple(tables)
