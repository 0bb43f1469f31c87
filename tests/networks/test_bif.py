import gzip
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bayleaf.data import Variable
from bayleaf.graph import DAG
from bayleaf.network import BayesNet
from bayleaf.networks import read_bif, write_bif
from reference.inference import random_networks
from reference.networks import NAMES, network_path

EVERYTHING = """// A comment before the network; with a semicolon
network "a name; with { odd } characters" {
  property version = 1.0 ;
  property "author = Nobody; url http://x.org" ;
}
/* Blocks may come in any order,
   probability { before } variable. */
probability ( "wet grass" | rain, sprinkler ) {
  (no, "it's (on)") 0.1, 0.9; // rain first
  default 0.25, 0.75;
  (no, off) 1.0, 0.0;
  property kind = "row; by row" ;
}
variable rain { // two states
  type discrete [ 2 ] { no, <7.5 };
  property position = (73, 165) ;
}
variable "sprinkler" {
  type discrete[2] { off  "it's (on)" };
}
variable "wet grass" { type discrete [ 2 ] { Asy/Patch, table_ }; }
probability ( rain ) {
  table 0.8 /* no; dry */ 0.2 ;
}
probability ( sprinkler rain ) { //the bar may be left out, and all numbers given at once
  table
    0.6 0.99   // off
    0.4 0.01;  // on
}
"""


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def everything(tmp_path) -> Path:
    return write(tmp_path / "net.bif", EVERYTHING)


def assert_identical(found: BayesNet, expected: BayesNet) -> None:
    assert found.variables == expected.variables
    assert found.arcs == expected.arcs
    assert all(np.array_equal(a, b) for a, b in zip(found.tables, expected.tables, strict=True))


def test_everything_the_format_has(everything):
    network = read_bif(everything)
    assert network.variables == (
        Variable("rain", ("no", "<7.5")),
        Variable("sprinkler", ("off", "it's (on)")),
        Variable("wet grass", ("Asy/Patch", "table_")),
    )
    assert set(network.arcs) == {("rain", "sprinkler"), ("rain", "wet grass"), ("sprinkler", "wet grass")}
    assert network.cpt("rain").tolist() == [0.8, 0.2]
    assert network.cpt("sprinkler").tolist() == [[0.6, 0.4], [0.99, 0.01]]
    assert network.cpt("wet grass").tolist() == [[[1.0, 0.0], [0.1, 0.9]], [[0.25, 0.75], [0.25, 0.75]]]


def test_parents_are_taken_in_the_order_of_the_file(tmp_path):
    text = """network x { }
    variable a { type discrete [ 2 ] { a0, a1 }; }
    variable b { type discrete [ 3 ] { b0, b1, b2 }; }
    variable c { type discrete [ 1 ] { only }; }
    variable d { type discrete [ 2 ] { d0, d1 }; }
    probability ( a ) { table 0.5, 0.5; }
    probability ( b ) { table 0.2, 0.3, 0.5; }
    probability ( c ) { table 1; }
    probability ( d | b, c, a ) {
      (b0, only, a0) 0.1, 0.9; (b1, only, a0) 0.2, 0.8; (b2, only, a0) 0.3, 0.7;
      (b0, only, a1) 0.4, 0.6; (b1, only, a1) 0.5, 0.5; (b2, only, a1) 0.6, 0.4;
    }"""
    network = read_bif(write(tmp_path / "x.bif", text))
    assert network.parents("d") == ("a", "b", "c")
    assert network.cpt("d")[:, :, 0, 0].tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]


@pytest.mark.parametrize("name", NAMES)
def test_published_networks_round_trip(name, tmp_path):
    network = read_bif(network_path(name))
    assert all(variable.dtype == "string" for variable in network.variables)
    for file in ("copy.bif", "copy.bif.gz") if name == "asia" else ("copy.bif",):
        network.to_bif(tmp_path / file)
        assert_identical(read_bif(tmp_path / file), network)


@pytest.mark.parametrize("name", ["andes", "barley"])
def test_large_networks_are_read_quickly(name):
    path = network_path(name)
    start = time.process_time()
    read_bif(path)
    assert time.process_time() - start < 5  # a quarter of a second where nothing watches it


NAMES_OF_ANY_KIND = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    [
        "table",
        "default",
        "property",
        "variable",
        "//",
        "/*",
        "*/",
        "a//b",
        'say "x"',
        "back\\slash",
        "\\",
        '\\"',
        "a|b",
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("bif")


@settings(deadline=None)
@given(st.lists(NAMES_OF_ANY_KIND, min_size=2, max_size=5, unique=True))
def test_names_of_any_kind_are_read_back(folder, words):
    variables = [Variable(word, tuple(words)) for word in words[:2]]
    dag = DAG(words[:2], [(words[1], words[0])])
    n = len(words)
    network = BayesNet(variables, dag, [np.eye(n), np.full(n, 1 / n)])
    write_bif(network, folder / "names.bif")
    assert_identical(read_bif(folder / "names.bif"), network)


@settings(deadline=None)
@given(random_networks())
def test_random_networks_are_read_back(folder, network):
    write_bif(network, folder / "random.bif")
    found = read_bif(folder / "random.bif")
    assert found.arcs == network.arcs
    assert [v.states for v in found.variables] == [tuple(map(str, v.states)) for v in network.variables]
    assert all(np.array_equal(a, b) for a, b in zip(found.tables, network.tables, strict=True))


def test_rounded_rows_are_renormalised(tmp_path):
    text = "network x { } variable a { type discrete [ 3 ] { p, q, r }; } probability ( a ) { table %s; }"
    rounded = read_bif(write(tmp_path / "a.bif", text % "0.333, 0.333, 0.333"))
    np.testing.assert_allclose(rounded.cpt("a"), 1 / 3, rtol=1e-15)
    with pytest.raises(
        ValueError, match=r"a\.bif', line 1: the probabilities of 'a' sum to 0\.99, not to one"
    ):
        read_bif(write(tmp_path / "a.bif", text % "0.33, 0.33, 0.33"))


START = """network x { }
variable a { type discrete [ 2 ] { a0, a1 }; }
variable b { type discrete [ 2 ] { b0, b1 }; }
"""
A = "probability ( a ) { table 0.5, 0.5; }\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (START + A, "line 3: the variable 'b' has no probability block"),
        (START + A + "probability ( b | c ) { (x) 0.5, 0.5; }", "line 5: the variable 'c' is not declared"),
        (START + A + "probability ( c ) { table 1; }", "line 3: the variable 'b' has no probability block"),
        (
            START + A + "probability ( b | b ) { table 1; }",
            "line 5: the family of 'b' names a variable twice",
        ),
        (
            START + A + "probability ( b | a, a ) { table 1; }",
            "line 5: the family of 'b' names a variable twice",
        ),
        (START + A + "probability ( b | a ) {\n (a0) 0.5, 0.5;\n}", r"line 5: 'b' has no row for \(a1\)"),
        (START + A + "probability ( b ) { }", "line 5: 'b' has no probabilities"),
        (START + A + "probability ( b | a ) {\n (a9) 0.5, 0.5;\n}", "line 6: 'a' has no state 'a9'"),
        (
            START + A + "probability ( b | a ) {\n (a0) 1, 0;\n (a0) 1, 0;\n}",
            r"line 7: 'b' has a second row for \(a0\)",
        ),
        (
            START + A + "probability ( b | a ) {\n (a0, a1) 1, 0;\n}",
            "line 6: 'b' has 1 parents; this row names 2 states",
        ),
        (
            START + A + "probability ( b ) {\n table 1;\n}",
            "line 6: 'b' needs 2 probabilities here; there are 1",
        ),
        (
            START + A + "probability ( b ) { table 1.5, -0.5; }",
            "line 5: 'b' has numbers that are not probabilities",
        ),
        (
            START + A + "probability ( b ) { table nan, 1; }",
            "line 5: 'b' has numbers that are not probabilities",
        ),
        (
            START + A + "probability ( b ) {\n table 0.5,\n x; }",
            "line 7: expected a number or ';', found 'x'",
        ),
        (START + A + "probability ( b ) { table 0.5, 0.5 }", "line 5: expected a number or ';', found '}'"),
        (
            START + A + "probability ( b ) { rows 0.5, 0.5; }",
            "line 5: expected a row of probabilities, found 'rows'",
        ),
        (START + A + A, "line 5: the variable 'a' has a second probability block"),
        (START + "variable a { }", "line 4: the variable 'a' is declared a second time"),
        (START + "variable c { property x; }", "line 4: the variable 'c' has no type"),
        (START + "variable c { kind 3; }", "line 4: expected 'type' or 'property', found 'kind'"),
        (START + "variable c { type continuous; }", "line 4: 'c' has the type 'continuous'; only discrete"),
        (
            START + "variable c { type discrete [ x ] { u }; }",
            "line 4: expected a number of states, found 'x'",
        ),
        (
            START + "variable c { type discrete [ 3 ] { u, v }; }",
            "line 4: 'c' announces 3 states but lists 2",
        ),
        (START + "variable c { type discrete [ 2 ] { u, u }; }", "line 4: 'c' lists the state 'u' 2 times"),
        (START + "variable c { type discrete [ 0 ] { }; }", "line 4: 'c' has no states"),
        (START + "variable { }", "line 4: expected a name, found '{'"),
        (START + "probability ( ) { }", "line 4: a probability block names no variable"),
        (START + "utility ( a ) { }", "line 4: expected a variable or probability block, found 'utility'"),
        (START + 'variable "c { type', "line 4: a quote or a comment is not closed"),
        (START + A + "/* the rest is lost", "line 5: a quote or a comment is not closed"),
        ("network x { nonsense }", "line 1: expected 'property' or '}', found 'nonsense'"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"bad\.bif', {message}"):
        read_bif(write(tmp_path / "bad.bif", text))


def test_every_truncation_is_noticed(tmp_path):
    text = EVERYTHING.rstrip()
    lines = text.count("\n") + 1
    for end in range(len(text) - 1, text.index("network"), -7):
        with pytest.raises(ValueError, match=r"cut\.bif'"):
            read_bif(write(tmp_path / "cut.bif", text[:end]))
    inside = f"it ends inside the probability block that begins in line {lines - 4}"
    with pytest.raises(ValueError, match=rf"line {lines}: the file is truncated: {inside}"):
        read_bif(write(tmp_path / "cut.bif", text[:-1]))


def test_a_cycle_is_refused(tmp_path):
    rows = "{ default 0.5, 0.5; }"
    text = f"{START}probability ( a | b ) {rows} probability ( b | a ) {rows}"
    with pytest.raises(ValueError, match=r"cycle\.bif' does not describe a Bayesian network: .*cycle"):
        read_bif(write(tmp_path / "cycle.bif", text))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a BIF file: it is empty instead of 'network'"),
        (b"// only a comment\n", "is not a BIF file: it is empty"),
        (b"name,age\nAnn,3\n", "is not a BIF file: it begins with 'name'"),
        (b'<?xml version="1.0"?><BIF/>', "is not a BIF file: it begins with '<"),
        (b"\xff\xfe\x00\x01", "is not a BIF file: it is not text"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    (tmp_path / "other.bif").write_bytes(content)
    with pytest.raises(ValueError, match=rf"other\.bif' {message}"):
        read_bif(tmp_path / "other.bif")


def test_compressed_files(tmp_path, everything):
    packed = tmp_path / "net.bif.gz"
    packed.write_bytes(gzip.compress(EVERYTHING.encode()))
    assert_identical(read_bif(packed), read_bif(everything))
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(ValueError, match=r"net\.bif\.gz' is truncated or damaged: Compressed file ended"):
        read_bif(packed)
    packed.write_bytes(EVERYTHING.encode())  # not packed at all: the content decides, not the name
    assert_identical(read_bif(packed), read_bif(everything))


def test_folder_and_missing_file(tmp_path):
    with pytest.raises(ValueError, match="is a folder, not a BIF file"):
        read_bif(tmp_path)
    with pytest.raises(FileNotFoundError, match="absent"):
        read_bif(tmp_path / "absent.bif")


def test_a_byte_order_mark_and_windows_line_ends(tmp_path, everything):
    windows = tmp_path / "windows.bif"
    windows.write_bytes(b"\xef\xbb\xbf" + EVERYTHING.replace("\n", "\r\n").encode())
    assert_identical(read_bif(windows), read_bif(everything))


def test_a_failed_write_leaves_the_old_file_alone(everything, monkeypatch):
    network = read_bif(everything)
    before = everything.read_bytes()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_bif(network, everything)
    assert everything.read_bytes() == before
    assert [path.name for path in everything.parent.iterdir()] == ["net.bif"]


def test_written_files_look_like_the_published_ones(tmp_path):
    variables = [Variable("a", (1, 2), None, "integer"), Variable("b b", (False, True), None, "boolean")]
    network = BayesNet(variables, DAG(["a", "b b"], [("a", "b b")]), [[0.1, 0.9], [[1.0, 0.0], [0.25, 0.75]]])
    write_bif(network, tmp_path / "x.bif")
    assert (tmp_path / "x.bif").read_text() == (
        "network unknown {\n}\n"
        "variable a {\n  type discrete [ 2 ] { 1, 2 };\n}\n"
        'variable "b b" {\n  type discrete [ 2 ] { False, True };\n}\n'
        "probability ( a ) {\n  table 0.1, 0.9;\n}\n"
        'probability ( "b b" | a ) {\n  (1) 1.0, 0.0;\n  (2) 0.25, 0.75;\n}\n'
    )
