"""DSC and XMLBIF: what is written is read back, and damaged files are refused with a sentence."""

import gzip

import numpy as np
import pytest

import bayleaf as bl
from bayleaf.networks import read_dsc, read_xmlbif, write_dsc, write_xmlbif
from reference.random_networks import SHAPES, random_network

WAYS = {
    "n.dsc": (write_dsc, read_dsc),
    "n.bifxml": (write_xmlbif, read_xmlbif),
    "n.dsc.gz": (write_dsc, read_dsc),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("file", WAYS)
def test_networks_are_read_back_to_the_last_bit(file, shape, tmp_path):
    write, read = WAYS[file]
    network = random_network(np.random.default_rng(4), shape)
    write(network, tmp_path / file)
    again = read(tmp_path / file)
    assert again.arcs == network.arcs
    for mine, other in zip(network.variables, again.variables, strict=True):
        assert (mine.name, mine.states) == (other.name, other.states)
    for mine, other in zip(network.tables, again.tables, strict=True):
        assert np.array_equal(mine, other)
    if file.endswith(".gz"):
        assert gzip.decompress((tmp_path / file).read_bytes()).startswith(b"belief network")


@pytest.mark.parametrize("file", ["n.dsc", "n.bifxml"])
def test_odd_names_are_read_back(file, tmp_path):
    write, read = WAYS[file]
    a = bl.data.Variable('a "quoted" <name> & \\', ("x < 1", 'x "≥" 1', "(0, 1]"))
    b = bl.data.Variable("b b", ("{", "};"))
    dag = bl.DAG([b.name, a.name], [(a.name, b.name)])
    network = bl.BayesNet([b, a], dag, [[[0.9, 0.1], [0.4, 0.6], [0.5, 0.5]], [0.2, 0.3, 0.5]])
    write(network, tmp_path / file)
    again = read(tmp_path / file)
    assert again.variables == (bl.data.Variable(b.name, b.states), bl.data.Variable(a.name, a.states))
    assert np.array_equal(again.cpt("b b"), network.cpt("b b"))


# Of bnlearn's repository in form: identifiers alone, parents in another order than the nodes, few digits.
FOREIGN = """belief network "unknown"
// a comment
node b { type : discrete [ 2 ] = { "yes", "no" }; position : (1, 2); }
node a { name: ""; type : discrete [ 3 ] = { "x", "y", "z" }; }
node c { type : discrete [ 2 ] = { "0", "1" }; }
probability ( a ) { 0.333, 0.333, 0.333; }
probability ( b ) { 0.5, 0.5; }
probability ( c | a, b ) {
  (0, 0) : 0.1, 0.9;
  (0, 1) : 0.2, 0.8;
  (1, 0) : 0.3, 0.7;
  (1, 1) : 0.4, 0.6;
  (2, 0) : 0.5, 0.5;
  (2, 1) : 0.6, 0.4;
}
"""


def test_foreign_dsc_files(tmp_path):
    (tmp_path / "n.dsc").write_text(FOREIGN)
    network = read_dsc(tmp_path / "n.dsc")
    assert network.nodes == ("b", "a", "c")
    assert network.cpt("a").sum() == pytest.approx(1.0, abs=1e-12)
    assert network.posterior("c", {"a": "y", "b": "no"})["0"] == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'belief network "unknown"',
            "network x",
            "is not a DSC file: it does not begin with 'belief network'",
        ),
        ('[ 2 ] = { "0"', '[ 3 ] = { "0"', "line 5: 'c' announces 3 states but lists 2"),
        ("node c { type", "node b { type", "line 5: the variable 'b' is declared twice"),
        ("( c | a, b )", "( c | a, d )", "line 8: the variable 'd' is not declared"),
        ("  (2, 1) : 0.6, 0.4;\n", "", "'c' has configurations of its parents without probabilities"),
        ("(2, 1)", "(3, 1)", "line 14: '3' is not the number of a state from 0 to 2"),
        ("(2, 1)", "(2)", "line 14: 'c' has 2 parents; this row names 1 states"),
        ("0.6, 0.4", "0.6, x", "line 14: 'x' is not a number"),
        ("0.6, 0.4", "0.6", "line 14: 'c' needs 2 probabilities here; there are 1"),
        ("0.6, 0.4", "0.6, 0.6", "the probabilities of 'c' sum to 1.2, not to one"),
        ("0.6, 0.4", "1.6, -0.6", "'c' has numbers that are not probabilities"),
        ("probability ( b ) { 0.5, 0.5; }", "", "the variable 'b' has no probabilities"),
        ("probability ( b )", "probability ( b | c )", "needs 4 probabilities here"),
        ("( c | a, b )", "( c | b, b )", "(2, 0)"),
        ('"x", "y"', '"x", "x"', "does not describe a Bayesian network: 'a' has the state 'x' twice"),
        ('{ "yes", "no" }', '{ "yes", "no', "a quote is not closed"),
        ("(0, 0) : 0.1", "(0, 0) = 0.1", "line 9: expected ':', found '='"),
        ("\n}\n", "\n", "expected ';', found the end of the file"),
        ("node a {", "nod a {", "expected a node or probability block, found 'nod'"),
    ],
)
def test_damaged_dsc_files_are_refused(tmp_path, old, new, sentence):
    assert old in FOREIGN
    (tmp_path / "n.dsc").write_text(FOREIGN.replace(old, new))
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read_dsc(tmp_path / "n.dsc")
    if not sentence.startswith("("):
        assert sentence in str(caught.value)
    assert "n.dsc" in str(caught.value)


XML = """<?xml version="1.0"?>
<BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
<VARIABLE TYPE="nature"><NAME>a</NAME><OUTCOME>x</OUTCOME><OUTCOME>y</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>b</NAME><OUTCOME>0</OUTCOME><OUTCOME>1</OUTCOME></VARIABLE>
<DEFINITION><FOR>a</FOR><TABLE>0.2 <!-- most --> 0.8</TABLE></DEFINITION>
<DEFINITION><FOR>b</FOR><GIVEN>a</GIVEN><TABLE>0.1 0.9 0.3 0.7</TABLE></DEFINITION>
</NETWORK></BIF>
"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("</BIF>", "", "is not an XML file"),
        ("BIF", "BIG", "is not an XMLBIF file: it holds <BIG>"),
        ("<NAME>b<", "<NAME>a<", "the variable 'a' is declared twice"),
        ("<GIVEN>a<", "<GIVEN>c<", "the variable 'c' is not declared"),
        ("0.3 0.7", "0.3", "'b' needs 4 probabilities; there are 3"),
        ("0.3 0.7", "0.3 much", "the table of 'b' holds something other than numbers"),
        ('<?xml version="1.0"?>', '<!DOCTYPE x [<!ENTITY a "b">]>', "declares XML entities"),
        ("<GIVEN>a<", "<GIVEN>b<", "the family of 'b' names a variable twice"),
    ],
)
def test_damaged_xmlbif_files_are_refused(tmp_path, old, new, sentence):
    path = tmp_path / "n.xml"
    path.write_text(XML)
    assert read_xmlbif(path).posterior("b", {"a": "y"}) == {"0": 0.3, "1": 0.7}
    path.write_text(XML.replace(old, new))
    with pytest.raises(ValueError, match=sentence):
        read_xmlbif(path)


def test_a_file_without_variables(tmp_path):
    (tmp_path / "n.dsc").write_text('belief network "x"')
    with pytest.raises(ValueError, match="declares no variables"):
        read_dsc(tmp_path / "n.dsc")


def test_a_line_break_in_a_name_of_a_dsc_file_is_a_blank(tmp_path):
    node = 'node a {{ name: "{}"; type : discrete [ 2 ] = {{ "x\n1", "y" }}; }}'
    path = tmp_path / "n.dsc"
    path.write_text(
        'belief network "n"\n' + node.format("two\nlines") + "\nprobability ( a ) { 0.5, 0.5; }\n"
    )
    network = read_dsc(path)
    assert (network.nodes, network.variable("two lines").states) == (("two lines",), ("x 1", "y"))
    write_dsc(network, path)
    assert read_dsc(path).variables == network.variables
