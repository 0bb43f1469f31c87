"""bayleaf explain, show, convert and methods."""

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayleaf
from bayleaf.networks import load_network
from bayleaf.networks.bif import read_bif

Run = Callable[..., Any]
Refused = Callable[..., str]


# explain


def test_explain_shows_the_evidence_of_the_row(
    files: Path, model: Path, run: Run, table: pl.DataFrame
) -> None:
    classifier = bayleaf.load(model)
    explanation = classifier.explain(table.drop("status")[[2]])
    outcome = run("explain", model, files / "people.csv", "--row", "3")
    assert outcome.code == 0
    assert (
        f"Row 3 of people.csv: evidence for {explanation.target[0]} against {explanation.against[0]}"
        in outcome.out
    )
    assert f"P({explanation.target[0]}) = {explanation.probability[0]:.3f}" in outcome.out
    assert f"The data says {table['status'][2]}." in outcome.out
    lines = {line.split()[0]: line for line in outcome.out.splitlines() if line.split()}
    for name, weight in zip(explanation.features, explanation.evidence[0], strict=True):
        assert f"{weight:+.2f}" in lines[name]
    assert f"{explanation.log_odds[0]:+.2f}" in lines["total"]


def test_explain_says_where_the_class_of_a_row_is_none_of_the_model(
    files: Path, model: Path, run: Run, table: pl.DataFrame
) -> None:
    table.with_columns(pl.col("status").str.to_uppercase()).write_csv(files / "upper.csv")
    outcome = run("explain", model, files / "upper.csv")
    label = table["status"][0].upper()
    assert f"The data says {label}, which is not a class of the model." in outcome.out


def test_explain_several_rows_for_given_classes(
    files: Path, model: Path, run: Run, table: pl.DataFrame
) -> None:
    arguments = ["--row", "2", "--row", "5", "--target-class", "well", "--against", "sick"]
    outcome = run("explain", model, files / "people.csv", *arguments)
    assert "Row 2 of people.csv: evidence for well against sick" in outcome.out
    assert "Row 5 of people.csv: evidence for well against sick" in outcome.out


def test_explain_abbreviates_many_features(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    data = {f"feature {j}": rng.choice(["a", "b"], 50) for j in range(20)} | {"c": rng.choice(["x", "y"], 50)}
    pl.DataFrame(data).write_csv(tmp_path / "d.csv")
    run("fit", tmp_path / "d.csv", "-t", "c", "-m", "NB", "-o", tmp_path / "m.json")
    short = run("explain", tmp_path / "m.json", tmp_path / "d.csv").out
    assert "8 other features" in short
    assert len(re.findall(r"feature \d", short)) == 12
    everything = run("explain", tmp_path / "m.json", tmp_path / "d.csv", "--all").out
    assert len(re.findall(r"feature \d", everything)) == 20


def test_explain_marks_missing_values(files: Path, model: Path, run: Run, table: pl.DataFrame) -> None:
    row = int(table["town"].is_null().arg_max()) + 1
    outcome = run("explain", model, files / "people.csv", "--row", row)
    (line,) = [line for line in outcome.out.splitlines() if line.strip().startswith("town")]
    assert "missing" in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--row", "121"], "There is no row 121: '"),
        (["--row", "0"], "See 'bayleaf explain --help'."),
        (["--target-class", "fine"], "'fine' is not a class of the model; there are sick, well."),
        (["--target-class", "well", "--against", "well"], "target and against are the same class"),
    ],
)
def test_explain_refuses(
    files: Path, model: Path, refused: Refused, arguments: list[str], message: str
) -> None:
    assert message in refused("explain", model, files / "people.csv", *arguments)


# show


def test_show_the_tree_and_the_class(model: Path, run: Run) -> None:
    network = bayleaf.load(model).network_
    outcome = run("show", model)
    assert outcome.code == 0
    assert "◆ status  sick, well" in outcome.out
    tree = [line for line in outcome.out.splitlines() if any(mark in line for mark in ("├ ", "└ "))]
    assert len(tree) == len(network.nodes) - 1
    for variable in network.variables[:-1]:
        (line,) = [line for line in tree if f" {variable.name}  " in line]
        if variable.cuts:
            assert f"cut at {variable.cuts[0]:.4g}" in line
    assert "P(status)" in outcome.out


def test_show_the_table_of_a_node(model: Path, run: Run) -> None:
    network = bayleaf.load(model).network_
    outcome = run("show", model, "--node", "smoker")
    assert f"P(smoker | {', '.join(network.parents('smoker'))})" in outcome.out
    for value in network.cpt("smoker").ravel():
        assert f"{value:.3f}" in outcome.out
    assert "◆" not in outcome.out


def test_show_abbreviates_large_tables(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {"a": rng.integers(100, 130, 900), "b": rng.integers(100, 130, 900), "c": rng.choice(["x", "y"], 900)}
    )
    frame.write_csv(tmp_path / "d.csv")
    run("fit", tmp_path / "d.csv", "-t", "c", "-o", tmp_path / "m.json", "--categorical", "all")
    network = bayleaf.load(tmp_path / "m.json").network_
    child = next(name for name in ("a", "b") if len(network.parents(name)) == 2)
    outcome = run("show", tmp_path / "m.json", "--node", child)
    assert "... 44 more lines and 20 more states; --all shows them." in outcome.out
    everything = run("show", tmp_path / "m.json", "--node", child, "--all")
    assert "more lines" not in everything.out
    assert len(everything.out) > 3 * len(outcome.out)


def test_show_the_search(model: Path, run: Run, refused: Refused) -> None:
    """The overview tells the search in a line, --search every step; a graph that was given has none."""
    trace = bayleaf.load(model).training_.search
    assert trace is not None
    page = " ".join(run("show", model).out.split())
    assert f"Search {len(trace.steps)} step" in page
    steps = run("show", model, "--search").out
    assert all(str(step) in steps for step in trace.steps)
    bayleaf.load(model).network_.save(model.parent / "net.json")
    assert "holds no search" in refused("show", model.parent / "net.json", "--search")


def test_show_refuses_unknown_nodes_and_files(model: Path, refused: Refused) -> None:
    assert (
        refused("show", model, "--node", "smokr") == "The network has no node 'smokr'. Did you mean 'smoker'?"
    )
    assert "There is no file" in refused("show", model.parent / "none.json")
    assert "is not a bayleaf file" in refused("show", model.parent / "people.csv")
    (model.parent / "bad.bif").write_text("nonsense")
    assert "bad.bif" in refused("show", model.parent / "bad.bif")


def test_show_tells_who_made_a_model_from_what(
    files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = files / "named.json"
    words = ["fit", files / "people.csv", "-t", "status", "--missing", "drop", "-o", path]
    monkeypatch.setenv("BAYLEAF_MADE_BY", "the risk team")
    assert run(*words).code == 0
    shown = " ".join(run("show", path).out.split())
    assert re.search(r"Made 20\d\d-\d\d-\d\d by the risk team with bayleaf \d[\w.]*, Python 3", shown)
    assert re.search(r"From \d+ rows, 4 columns: age, dose, town, smoker Settings missing='drop'", shown)
    monkeypatch.setenv("BAYLEAF_MADE_BY", "")
    assert run(*words).code == 0
    assert bayleaf.load(path).training_.made_by is None
    assert re.search(r"Made +[\d-]+ with bayleaf", run("show", path).out)


# convert


def test_convert_to_bif_and_to_a_network_and_back(model: Path, run: Run) -> None:
    network = bayleaf.load(model).network_
    folder = model.parent
    outcome = run("convert", model, folder / "n.bif")
    assert outcome.code == 0
    assert "BIF has no numbers" in outcome.err
    assert f"({len(network.nodes)} nodes, {len(network.arcs)} arcs)" in outcome.out
    assert run("convert", model, folder / "n.json").code == 0
    assert run("convert", folder / "n.json", folder / "again.bif").code == 0
    assert run("convert", folder / "n.bif", folder / "again.json").code == 0
    assert (folder / "again.bif").read_text() == (folder / "n.bif").read_text()
    for other in (
        read_bif(folder / "n.bif"),
        load_network(folder / "n.json"),
        load_network(folder / "again.json"),
    ):
        assert other.arcs == network.arcs
        for ours, theirs in zip(network.tables, other.tables, strict=True):
            np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-12)
    assert load_network(folder / "n.json").variables == network.variables
    for name in ("n.bif", "n.json"):
        assert run("show", folder / name).code == 0


@pytest.mark.parametrize(
    ("name", "start"),
    [("n.xmlbif", "<?xml"), ("n.xml", "<?xml"), ("n.net", "net"), ("n.dot", "digraph")],
)
def test_convert_to_the_formats_of_other_tools(model: Path, run: Run, name: str, start: str) -> None:
    target = model.parent / name
    assert run("convert", model, target).code == 0
    assert target.read_text().startswith(start)


@pytest.mark.parametrize("name", ["n.bif.gz", "n.BIF.gz", "n.json.gz"])
def test_packed_networks_are_shown_and_converted(model: Path, run: Run, name: str) -> None:
    packed, plain, again = (model.parent / each for each in (name, "plain.bif", "again.bif"))
    assert run("convert", model, plain).code == 0
    assert run("convert", model, packed).code == 0
    assert packed.read_bytes()[:2] == b"\x1f\x8b"
    assert run("convert", packed, again).code == 0
    assert again.read_bytes() == plain.read_bytes()
    shown, expected = run("show", packed), run("show", plain)
    assert (shown.code, expected.code) == (0, 0)
    if ".json" not in name:  # a network in JSON knows its class and its cut points
        assert shown.out.splitlines()[1:] == expected.out.splitlines()[1:]
    packed.write_bytes(packed.read_bytes()[:-20])
    assert "is truncated or damaged" in run("show", packed).err


@pytest.mark.parametrize("suffix", [".xmlbif", ".net", ".dot"])
def test_formats_of_other_tools_can_be_packed(model: Path, run: Run, suffix: str) -> None:
    plain, packed = model.parent / f"n{suffix}", model.parent / f"n{suffix}.gz"
    assert run("convert", model, plain).code == run("convert", model, packed).code == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()


def test_convert_refuses(model: Path, refused: Refused) -> None:
    folder = model.parent
    assert "use .bif, .xmlbif or .bifxml, .net (Hugin), .dsc, .dot (Graphviz) or .json" in refused(
        "convert", model, folder / "n.abc"
    )
    assert "does not exist" in refused("convert", model, folder / "no" / "n.bif")
    assert "There is no file" in refused("convert", folder / "none.json", folder / "n.bif")
    assert "is the input" in refused("convert", model, model)
    document = json.loads(model.read_text())
    (folder / "new.json").write_text(json.dumps({**document, "format": "bayleaf-network", "version": 99}))
    assert "was written by a newer bayleaf" in refused("convert", folder / "new.json", folder / "n.bif")
    assert not (folder / "n.bif").exists()


# methods


def test_methods_shows_six_to_choose_from(run: Run) -> None:
    outcome = run("methods")
    assert outcome.code == 0
    names = {method.name for method in bayleaf.methods()}
    shown = set(outcome.out.split()) & names
    assert {"NB", "TAN", "FAN", "SKDB", "ESKDB", "WANBIA"} <= shown
    assert not shown & {"A2DE", "AODE", "RTAN", "GBN-BDeu", "BNC-2P"}
    assert f"lists all {len(names)}" in " ".join(outcome.out.split())


def test_methods_lists_every_name(run: Run) -> None:
    outcome = run("methods", "--all")
    assert outcome.code == 0
    for method in bayleaf.methods():
        assert method.name in outcome.out


# all of them


def test_names_with_brackets_colons_and_blanks_are_shown_as_they_are(tmp_path: Path, run: Run) -> None:
    names = ["[red]size[/red] [cm]", ":smile: x", "plain name", "my [class]"]
    rng = np.random.default_rng(0)
    labels = ["[b]yes", "no[/b]"]
    frame = pl.DataFrame({name: rng.choice(labels, 60) for name in names})
    frame.write_csv(tmp_path / "[d] :x:.csv")
    data, model = tmp_path / "[d] :x:.csv", tmp_path / "[m].json"
    outcome = run("fit", data, "-t", "my [class]", "-m", "TAN", "-o", model)
    assert (outcome.code, outcome.err) == (0, "")
    assert f"Wrote {model}" in outcome.out
    for page in (run("show", model), run("explain", model, data)):
        assert page.code == 0, page
        for name in names[:3]:
            assert name in page.out
    assert "my [class]" in run("show", model).out
    assert "[b]yes" in run("show", model, "--node", ":smile: x").out
    assert run("predict", model, data).out.startswith("prediction,P([b]yes),P(no[/b])\n")
    assert "[d] :x: (60 rows)" in run("evaluate", data, "-t", "my [class]", "--cv", "2", "--repeats", "1").out


@pytest.mark.parametrize("name", ["people.bifxml", "people.dsc"])
def test_convert_writes_what_show_reads(files: Path, model: Path, run: Run, name: str) -> None:
    assert run("convert", model, files / name).code == 0
    assert "age" in run("show", files / name).out
    network = bayleaf.load(model).network_
    assert run("convert", files / name, files / "again.json").code == 0
    again = load_network(files / "again.json")
    assert again.arcs == network.arcs
    assert all(np.array_equal(mine, other) for mine, other in zip(again.tables, network.tables, strict=True))


def test_convert_can_use_plain_words(files: Path, model: Path, run: Run) -> None:
    assert run("convert", model, files / "people.bif", "--plain").code == 0
    assert '"' not in (files / "people.bif").read_text()
    assert read_bif(files / "people.bif").variable("dose").states[0].startswith("le_")


def test_explain_says_what_to_measure_next(files: Path, model: Path, run: Run, table: pl.DataFrame) -> None:
    table[:1].with_columns(age=None, dose=None).drop("status").write_csv(files / "new.csv")
    shown = run("explain", model, files / "new.csv", "--next").out
    found = bayleaf.load(model).value_of_information(table[:1, :4].with_columns(age=None, dose=None))
    assert "What to measure next" in shown
    for feature, information, *_ in found.rows():
        line = next(line for line in shown.split("What to measure next")[1].splitlines() if feature in line)
        assert f"{information:.3f}" in line
    table.drop_nulls()[:1].write_csv(files / "complete.csv")
    assert "nothing more to measure" in run("explain", model, files / "complete.csv", "--next").out


def test_tables_that_go_to_a_file_are_whole_and_without_blanks_at_the_end(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = run("methods", "--all").out.splitlines()
    assert max(map(len, narrow)) <= 100
    monkeypatch.delenv("COLUMNS")
    outcome = run("methods", "--all")
    wide = outcome.out.splitlines()
    assert max(map(len, wide)) > 100
    assert len(wide) < len(narrow)
    assert not any(line.endswith(" ") for line in wide + run("show", model).out.splitlines())
