"""Every learner that searches says how it came to its graph; what it says can be checked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator

import bayleaf as bl
from bayleaf.data import Table, Variable
from bayleaf.graph import DAG
from bayleaf.learn.scores import LogLikelihood
from bayleaf.learn.search import SearchStep, SearchTrace, evaluator_at
from bayleaf.learn.structure.structure_learner import search_graph
from reference.climbing import small_rows

DECOMPOSABLE = [bl.BDeu(1.0), bl.MDL(), bl.AIC(), bl.K2(), LogLikelihood()]
CLASS_FOCUSED = [bl.ClassificationRate(), bl.ConditionalLogLikelihood(), bl.CMDL()]
TREES = [bl.TAN(), bl.FAN(), bl.FAN(threshold=0.0), bl.KDB(2), bl.FKDB(2, smoothing=1.0)]
CLIMBERS = [
    *(bl.HillClimbing(score, max_parents=3) for score in DECOMPOSABLE),
    *(bl.HillClimbing(score, "naive", max_parents=3) for score in CLASS_FOCUSED),
    bl.HillClimbing(bl.CrossValidatedRisk(3), "naive", max_parents=3),
    bl.GreedyTree(),
    bl.GreedyTree(2),
    bl.OrderBased(first_arc="tested"),
    bl.OrderBased(k=2, refine=True, first_arc="tested"),
    bl.SuperParent(),
    bl.SuperParent(2),
    bl.MCDAG(),
    bl.MCGES(),
]
WANDERERS = [
    bl.TANaCLL(),  # a tree has all its arcs, also those that lose
    bl.OrderBased(),
    bl.HillClimbing(tabu=5),
    bl.HillClimbing(restarts=4),
    bl.HillClimbing(tabu=3, restarts=2),
    bl.HillClimbing(bl.HoldoutRisk(fixed=False), "naive"),
    bl.Exact(),
    bl.Exact(bl.BIC(), augmented=True, max_parents=3),
]


def make_table(seed: int, rows: int = 150, arities: tuple[int, ...] = (2, 3, 2, 2, 2)) -> Table:
    codes = small_rows(np.random.default_rng(seed), rows, list(arities))
    variables = tuple(Variable(f"v{j}", tuple(map(str, range(r)))) for j, r in enumerate(arities))
    return Table.from_codes(variables, codes, target=len(arities) - 1)


def search(learner, table, seed=0):
    return learner.search(table, np.random.default_rng(seed))


@pytest.mark.parametrize("learner", [*TREES, *CLIMBERS, *WANDERERS], ids=repr)
def test_the_steps_made_again_give_the_graph(learner):
    for seed in range(3):
        table = make_table(seed)
        found = search(learner, table, seed)
        assert found.trace.replay().arcs == found.dag.arcs
        assert found.dag.arcs == learner.learn(table, np.random.default_rng(seed)).arcs


@pytest.mark.parametrize("learner", [*TREES, *CLIMBERS], ids=repr)
def test_no_step_of_a_climb_loses(learner):
    for seed in range(3):
        trace = search(learner, make_table(seed), seed).trace
        scores = np.array([trace.start_score, *(step.score for step in trace.steps)])
        assert (np.diff(scores) >= -1e-9 * np.abs(scores[:-1])).all()


@pytest.mark.parametrize("learner", [bl.Exact(score) for score in DECOMPOSABLE], ids=repr)
def test_an_exact_search_never_loses_either(learner):
    trace = search(learner, make_table(4)).trace
    assert (np.diff([trace.start_score, *(step.score for step in trace.steps)]) > -1e-9).all()


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), score=st.sampled_from(DECOMPOSABLE), exact=st.booleans())
def test_the_last_score_is_that_of_the_graph_from_scratch(seed, score, exact):
    table = make_table(seed)
    learner = bl.Exact(score) if exact else bl.HillClimbing(score, tabu=seed % 3, restarts=seed % 2)
    found = search(learner, table, seed)
    assert found.trace.score == pytest.approx(graph_score(score, table, found.dag))
    assert found.trace.start_score == pytest.approx(graph_score(score, table, DAG(table.names)))


@pytest.mark.parametrize("score", CLASS_FOCUSED, ids=repr)
@pytest.mark.parametrize("learner", ["HillClimbing", "GreedyTree", "OrderBased", "SuperParent"])
def test_so_is_that_of_a_class_focused_search(learner, score):
    for seed in range(4):
        table = make_table(seed)
        found = search(getattr(bl, learner)(score=score), table, seed)
        from_scratch = evaluator_at(score, table, found.dag, np.random.default_rng(0)).value
        assert found.trace.score == pytest.approx(from_scratch)


@pytest.mark.parametrize("seed", range(4))
def test_trees_and_k_dependence_graphs_are_measured_by_their_arcs(seed):
    table = make_table(seed)
    pairs = {(a, b): information(table, a, b, 4) for a in range(4) for b in range(4) if a != b}
    alone = [information(table, a, 4) for a in range(4)]
    for learner, fixed in (
        (bl.TAN(), 0.0),
        (bl.FAN(), 0.0),
        (bl.KDB(2), sum(alone)),
        (bl.FKDB(2), sum(alone)),
    ):
        found = search(learner, table)
        arcs = sum(
            pairs[parent, child]
            for child in range(4)
            for parent in found.dag.parent_indices[child]
            if parent != 4
        )
        assert found.trace.score == pytest.approx(fixed + arcs)


@pytest.mark.parametrize("seed", range(4))
def test_a_tree_for_the_conditional_likelihood_is_measured_from_naive_bayes(seed):
    table, score = make_table(seed), bl.ApproximateCLL(5.0)
    found = search(bl.TANaCLL(), table)
    naive = DAG(table.names, found.trace.start)
    expected = graph_score(score, table, found.dag) - graph_score(score, table, naive)
    assert found.trace.score == pytest.approx(expected)


def test_a_climb_counts_the_moves_that_it_weighs():
    table = make_table(0)
    first = search(bl.HillClimbing(), table).trace.steps[0]
    assert first.considered == 5 * 4  # every arc can be added to no arcs


def test_a_restart_says_so():
    trace = search(bl.HillClimbing(restarts=3), make_table(1)).trace
    assert sum(step.note.startswith("restart") for step in trace.steps) == 3


def test_steps_are_told_in_words():
    trace = search(bl.HillClimbing(bl.BDeu(1.0)), make_table(2)).trace
    parent, child = trace.steps[0].added[0]
    assert str(trace.steps[0]) == f"add {parent} -> {child}"
    assert trace.measure == "BDeu()"


def test_a_trace_survives_plain_data():
    for learner in (*TREES, *CLIMBERS, *WANDERERS):
        trace = search(learner, make_table(3)).trace
        assert SearchTrace.from_dict(trace.to_dict()) == trace


def test_a_very_long_trace_keeps_both_ends():
    trace = search(bl.HillClimbing(LogLikelihood()), make_table(0)).trace
    short = trace.shortened(3)
    assert short.steps == (*trace.steps[:2], trace.steps[-1])
    assert short.left_out == len(trace.steps) - 3
    assert short.score == trace.score
    with pytest.raises(ValueError, match=f"{short.left_out} steps of the search were not kept"):
        short.replay()


class OnlyLearns(BaseEstimator):
    """A learner of someone else's."""

    def learn(self, table, rng):
        return DAG(table.names, [(table.names[-1], table.names[0])])


class Improved(bl.TAN):
    """A learner that changes what an existing one learns."""

    def learn(self, table, rng):
        return DAG(table.names, [(table.names[-1], table.names[1])])


@pytest.mark.parametrize(("learner", "child"), [(OnlyLearns(), 0), (Improved(), 1)])
def test_learners_without_a_trace_work(learner, child):
    table = make_table(0)
    found = search_graph(learner, table, np.random.default_rng(0))
    assert found.dag.arcs == (("v4", f"v{child}"),)
    assert found.trace is None
    clf = bl.BayesNetClassifier(learner).fit(table.codes[:, :-1].astype(str), table.codes[:, -1])
    assert clf.network_.arcs == (("class", f"x{child}"),)
    assert clf.training_.search is None


def graph_score(score, table, dag):
    return sum(score.family(table, node, parents) for node, parents in enumerate(dag.parent_indices))


def information(table, a, b, given=None):
    """Mutual information from relative frequencies, the plain way."""
    columns = [table.codes[:, j].astype(int) for j in (a, b) + (() if given is None else (given,))]
    joint = np.zeros([table.arities[j] for j in (a, b) + (() if given is None else (given,))])
    np.add.at(joint, tuple(columns), 1.0 / table.n_rows)
    joint = joint.reshape(*joint.shape[:2], -1)
    product = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    base = joint.sum(axis=(0, 1), keepdims=True)
    seen = joint > 0
    return float((joint[seen] * np.log((joint * base)[seen] / product[seen])).sum())


def test_a_damaged_trace_is_told_in_words():
    trace = SearchTrace(("a", "b"), "score", (), -2.0, (SearchStep((("a", "b"),), (), -1.0),))
    whole = trace.to_dict()
    assert SearchTrace.from_dict(whole) == trace
    with pytest.raises(ValueError, match="its parts differ in their number of steps"):
        SearchTrace.from_dict({**whole, "scores": []})
    with pytest.raises(ValueError, match="an arc with one end only"):
        SearchTrace.from_dict({**whole, "start": [0]})
