"""Random networks of every shape."""

import numpy as np

import bayleaf as bl

SHAPES = ("naive", "tree", "two parents", "class anywhere", "no class", "unconnected", "many states", "zeros")


def random_network(rng, shape, n=7):
    """Random tables on a random graph; the class, where there is one, is the last node."""
    names = [f"x{i}" for i in range(n)]
    target = None if shape == "no class" else names[-1]
    order = list(range(n - 1)) if target else list(range(n))
    limit = {"naive": 0, "tree": 1, "unconnected": 1, "many states": 1}.get(shape, 2)
    arcs = []
    for position, i in enumerate(order):
        chosen = rng.choice(order[:position], size=min(position, rng.integers(limit + 1)), replace=False)
        arcs += [(names[p], names[i]) for p in chosen]
        if target and shape not in ("class anywhere", "unconnected"):
            arcs.append((target, names[i]))
        elif target and rng.random() < 0.4:
            arcs.append(
                (names[i], target) if shape == "class anywhere" and position < 2 else (target, names[i])
            )
    if shape == "class anywhere":  # parents of the class come first, so no cycle can close
        parents = {a for a, b in arcs if b == target}
        arcs = [arc for arc in arcs if not (arc[0] == target and arc[1] in parents)]
        arcs = [arc for arc in arcs if not (arc[1] in parents and arc[0] not in parents)]
    dag = bl.DAG(names, arcs)
    top = 14 if shape == "many states" else 4
    arities = [int(k) for k in rng.integers(2, top, size=n)]
    if shape == "unconnected":
        arities[0] = 1
    variables = [
        bl.data.Variable(name, tuple(f"s{k}" for k in range(r)))
        for name, r in zip(names, arities, strict=True)
    ]
    tables = []
    for node, parents in enumerate(dag.parent_indices):
        table = rng.dirichlet(np.full(arities[node], 0.8), size=[arities[p] for p in parents])
        if shape == "zeros" and arities[node] > 2:
            table[..., 0] = np.where(rng.random(table.shape[:-1]) < 0.3, 0.0, table[..., 0])
            table /= table.sum(axis=-1, keepdims=True)
        tables.append(table)
    return bl.BayesNet(variables, dag, tables, target)
