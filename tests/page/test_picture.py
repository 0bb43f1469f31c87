"""Drawings of graphs and networks in notebooks and files."""

import builtins
import xml.etree.ElementTree as ET

import numpy as np
import polars as pl
import pytest

import bayleaf as bl
from bayleaf.page.drawing import MOST_NODES, draw
from reference.random_networks import SHAPES, random_network

SVG = "{http://www.w3.org/2000/svg}"


def parts(picture):
    """Names in boxes, and arcs as (text, thickness, whether it has a tip)."""
    root = ET.fromstring(picture.svg)
    names = [group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g")]
    arcs = [
        (path.findtext(f"{SVG}title"), float(path.get("stroke-width")), path.get("marker-end") is not None)
        for path in root.iter(f"{SVG}path")
        if path.get("class") == "arc"
    ]
    return names, arcs


@pytest.mark.parametrize("shape", SHAPES)
def test_every_node_and_arc_is_drawn(shape):
    network = random_network(np.random.default_rng(1), shape)
    names, arcs = parts(network.plot())
    assert names == list(network.nodes)
    assert {text for text, _, _ in arcs} == {f"{parent} → {child}" for parent, child in network.arcs}
    assert all(tip for _, _, tip in arcs)
    assert parts(network.dag.plot())[0] == names
    assert network.plot().svg.count("#1d7a4f") == (network.target is not None)


def test_edges_without_direction_have_no_tip():
    pattern = bl.graph.CPDAG(["a", "b", "c", "d"], [("d", "a"), ("c", "a")], [("a", "b")])
    _, arcs = parts(pattern.plot())
    assert {(text, tip) for text, _, tip in arcs} == {("d → a", True), ("c → a", True), ("a — b", False)}


def test_strong_arcs_are_thick():
    dag = bl.DAG(["a", "b", "c"], [("a", "b"), ("b", "c")])
    frame = pl.DataFrame(
        {"parent": ["b", "b"], "child": ["a", "c"], "strength": [1.0, 0.0], "direction": [0.5, 1.0]}
    )
    for strengths in (frame, frame.to_pandas(), {("b", "a"): 7.0, ("b", "c"): 0}):
        assert [thick for _, thick, _ in parts(dag.plot(strengths))[1]] == [4.0, 0.4]
    with pytest.raises(TypeError, match="strengths must be a mapping"):
        dag.plot([1, 2])


def test_names_are_escaped_and_shortened():
    picture = bl.DAG(["<b> & 'c'", "x" * 50]).plot()
    assert parts(picture)[0] == ["<b> & 'c'", "x" * 50]
    assert "x" * 21 + "…" in picture.svg


def test_pictures_are_saved_whole(tmp_path):
    picture = bl.DAG(["a"]).plot()
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == picture.svg == picture._repr_svg_()
    with pytest.raises(ValueError, match=r"must end in \.svg"):
        picture.save(tmp_path / "a.png")
    assert "save('graph.svg')" in repr(picture)


def test_notebooks_show_a_drawing_or_text(monkeypatch):
    network = random_network(np.random.default_rng(1), "tree")
    for graph in (network, network.dag, network.dag.cpdag()):
        assert "<svg" in graph._repr_html_()
    assert "&lt;BayesNet nodes=7" in network._repr_html_()
    many = bl.DAG([f"n{k}" for k in range(MOST_NODES + 1)])
    assert "<svg" not in many._repr_html_()
    assert len(parts(draw(many))[0]) == MOST_NODES + 1
    assert "<svg" not in bl.DAG([])._repr_html_()
    real = builtins.__import__

    def without_igraph(name, *args, **kwargs):
        if name == "igraph":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setitem(__import__("sys").modules, "igraph", None)
    monkeypatch.setattr(builtins, "__import__", without_igraph)
    assert "<svg" not in network._repr_html_()
    assert "DAG([" in network.dag._repr_html_()
    with pytest.raises(ImportError, match="igraph"):
        network.plot()
