import numpy as np
import pandas as pd
import pytest

import bayleaf as bl
from reference.information import conditional_mutual_information


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    hidden = rng.integers(0, 4, 200)
    X = pd.DataFrame({f"x{j}": (hidden + rng.integers(0, 2, 200)) % 3 for j in range(4)})
    return X.astype({"x0": str}), pd.Series(hidden % 2, name="label")


def brute_force(network, X, y):
    columns = [*X.columns, "label"]
    rows = [
        [network.variable(name).code(value) for name, value in zip(columns, row, strict=True)]
        for row in X.assign(label=y).itertuples(index=False)
    ]
    arities = [network.variable(name).arity for name in columns]
    return sum(
        conditional_mutual_information(
            rows, [j], [columns.index(parent) for parent in network.parents(name)], [], arities
        )
        for j, name in enumerate(columns[:-1])
    )


@pytest.mark.parametrize("name", ["NB", "TAN", "KDB", "FKDB"])
def test_sum_mi_is_the_sum_of_joint_mutual_information(data, name):
    X, y = data
    network = bl.classifier(name, categorical_features=["x1", "x2", "x3"]).fit(X, y).network_
    assert bl.network.sum_mi(network, X, y) == pytest.approx(brute_force(network, X, y), abs=1e-9)
    assert bl.network.sum_mi(network, X[["x3", "x0", "x2", "x1"]], y.tolist()) == pytest.approx(
        bl.network.sum_mi(network, X.assign(label=y))
    )


def test_more_parents_draw_more_information(data):
    X, y = data
    settings = {"categorical_features": ["x1", "x2", "x3"]}
    by_k = [bl.classifier("KDB", k=k, **settings).fit(X, y).network_ for k in range(4)]
    sums = [bl.network.sum_mi(network, X, y) for network in by_k]
    assert sums == sorted(sums)
    assert sums[0] < sums[3]
    assert bl.network.info_ratio(by_k[3], by_k[0], X, y) == pytest.approx(sums[3] / sums[0])
    assert bl.network.info_ratio(by_k[2], by_k[2], X, y) == 1.0


def test_the_chain_rule_gives_every_complete_graph_the_same_sum(data):
    X, y = data
    settings = {"categorical_features": ["x1", "x2", "x3"], "k": 3}
    kdb, fkdb = (bl.classifier(name, **settings).fit(X, y).network_ for name in ("KDB", "FKDB"))
    assert bl.network.sum_mi(kdb, X, y) == pytest.approx(bl.network.sum_mi(fkdb, X, y), abs=1e-9)


def test_a_class_that_is_no_parent_counts_all_the_same(data):
    X, y = data
    fixed = bl.BayesNetClassifier(
        bl.FixedStructure([("x0", "label")]), categorical_features=["x1", "x2", "x3"]
    )
    naive = bl.classifier("NB", categorical_features=["x1", "x2", "x3"])
    assert bl.network.sum_mi(fixed.fit(X, y).network_, X, y) == pytest.approx(
        bl.network.sum_mi(naive.fit(X, y).network_, X, y)
    )


def test_errors(data):
    X, y = data
    network = bl.classifier("NB").fit(X, y).network_
    with pytest.raises(ValueError, match="Sum_MI needs a class"):
        bl.network.sum_mi(bl.BayesNet(network.variables, network.dag, network.tables), X, y)
    with pytest.raises(ValueError, match=r"The data has no column for the node \['x3'\]"):
        bl.network.sum_mi(network, X.drop(columns="x3"), y)
    with pytest.raises(ValueError, match="The data has 3 columns; the network has 4 features"):
        bl.network.sum_mi(network, X.to_numpy()[:, :3], y)
    with pytest.raises(ValueError, match="X has 200 rows and y has 10"):
        bl.network.sum_mi(network, X, y[:10])
    with pytest.raises(ValueError, match="Column 'label' has 1 value that was not seen in fit"):
        bl.network.sum_mi(network, X, y + 1)


def test_nothing_to_compare_with():
    X, y = [["a"], ["a"], ["a"], ["a"]], ["u", "v", "u", "v"]
    network = bl.classifier("NB").fit(X, y).network_
    assert bl.network.info_ratio(network, network, X, y) == 1.0
