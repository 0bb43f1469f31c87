"""Classes of equivalent DAGs, written out graph by graph."""

from bayleaf.graph.equivalence import are_equivalent
from bayleaf.graph.parents import topological_order


def classes(dags):
    """Put DAGs (parents of each node) into lists of equivalent ones."""
    found = []
    for dag in dags:
        home = next((some for some in found if are_equivalent(some[0], dag)), None)
        if home is None:
            found.append([dag])
        else:
            home.append(dag)
    return found


def is_class_focused(dag, target):
    """Whether the class has no parents and every arc between features ends in a child of the class."""
    return not dag[target] and all(target in family for family in dag if family)


def is_acyclic(dag):
    try:
        topological_order(dag)
    except ValueError:
        return False
    return True


def one_arc_more(dag):
    for child, family in enumerate(dag):
        for parent in range(len(dag)):
            if parent != child and parent not in family and child not in dag[parent]:
                larger = tuple(sorted((*family, parent)))
                other = tuple(larger if node == child else known for node, known in enumerate(dag))
                if is_acyclic(other):
                    yield other


def one_arc_less(dag):
    for child, family in enumerate(dag):
        for parent in family:
            smaller = tuple(other for other in family if other != parent)
            yield tuple(smaller if node == child else known for node, known in enumerate(dag))
