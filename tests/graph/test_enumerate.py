import pytest

from all_dags import all_dags
from bayleaf.graph import DAG
from reference.graphs import dags_by_filtering, number_of_dags


@pytest.mark.parametrize(("n", "count"), [(0, 1), (1, 1), (2, 3), (3, 25), (4, 543), (5, 29281)])
def test_number_of_dags(n, count):
    dags = list(all_dags(n))
    assert len(dags) == len(set(dags)) == count == number_of_dags(n)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_same_dags_as_filtering_all_directed_graphs(n):
    assert set(all_dags(n)) == set(dags_by_filtering(n))


def test_parent_sets_make_dags_and_the_empty_one_is_first():
    dags = [DAG.from_parents(["a", "b", "c"], parents) for parents in all_dags(3)]
    assert dags[0] == DAG(["a", "b", "c"])
    assert len(set(dags)) == 25


@pytest.mark.parametrize("n", [-1, 7])
def test_too_many_nodes_are_refused_at_once(n):
    with pytest.raises(
        ValueError, match=rf"^all_dags lists the DAGs on 0 to 6 nodes; n = {n} is out of range\.$"
    ):
        all_dags(n)
