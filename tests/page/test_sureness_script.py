"""What the page adds up for intervals of probabilities, run outside a browser."""

import json
import shutil
import subprocess
from importlib.resources import files

import numpy as np
import pytest


def of_the_page(program):
    """Run the script of the page outside a browser, and what comes after it; return what that writes."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the PATH")
    script = files("bayleaf.page").joinpath("assets/sureness.js").read_text(encoding="utf-8")
    own = "\n".join(line for line in script.splitlines() if not line.startswith("import "))
    done = subprocess.run(
        [node, "--input-type=module"],
        input=own + program,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def test_log_odds_beyond_what_the_rows_support_are_no_difference():
    """The other reading is surer than log(151), with 150 rows: how much so does not count."""
    program = """
        const decodeFloats = () => new Float64Array([100, 50]);
        const nodes = [{ index: 0, arity: 2, parents: [], table: [0.5, 0.5] }];
        const sure = { factor: 1, share: 1, scale: 1, z: 1.645, missed: [0] };
        const sureness = new Sureness({ nodes, target: 0, sure });
        const tree = (far) => ({ evidence: [-1], scores: () => [0.4, -0.4], logJointOf: () => [far, 0] });
        console.log(JSON.stringify([Math.log(151), 30, 60, 2].map((far) => sureness.limits(tree(far)))));
    """
    just, far, farther, near = np.array(of_the_page(program))
    assert far == pytest.approx(just, rel=1e-9)
    assert farther == pytest.approx(just, rel=1e-9)
    assert (np.diff(near) < np.diff(just) - 0.1).all()


def test_rows_without_the_parents_are_added_up_once_for_all_classes_and_states():
    rng, (others, classes, states) = np.random.default_rng(0), (6, 20, 5)
    cells = rng.integers(9, size=(others, classes, states))
    nodes = [
        {"index": 0, "arity": others, "parents": [2], "table": []},
        {"index": 1, "arity": states, "parents": [0, 2], "table": [0.0] * cells.size},
        {"index": 2, "arity": classes, "parents": [], "table": [1.0] * classes},
    ]
    program = f"""
        const decodeFloats = () => new Float64Array(0);
        const nodes = {json.dumps(nodes)}, cells = {json.dumps(cells.ravel().tolist())};
        const sureness = new Sureness({{ nodes, target: 2, sure: {{}} }});
        let reads = 0;
        const read = (all, key) => ((reads += /^[0-9]+$/.test(key)), all[key]);
        sureness.cells[1] = new Proxy(cells, {{ get: read }});
        const asked = {json.dumps([[c, state] for c in range(classes) for state in range(states)])};
        const found = asked.map(([c, state]) => sureness.ofClass(nodes[1], state, c));
        console.log(JSON.stringify([found, reads]));
    """
    found, reads = of_the_page(program)
    sums = cells.sum(axis=0)
    rows = np.repeat(sums.sum(axis=1, keepdims=True), states, axis=1)
    expected = np.stack([rows, (sums + 0.5) / (rows + 0.5 * states)], axis=-1)
    assert np.array(found).reshape(expected.shape) == pytest.approx(expected, rel=1e-12)
    assert reads == cells.size
