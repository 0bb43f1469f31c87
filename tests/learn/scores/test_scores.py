"""Scores against slow formulas, cell by cell."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import polygamma

from all_dags import all_dags
from bayleaf.counts import count
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.scores import (
    AIC,
    BIC,
    K2,
    MDL,
    ApproximateCLL,
    BDe,
    BDeu,
    DecomposableScore,
    FamilyScores,
    LogLikelihood,
    decomposable,
)
from bayleaf.learn.scores.decomposable import class_weight
from bayleaf.learn.structure import Exact, HillClimbing
from bayleaf.network import BayesNet
from reference.scored_networks import (
    random_table,
    slow_aic,
    slow_bdeu,
    slow_bic,
    slow_k2,
    slow_log_likelihood,
)

SCORES = [
    pytest.param(LogLikelihood(), slow_log_likelihood, id="LL"),
    pytest.param(AIC(), slow_aic, id="AIC"),
    pytest.param(BIC(), slow_bic, id="BIC"),
    pytest.param(MDL(), slow_bic, id="MDL"),
    pytest.param(K2(), slow_k2, id="K2"),
    pytest.param(BDeu(1.0), slow_bdeu(1.0), id="BDeu1"),
    pytest.param(BDeu(0.3), slow_bdeu(0.3), id="BDeu0.3"),
]
FAMILIES = [(0, ()), (1, (0,)), (2, (0, 1)), (3, (0, 1, 2)), (0, (1, 2, 3))]


@pytest.mark.parametrize(("score", "slow"), SCORES)
@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), rows=st.integers(1, 60), weighted=st.booleans(), holes=st.booleans())
def test_families_equal_the_formula(score, slow, seed, rows, weighted, holes):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 4, rows).astype(float) if weighted else None
    table = random_table(rng, 4, rows, weights=weights)
    if holes:
        codes = table.codes.copy(order="F")
        codes[rng.random(codes.shape) < 0.1] = table.missing_code
        table = Table(table.variables, codes, weights)
    expected = [slow(table, node, parents) for node, parents in FAMILIES]
    np.testing.assert_allclose(score.families(table, FAMILIES), expected, rtol=1e-9, atol=1e-9)
    assert score.family(table, *FAMILIES[2]) == pytest.approx(expected[2])


@pytest.mark.parametrize(("score", "slow"), SCORES)
def test_families_too_large_for_a_table(score, slow, monkeypatch):
    table = random_table(np.random.default_rng(1), 4, 50, weights=np.arange(1.0, 51.0))
    dense = score.families(table, FAMILIES)
    monkeypatch.setattr(decomposable, "DENSE_CELLS", 4)
    monkeypatch.setattr(decomposable, "BATCH_CELLS", 4)
    np.testing.assert_allclose(score.families(table, FAMILIES), dense, rtol=1e-12)


def test_graph_scores_keep_their_own_sign():
    table = random_table(np.random.default_rng(2), 3, 40)
    dag = DAG(table.names, [("v0", "v1"), ("v0", "v2")])
    families = list(enumerate(dag.parent_indices))
    for score in (LogLikelihood(), AIC(), BIC(), K2(), BDeu()):
        assert score.score(table, dag) == pytest.approx(score.families(table, families).sum())
    assert MDL().score(table, dag) == pytest.approx(-BIC().score(table, dag))
    assert MDL().families(table, families).sum() == pytest.approx(BIC().score(table, dag))


def test_unseen_parent_configurations_add_nothing_but_count_in_q():
    wide = Variable("p", tuple("abcd"))
    x = Variable("x", ("0", "1"))
    table = Table.from_codes((wide, x), [[0, 0], [0, 1], [1, 0], [1, 0]])
    narrow = Table.from_codes((Variable("p", ("a", "b")), x), [[0, 0], [0, 1], [1, 0], [1, 0]])
    assert K2().family(table, 1, (0,)) == pytest.approx(K2().family(narrow, 1, (0,)))
    assert LogLikelihood().family(table, 1, (0,)) == pytest.approx(LogLikelihood().family(narrow, 1, (0,)))
    assert BDeu(1.0).family(table, 1, (0,)) == pytest.approx(BDeu(0.5).family(narrow, 1, (0,)))
    assert AIC().family(table, 1, (0,)) == pytest.approx(AIC().family(narrow, 1, (0,)) - 2)


def test_arity_comes_from_the_declared_states():
    narrow = Table.from_codes((Variable("x", ("0", "1")),), [[0], [1], [1]])
    wide = Table.from_codes((Variable("x", ("0", "1", "2", "3")),), [[0], [1], [1]])
    assert K2().family(wide, 0, ()) == pytest.approx(slow_k2(wide, 0, ()))
    assert K2().family(wide, 0, ()) < K2().family(narrow, 0, ())


@pytest.mark.parametrize("score", [BDeu(1.0), BDeu(3.0), BIC(), AIC(), LogLikelihood()])
def test_score_equivalence(score):
    table = random_table(np.random.default_rng(3), 3, 60)
    scores: dict[object, float] = {}
    for parents in all_dags(3):
        dag = DAG.from_parents(table.names, parents)
        value = score.score(table, dag)
        assert scores.setdefault(repr(dag.cpdag()), value) == pytest.approx(value, rel=1e-10)


def test_weights_equal_repeated_rows():
    rng = np.random.default_rng(4)
    weights = rng.integers(1, 4, 30)
    table = random_table(rng, 4, 30, weights=weights.astype(float))
    repeated = Table(table.variables, np.asfortranarray(np.repeat(table.codes, weights, axis=0)))
    for score in (K2(), BDeu(), BIC()):
        np.testing.assert_allclose(score.families(table, FAMILIES), score.families(repeated, FAMILIES))


def test_edges_one_row_one_state_no_rows():
    one = Table.from_codes((Variable("x", ("only",)), Variable("y", ("0", "1"))), [[0, 1]])
    for score in (LogLikelihood(), BIC(), K2(), BDeu()):
        assert score.family(one, 0, (1,)) == pytest.approx(0.0)
        assert np.isfinite(score.family(one, 1, (0,)))
    none = Table.from_codes(one.variables, np.zeros((0, 2), dtype=int))
    assert BDeu().family(none, 1, (0,)) == 0.0


def test_bde_with_a_uniform_prior_is_bdeu():
    table = random_table(np.random.default_rng(5), 3, 50)
    uniform = [np.full(v.arity, 1 / v.arity) for v in table.variables]
    prior = BayesNet(table.variables, DAG(table.names), uniform)
    families = [(0, ()), (1, (0,)), (2, (0, 1))]
    np.testing.assert_allclose(BDe(prior, 2.0).families(table, families), BDeu(2.0).families(table, families))
    changed = BDe(prior, 2.0, kappa=0.1).families(table, families) - BDeu(2.0).families(table, families)
    np.testing.assert_allclose(changed, np.log(0.1) * np.array([0, 1, 2]))


@pytest.mark.parametrize(
    ("states", "probabilities", "sentence"),
    [
        (
            ("0", "1", "2"),
            [0.2, 0.3, 0.5],
            r"'a' has the states \['0', '1', '2'\] in the prior network of BDe, and",
        ),
        (("1", "0"), [0.5, 0.5], r"\['1', '0'\] in the prior network of BDe, and \['0', '1'\] in the data"),
    ],
)
def test_bde_needs_a_prior_network_over_the_states_of_the_data(states, probabilities, sentence):
    a, b = (Variable(name, ("0", "1")) for name in "ab")
    table = Table.from_codes((a, b), [[0, 0], [1, 1]])
    prior = BayesNet([Variable("a", states), b], DAG(["a", "b"]), [probabilities, [0.5, 0.5]])
    with pytest.raises(ValueError, match=sentence):
        BDe(prior).family(table, 1, (0,))


def test_bde_prefers_what_the_prior_network_says():
    a, b = Variable("a", ("0", "1")), Variable("b", ("0", "1"))
    prior = BayesNet([a, b], DAG(["a", "b"], [("a", "b")]), [[0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]]])
    table = Table.from_codes((a, b), [[0, 0], [1, 1]])
    gain = BDe(prior, 10.0).family(table, 1, (0,)) - BDe(prior, 10.0).family(table, 1, ())
    assert gain > BDeu(10.0).family(table, 1, (0,)) - BDeu(10.0).family(table, 1, ())
    other = Table.from_codes((b, a), [[0, 0]])
    with pytest.raises(ValueError, match="prior network's nodes"):
        BDe(prior).family(other, 0, ())
    certain = BayesNet([a, b], DAG(["a", "b"]), [[1.0, 0.0], [0.5, 0.5]])
    assert BDe(certain).family(table, 0, ()) == -np.inf


def test_acll_equals_the_formula():
    table = random_table(np.random.default_rng(6), 3, 200, target=2)
    beta = class_weight(int(table.arities[2]), 200)
    expected = 0.0
    states = [range(int(arity)) for arity in table.arities]
    rows = table.codes.tolist()
    for j in states[1]:
        for c in states[2]:
            pseudo = []
            for k in states[0]:
                own = sum(row == [k, j, c] for row in rows)
                pseudo.append(own + beta * sum(row[:2] == [k, j] for row in rows))
            floored = [max(value, 5.0) for value in pseudo]
            expected += sum(m * np.log(f / sum(floored)) for m, f in zip(pseudo, floored, strict=True))
    assert ApproximateCLL().family(table, 0, (1, 2)) == pytest.approx(expected)
    assert ApproximateCLL().family(table, 2, ()) == 0.0


def test_beta_equals_its_regression():
    # The weight minimises the squared error of log U1 - log(U1 + U2) by log U1 + beta (log U1 + log U2).
    rng = np.random.default_rng(0)
    u = rng.dirichlet([1, 1, 50], 400_000)[:, :2]
    exact = np.log(u[:, 0]) - np.log(u.sum(axis=1))
    design = np.stack([np.log(u).sum(axis=1), np.ones(len(u))], axis=1)
    fitted = np.linalg.lstsq(design, exact - np.log(u[:, 0]), rcond=None)[0][0]
    assert class_weight(2, 50) == pytest.approx(fitted, abs=0.01)
    assert class_weight(2, 1e12) == pytest.approx(-polygamma(1, 2) / polygamma(1, 1), abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda t: ApproximateCLL().family(t, 0, (1,)),
            "class has no parents and is a parent of every feature",
        ),
        (lambda t: ApproximateCLL().family(t, 2, (0,)), "class has no parents"),
        (
            lambda t: BDeu(0.0).family(t, 0, ()),
            r"'ess' parameter of BDeu must be a float in the range \(0, inf\)",
        ),
        (lambda t: BIC().score(t, DAG(["x"])), "are not the table's variables"),
    ],
)
def test_bad_input(call, message):
    table = random_table(np.random.default_rng(0), 3, 20, target=2)
    with pytest.raises(ValueError, match=message):
        call(table)


def test_acll_needs_a_class():
    with pytest.raises(ValueError, match="no target column"):
        ApproximateCLL().family(random_table(np.random.default_rng(0), 3, 20), 0, (1,))


def test_cache_counts_each_family_once():
    table = random_table(np.random.default_rng(7), 4, 40)
    asked = []

    class Spy:
        def families(self, given, families):
            asked.extend(families)
            return BDeu().families(given, families)

        def score(self, given, dag):
            raise NotImplementedError

    scores = FamilyScores(Spy(), table)
    first = scores.get([(1, (0, 2)), (1, (2, 0)), (0, ())])
    again = scores.get([(0, ()), (1, (0, 2))])
    assert len(asked) == len(scores) == 2
    assert first[0] == first[1] == again[1]


@pytest.mark.parametrize("prior", [None, "graph", "network"])
@pytest.mark.parametrize("dense", [2**20, 8], ids=["dense", "sparse"])
def test_families_are_counted_a_bounded_number_of_cells_at_a_time(monkeypatch, prior, dense):
    """Hundreds of features of fifty states would take gigabytes, were all their pairs counted at once."""
    rng = np.random.default_rng(3)
    table = random_table(rng, 5, 60, target=4)
    if prior == "network":
        prior = BayesNet(
            table.variables,
            DAG(table.names),
            [rng.dirichlet(np.ones(variable.arity)) for variable in table.variables],
        )
    elif prior == "graph":
        prior = DAG(table.names, [("v0", "v1")])
    pairs = [(i, (j, 4)) for i in range(4) for j in range(4) if i != j]
    scores = (ApproximateCLL(), BDe(prior, kappa=0.5), BDeu())
    before = [score.families(table, pairs) for score in scores]
    sizes = []

    def watched(table, sets):
        sizes.append(sum(int(np.prod(table.arities[columns])) for columns in sets))
        return count(table, sets)

    monkeypatch.setattr(decomposable, "count", watched)
    monkeypatch.setattr(decomposable, "BATCH_CELLS", 60)
    monkeypatch.setattr(decomposable, "DENSE_CELLS", dense)
    after = [score.families(table, pairs) for score in scores]
    np.testing.assert_allclose(after, before)
    assert max(sizes, default=0) <= 60
    assert len(sizes) > len(scores) or dense == 8


def test_a_score_of_ones_own_is_one_method():
    class Purity(DecomposableScore):
        def gain(self, family):
            return float(family.counts.max(axis=1).sum()) - 2.0 * family.configurations

    table = random_table(np.random.default_rng(5), 4, 60, target=3)
    gains = FamilyScores(Purity(), table).get([(0, (1,)), (0, ())])
    assert gains.tolist() == [Purity().family(table, 0, (1,)), Purity().family(table, 0, ())]
    found = HillClimbing(Purity()).search(table, np.random.default_rng(0))
    assert found.trace.score == pytest.approx(Purity().score(table, found.dag))
    with pytest.raises(TypeError, match=r"Exact search cannot maximise Purity: use BDeu\(\)"):
        Exact(Purity()).learn(table, np.random.default_rng(0))
    with pytest.raises(NotImplementedError, match="DecomposableScore needs a method 'gain' or 'set_form'"):
        DecomposableScore().family(table, 0, ())
