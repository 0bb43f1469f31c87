import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.networks import load_network
from reference.inference import make_network, random_networks


def assert_identical(found: BayesNet, expected: BayesNet) -> None:
    assert found.variables == expected.variables
    assert [list(map(type, v.states)) for v in found.variables] == [
        list(map(type, v.states)) for v in expected.variables
    ]
    assert (found.dag, found.target) == (expected.dag, expected.target)
    assert all(np.array_equal(a, b) for a, b in zip(found.tables, expected.tables, strict=True))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("networks")


@settings(deadline=None)
@given(random_networks(), st.booleans())
def test_round_trip_to_the_last_bit(folder, network, has_target):
    if has_target:
        network = BayesNet(network.variables, network.dag, network.tables, network.nodes[0])
    network.save(folder / "any.json")
    assert_identical(load_network(folder / "any.json"), network)


def test_every_kind_of_variable(tmp_path):
    variables = [
        Variable('naïve "quoted"\n', ("ä", "", "b c")),
        Variable("i", (-3, 0, 70000), None, "integer", fill=2),
        Variable("f", (0.1, 1e-300), None, "float"),
        Variable("b", (False, True), None, "boolean"),
        Variable.numeric("n", [0.1, 1 / 3, 1e22], "integer", fill=0),
        Variable.numeric("constant", []),
    ]
    tables = [np.full(variable.arity, 1 / variable.arity) for variable in variables]
    network = BayesNet(variables, DAG([variable.name for variable in variables]), tables, "b")
    network.save(tmp_path / "net.json")
    assert_identical(load_network(tmp_path / "net.json"), network)


@pytest.fixture
def saved(tmp_path) -> Path:
    path = tmp_path / "net.json"
    make_network(np.random.default_rng(0), [(), (0,)], [2, 3]).save(path)
    return path


def change(path: Path, **entries: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **entries}))


def test_truncated(saved):
    saved.write_text(saved.read_text()[:-40])
    with pytest.raises(ValueError, match=r"net\.json' is truncated or damaged"):
        load_network(saved)


def test_foreign(saved):
    saved.write_text('{"format": "something-else", "version": 1}')
    with pytest.raises(ValueError, match="is not a bayleaf-network file; its format says 'something-else'"):
        load_network(saved)
    for text in ("", "name,age\nx,1\n", "[1, 2]", "3"):
        saved.write_text(text)
        with pytest.raises(ValueError, match=r"net\.json' is not a bayleaf-network file"):
            load_network(saved)


def test_newer_version(saved):
    change(saved, version=2)
    with pytest.raises(ValueError, match=r"was written by a newer bayleaf .*upgrade bayleaf"):
        load_network(saved)
    change(saved, version="one")
    with pytest.raises(ValueError, match="is damaged: it has no version number"):
        load_network(saved)


def test_binary(saved):
    saved.write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match="is not a bayleaf-network file: it is not text"):
        load_network(saved)


def test_folder_and_missing_file(tmp_path):
    with pytest.raises(ValueError, match="is a folder, not a bayleaf-network file"):
        load_network(tmp_path)
    with pytest.raises(FileNotFoundError, match="absent"):
        load_network(tmp_path / "absent.json")


@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("tables", [[0.5, 0.5]], "is damaged: The network has 2 nodes but 1 tables"),
        (
            "tables",
            [[0.5, 0.6], [[1, 0, 0]] * 2],
            "is damaged: The table of 'v0' has rows that do not sum to one",
        ),
        ("parents", {"v0": ["v1"], "v1": ["v0"]}, "is damaged: .*cycle"),
        ("parents", {"v0": ["v9"], "v1": []}, "is damaged: Unknown node 'v9'"),
        ("variables", [{"name": "v0"}], "is damaged: its bayleaf-network content is incomplete"),
        ("variables", 3, "is damaged: its bayleaf-network content is incomplete"),
    ],
)
def test_damaged_content_names_the_file(saved, entry, value, message):
    change(saved, **{entry: value})
    with pytest.raises(ValueError, match=rf"net\.json' {message}"):
        load_network(saved)


def test_a_failed_write_leaves_the_old_file_alone(saved, monkeypatch):
    before = saved.read_bytes()

    def fail(*_args, **_kwargs):
        raise OSError("disk full")

    monkeypatch.setattr(json, "dump", fail)
    with pytest.raises(OSError, match="disk full"):
        make_network(np.random.default_rng(1), [()], [2]).save(saved)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["net.json"]


def test_a_folder_that_is_not_there(tmp_path):
    network = make_network(np.random.default_rng(1), [()], [2])
    with pytest.raises(FileNotFoundError, match=r"Cannot write .*: the folder .*nowhere' does not exist"):
        network.save(tmp_path / "nowhere" / "net.json")
    with pytest.raises(IsADirectoryError, match=r"Cannot write .*: it is a folder"):
        network.save(tmp_path)
