"""Orders of features for order-based search, against information counted in dictionaries."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.counts import ClassPartition, class_information
from bayleaf.data import Table, Variable
from bayleaf.learn.structure.order_based import ORDERS, OrderBased
from reference.tree_problems import make_table, problems


def conditional_information(rows, target, feature, given_features):
    """I(C; X | S) from dictionaries of counts."""

    def sums(columns):
        counts = {}
        for row in rows:
            key = tuple(row[j] for j in columns)
            counts[key] = counts.get(key, 0) + 1
        return sum(n * log(n) for n in counts.values())

    s = list(given_features)
    total = sums([*s, target, feature]) - sums([*s, feature]) - sums([*s, target]) + sums(s)
    return max(0.0, round(total / len(rows), 12))


def saturated_accuracy(rows, target, features):
    cells = {}
    for row in rows:
        cells.setdefault(tuple(row[j] for j in features), []).append(row[target])
    return sum(max(labels.count(c) for c in labels) for labels in cells.values()) / len(rows)


@settings(max_examples=20, deadline=None)
@given(problem=problems(), data=st.data())
def test_partition_measures_equal_their_definitions(problem, data):
    rows, arities, target = problem
    features = [j for j in range(len(arities)) if j != target]
    chosen = data.draw(st.lists(st.sampled_from(features), unique=True, max_size=3))
    rows = [
        tuple(data.draw(st.sampled_from([v, v, v, None])) if j != target else v for j, v in enumerate(r))
        for r in rows
    ]
    partition = ClassPartition(make_table(rows, arities, target))
    for feature in chosen:
        partition.divide(feature)
    information = partition.information(features)
    accuracy = partition.accuracy(features)
    for k, feature in enumerate(features):
        assert information[k] == pytest.approx(
            conditional_information(rows, target, feature, chosen), abs=1e-9
        )
        assert accuracy[k] == pytest.approx(saturated_accuracy(rows, target, [*chosen, feature]), abs=1e-9)


@settings(max_examples=20, deadline=None)
@given(problem=problems())
def test_orders_take_the_best_feature_each_time(problem):
    rows, _arities, target = problem
    table = make_table(*problem)
    columns = table.features
    alone = class_information(table)
    rng = np.random.default_rng(0)
    for name in ("omi", "omisp", "ocr"):
        order = ORDERS[name](table, rng)
        assert sorted(order) == list(range(len(columns)))
        if name != "ocr" and len(order) > 1:
            pair = sum(
                conditional_information(rows, target, columns[f], [columns[order[0]]][:i])
                for i, f in enumerate(order[:2])
            )
            for a in range(len(columns)):
                for b in range(a):
                    other = conditional_information(rows, target, columns[a], []) + conditional_information(
                        rows, target, columns[b], [columns[a]]
                    )
                    assert other <= pair + 1e-9
            assert alone[order[0]] >= alone[order[1]]
        for j in range(0 if name == "ocr" else 2, len(order)):
            before = [columns[f] for f in order[:j]]

            def value(feature, before=before, name=name):
                if name == "omi":
                    return conditional_information(rows, target, columns[feature], before)
                if name == "omisp":
                    return max(conditional_information(rows, target, columns[feature], [y]) for y in before)
                return saturated_accuracy(rows, target, [*before, columns[feature]])

            assert all(value(order[j]) >= value(other) - 1e-9 for other in order[j:])


@settings(max_examples=20, deadline=None)
@given(problem=problems())
def test_the_least_order_takes_the_worst_feature_each_time(problem):
    rows, _arities, target = problem
    table = make_table(*problem)
    columns = table.features
    order = ORDERS["least"](table, np.random.default_rng(0))
    assert sorted(order) == list(range(len(columns)))
    for j, feature in enumerate(order):
        before = [columns[f] for f in order[:j]]
        values = {f: conditional_information(rows, target, columns[f], before) for f in order[j:]}
        assert values[feature] <= min(values.values()) + 1e-9


def test_the_least_order_is_not_the_most_informative_one_reversed():
    rng = np.random.default_rng(1)
    a, d = rng.integers(0, 2, (2, 400))
    c = np.where(rng.random(400) < 0.9, a ^ d, a)
    b = np.where(rng.random(400) < 0.95, a, 1 - a)
    names = ("a", "b", "d", "class")
    variables = tuple(Variable(name, (0, 1), None, "integer") for name in names)
    table = Table.from_codes(variables, np.stack([a, b, d, c], axis=1), target=3)
    assert ORDERS["omi"](table, rng) == [0, 2, 1]
    assert ORDERS["least"](table, rng) == [2, 1, 0]


def test_too_many_sets_of_parents_are_refused_before_any_work(monkeypatch):
    names = [*(f"x{j}" for j in range(45)), "class"]
    variables = tuple(Variable(name, ("0", "1")) for name in names)
    table = Table.from_codes(variables, np.random.default_rng(0).integers(0, 2, (20, 46)), target=45)
    monkeypatch.setattr(OrderBased, "_order", lambda *arguments: pytest.fail("work was done"))
    with pytest.raises(ValueError, match="sets of at most 12 parents among 44 features are too many"):
        OrderBased(k=12).learn(table, np.random.default_rng(0))
