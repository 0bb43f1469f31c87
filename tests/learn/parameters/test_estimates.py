import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bayleaf as bl


def random_problem(seed, weighted=False):
    rng = np.random.default_rng(seed)
    arities = rng.integers(1, 4, 3)
    variables = tuple(
        bl.data.Variable(n, tuple(range(a)), None, "integer") for n, a in zip("abc", arities, strict=True)
    )
    codes = np.array([rng.integers(-1 if j == 0 else 0, arities[j], 30) for j in range(3)]).T
    weights = rng.random(30) if weighted else None
    table = bl.data.Table.from_codes(variables, codes, weights)
    return table, codes, weights, bl.DAG(["a", "b", "c"], [("a", "c"), ("b", "c"), ("b", "a")])


def tally(codes, weights, columns, states):
    """Weight of the rows whose family is complete and equal to the given states."""
    keep = (codes[:, columns] == states).all(axis=1)
    return float(keep.sum() if weights is None else weights[keep].sum())


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_every_entry_follows_its_formula(seed, weighted):
    table, codes, weights, dag = random_problem(seed, weighted)
    ess, epsilon = 2.5, 1e-3
    dirichlet = bl.Dirichlet(ess).fit(table, dag)
    laplace = bl.Laplace().fit(table, dag)
    imaginary = bl.MEstimate(0.7).fit(table, dag)
    likelihood = bl.MaximumLikelihood(epsilon).fit(table, dag)
    for node, parents in enumerate(dag.parent_indices):
        family = [*parents, node]
        r, q = table.arities[node], int(np.prod(table.arities[list(parents)])) if parents else 1
        for states in np.ndindex(*dirichlet[node].shape):
            n_ijk = tally(codes, weights, family, states)
            n_ij = sum(tally(codes, weights, family, (*states[:-1], k)) for k in range(r))
            assert dirichlet[node][states] == pytest.approx((n_ijk + ess / (r * q)) / (n_ij + ess / q))
            assert laplace[node][states] == pytest.approx((n_ijk + 1) / (n_ij + r))
            assert imaginary[node][states] == pytest.approx((n_ijk + 0.7 / r) / (n_ij + 0.7))
            if n_ij > 0:
                row = [tally(codes, weights, family, (*states[:-1], k)) / n_ij for k in range(r)]
                row = [p if p > 0 else epsilon for p in row]
                assert likelihood[node][states] == pytest.approx(row[states[-1]] / sum(row))
            else:
                assert likelihood[node][states] == pytest.approx(1 / r)


@pytest.mark.parametrize(
    "learner", [bl.MaximumLikelihood(), bl.Laplace(), bl.Dirichlet(), bl.MEstimate()], ids=repr
)
def test_rows_sum_to_one_and_stay_positive(learner):
    table, *_, dag = random_problem(7)
    for estimate in learner.fit(table, dag):
        np.testing.assert_allclose(estimate.sum(axis=-1), 1.0)
        assert (estimate > 0).all()


def test_zeros_stay_zero_when_epsilon_is_zero():
    variables = (bl.data.Variable("a", ("x", "y")),)
    table = bl.data.Table.from_codes(variables, [[0], [0]])
    assert bl.MaximumLikelihood(epsilon=0).fit(table, bl.DAG(["a"]))[0].tolist() == [1.0, 0.0]


def test_a_family_too_large_to_count_is_refused():
    variables = tuple(bl.data.Variable(f"v{j}", tuple(range(200)), None, "integer") for j in range(6))
    table = bl.data.Table.from_codes(variables, np.zeros((2, 6), dtype=int))
    dag = bl.DAG(table.names, [(f"v{j}", "v5") for j in range(5)])
    with pytest.raises(ValueError, match=r"'v0', .*'v5' would have 64,000,000,000,000 cells.*fewer parents"):
        bl.Dirichlet().fit(table, dag)


@pytest.mark.parametrize("ess", [float("inf"), float("nan"), 0], ids=repr)
def test_a_prior_must_be_finite_and_positive(ess):
    table = bl.data.Table.from_codes((bl.data.Variable("x", ("a", "b")),), [[0], [1]])
    with pytest.raises(
        ValueError, match=r"'ess' parameter of Dirichlet must be a float in the range \(0, inf\)"
    ):
        bl.Dirichlet(ess=ess).fit(table, bl.DAG(["x"]))
