"""Every score and accuracy of every graph, from one training and one test table."""

import numpy as np
from graphs import CLASS, NEUTRAL, Graphs

import bayleaf as bl

EPSILON = 1e-5  # what a probability of zero becomes, as in bayleaf's maximum-likelihood estimate
FOLDS = 4


class Families:
    """Cells of all families on some rows, to count them and to look up their terms."""

    def __init__(self, graphs: Graphs, table: bl.data.Table) -> None:
        self.codes = table.codes.astype(np.int64)
        self.arities = table.arities
        self.families = graphs.families
        self.sizes = [int(np.prod(self.arities[[*parents, node]])) for node, parents in self.families]
        self.cells = [self._cells([*parents, node]) for node, parents in self.families]

    def _cells(self, columns: list[int]) -> np.ndarray:
        cells = np.zeros(len(self.codes), dtype=np.int64)
        for j in columns:
            cells = cells * self.arities[j] + self.codes[:, j]
        return cells

    def counts(self, family: int, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Count the rows in each cell of a family."""
        return np.bincount(self.cells[family][rows], minlength=self.sizes[family])

    def log_table(self, family: int, counts: np.ndarray) -> np.ndarray:
        """Maximum-likelihood estimate of a family, as logarithms, the class on the last axis."""
        node, parents = self.families[family]
        axes = [*parents, node]
        table = counts.reshape(-1, self.arities[node])
        totals = table.sum(axis=1, keepdims=True)
        theta = np.where(totals > 0, table / np.maximum(totals, 1), 1.0 / self.arities[node])
        theta = np.where(theta == 0, EPSILON, theta)
        theta = np.log(theta / theta.sum(axis=1, keepdims=True)).reshape(self.arities[axes])
        return np.moveaxis(theta, axes.index(CLASS), -1)

    def terms(self, family: int, counts: np.ndarray, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Look up what a family adds to the log-joint of each row and class."""
        node, parents = self.families[family]
        others = [j for j in (*parents, node) if j != CLASS]
        return self.log_table(family, counts)[tuple(self.codes[rows][:, j] for j in others)]


def tie_breaks(table: bl.data.Table, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
    """Return a tiny preference for the class more frequent in training, then for the first."""
    prior = np.bincount(table.codes[rows][:, CLASS], minlength=table.arities[CLASS])
    return np.argsort(np.argsort(-prior, kind="stable"), kind="stable") * -1e-10


def log_joints(graphs: Graphs, terms: dict[int, np.ndarray], shape: tuple[int, int]):
    """Log-joints of all distinct posteriors, one after the other."""
    for choice in graphs.posteriors:
        total = np.zeros(shape)
        for family in choice:
            if family != NEUTRAL:
                total = total + terms[family]
        yield np.round(total, 9)


def class_families(graphs: Graphs) -> list[int]:
    return [f for f, (node, parents) in enumerate(graphs.families) if CLASS in (node, *parents)]


def accuracies(
    graphs: Graphs, learn: Families, judge: Families, prior: np.ndarray, rows=None, judged=slice(None)
):
    """Accuracy on the judged rows of every posterior learned from some rows, and its log-loss."""
    rows = slice(None) if rows is None else rows
    terms = {f: judge.terms(f, learn.counts(f, rows), judged) for f in class_families(graphs)}
    truth = judge.codes[judged][:, CLASS]
    right, loss = [], []
    for joint in log_joints(graphs, terms, (len(truth), len(prior))):
        right.append(((joint + prior).argmax(axis=1) == truth).mean())
        top = joint.max(axis=1)
        normal = top + np.log(np.exp(joint - top[:, None]).sum(axis=1))
        loss.append((normal - joint[np.arange(len(truth)), truth]).sum())
    return np.array(right), np.array(loss)


def fresh_holdouts(
    graphs: Graphs, table: bl.data.Table, families: Families, rng: np.random.Generator
) -> np.ndarray:
    """Accuracy of every graph on a random hold-out of its own."""
    n = table.n_rows
    held = n // FOLDS
    totals = {f: families.counts(f) for f in class_families(graphs)}
    result = np.empty(len(graphs))
    for g, choice in enumerate(graphs.class_choices):
        rows = rng.permutation(n)
        out, learned = rows[:held], rows[held:]
        joint = np.zeros((held, table.arities[CLASS])) + tie_breaks(table, learned)
        for f in choice:
            if f != NEUTRAL:
                joint = joint + families.terms(f, totals[f] - families.counts(f, out), out)
        result[g] = (joint.argmax(axis=1) == families.codes[out, CLASS]).mean()
    return result


def score_all(graphs: Graphs, train: bl.data.Table, test: bl.data.Table, seed: int) -> dict[str, np.ndarray]:
    """All scores and accuracies, one value per graph. Risks are given as predicted accuracies."""
    rng = np.random.default_rng(seed)
    learn, judge = Families(graphs, train), Families(graphs, test)
    n = train.n_rows
    fold = rng.permutation(n) % FOLDS
    validated = [
        accuracies(graphs, learn, learn, tie_breaks(train, fold != k), fold != k, fold == k)[0]
        for k in range(FOLDS)
    ]
    train_accuracy, loss = accuracies(graphs, learn, learn, tie_breaks(train))
    test_accuracy, _ = accuracies(graphs, learn, judge, tie_breaks(train))
    sizes = np.array([np.prod(train.arities[list(pa)]) * (train.arities[i] - 1) for i, pa in graphs.families])
    dimension = sizes[graphs.choices].sum(axis=1)
    families = list(graphs.families)
    mdl = -bl.MDL().families(train, families)[graphs.choices].sum(axis=1)
    return {
        "MDL": mdl,
        "K2": bl.K2().families(train, families)[graphs.choices].sum(axis=1),
        "CMDL": 0.5 * dimension * np.log(n) + graphs.by_graph(loss),
        "CLL": -graphs.by_graph(loss),
        "RMHO": fresh_holdouts(graphs, train, learn, rng),
        "RMHO-f": graphs.by_graph(validated[0]),
        "RMCV": graphs.by_graph(np.mean(validated, axis=0)),
        "Training": graphs.by_graph(train_accuracy),
        "Test": graphs.by_graph(test_accuracy),
    }
