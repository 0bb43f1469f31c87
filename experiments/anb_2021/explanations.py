"""Checks what README.md says about GBN-CMDL, ASIA and the choice of a threshold on large networks.

python experiments/anb_2021/explanations.py
"""

from collections import Counter
from dataclasses import replace

import numpy as np
from accuracy import PROTOCOL

import bayleaf as bl
from bayleaf.learn.scores import CMDL
from bayleaf.learn.search import evaluator_at
from bayleaf.learn.selection.bayes_factor import DELTA_CHOICES, ESS_CHOICES, kept_features
from data import datafolder, encoded, load
from networks import asia, from_file

# Sets where GBN-CMDL falls behind the paper's, and how many rows of ASIA the graphs are learned from.
BEHIND = ("monks-1", "tic-tac-toe", "car")
# Sets on which the paper's GBN-CMDL is worse than guessing, or nearly.
UNLIKELY = ("balance-scale", "nursery", "hayes-roth")
ROWS, SAMPLES = 10_000, 100
# Networks whose threshold is not chosen by cross-validation, and a number of features that an exact search can take.
LARGE, MOST_FEATURES = ("water", "alarm", "barley"), 20


def climbs_that_stay() -> None:
    """Print where the climb ends, and whether one more arc, or two together, would lower its cost."""
    for slug in BEHIND:
        table = encoded(slug)
        found = bl.HillClimbing(CMDL()).learn(table, np.random.default_rng(0))
        arcs = [(parent, child) for parent in table.names for child in table.names if parent != child]
        one = [with_arcs for arc in arcs if (with_arcs := _added(found, [arc]))]
        two = [
            with_arcs
            for k, first in enumerate(arcs)
            for second in arcs[:k]
            if (with_arcs := _added(found, [first, second]))
        ]
        best_one, best_two = (
            max(_gain(table, graph) for graph in graphs) - _gain(table, found) for graphs in (one, two)
        )
        at_class = [arc for arc in found.arcs if table.names[-1] in arc]
        print(
            f"{slug}: {len(found.arcs)} arcs, {len(at_class)} of them at the class; "
            f"best single arc gains {best_one:.2f}, best pair of arcs {best_two:.2f}"
        )


def climbs_without_a_price() -> None:
    """Print the accuracy of a climb by conditional likelihood alone, its tables expected a posteriori."""
    for slug in UNLIKELY:
        X, y = load(slug)
        labels, right = y.to_numpy(), []
        for fold in range(10):
            split = PROTOCOL.split(labels, 0, fold)
            clf = bl.BayesNetClassifier(
                bl.HillClimbing(bl.ConditionalLogLikelihood(), "empty"),
                bl.Dirichlet(),
                bl.MedianSplit(),
                random_state=0,
                **datafolder.AS_PUBLISHED,
            ).fit(X[split.train], labels[split.train])
            right.append(float((clf.predict(X[split.test]) == labels[split.test]).mean()))
        print(f"{slug}: accuracy of the climb without a price {np.mean(right):.3f}")


def _gain(table: bl.data.Table, dag: bl.DAG) -> float:
    return float(evaluator_at(CMDL(), table, dag, np.random.default_rng(0)).value)


def _added(dag: bl.DAG, arcs: list[tuple[str, str]]) -> bl.DAG | None:
    """Return the graph with more arcs, or nothing where that is no graph."""
    if any(arc in dag.arcs or arc[::-1] in dag.arcs for arc in arcs) or arcs[0] == arcs[-1][::-1]:
        return None
    try:
        return bl.DAG(dag.nodes, [*dag.arcs, *arcs])
    except ValueError:  # a cycle
        return None


def neighbours_of_asia() -> None:
    """Count what the best augmented naive Bayes joins `asia` to, besides the class."""
    network = asia()
    found = Counter()
    for seed in range(SAMPLES):
        table = network.sample_table(100_000, seed).take(np.arange(ROWS))
        dag = bl.Exact(augmented=True).learn(table, np.random.default_rng(0))
        joined = {*dag.parents("asia"), *dag.children("asia")} - {network.target}
        found[", ".join(sorted(joined)) or "nothing"] += 1
    print(f"ASIA, {ROWS} rows, neighbours of asia:", dict(found.most_common()))


def features_of_the_choice() -> None:
    """Print how many features the exact searches would have that choose the threshold of the Bayes factor."""
    for name in LARGE:
        network = from_file(name)
        if network is None:
            continue
        table = network.sample_table(ROWS, 0)
        most = [
            max(
                len(kept_features(replace(table, target=node), ess, delta))
                for ess in ESS_CHOICES
                for delta in DELTA_CHOICES
            )
            for node in range(table.n_variables)
        ]
        large = sum(number > MOST_FEATURES for number in most)
        print(
            f"{name}: more than {MOST_FEATURES} features for {large} of {len(most)} variables, at most {max(most)}"
        )


if __name__ == "__main__":
    features_of_the_choice()
    neighbours_of_asia()
    climbs_that_stay()
    climbs_without_a_price()
