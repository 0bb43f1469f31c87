"""bayleaf ask."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayleaf as bl

Run = Callable[..., Any]
Refused = Callable[..., str]


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    names = ["rain", "sprinkler", "wet: grass"]
    variables = [
        bl.data.Variable(name, states)
        for name, states in zip(names, [("no", "yes"), ("off", "on"), (False, True)], strict=True)
    ]
    dag = bl.DAG(names, [("rain", "sprinkler"), ("rain", names[2]), ("sprinkler", names[2])])
    tables = [
        [0.8, 0.2],
        [[0.6, 0.4], [0.99, 0.01]],
        [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
    ]
    bl.BayesNet(variables, dag, tables).save(tmp_path / "garden.json")
    return tmp_path / "garden.json"


def asked(outcome: Any) -> Any:
    assert outcome.code == 0, outcome
    return json.loads(outcome.out)


def test_posteriors_given_evidence(garden: Path, run: Run) -> None:
    network = bl.load_network(garden)
    seen = {"wet: grass": True}
    answer = asked(run("ask", garden, "rain", "sprinkler", "--given", "wet: grass=true", "--json"))
    assert answer["posteriors"] == {
        name: pytest.approx(network.posterior(name, seen)) for name in ("rain", "sprinkler")
    }
    assert answer["log_evidence"] == pytest.approx(network.log_evidence(seen))
    text = run("ask", garden, "rain", "--given", "wet: grass=true").out
    assert "0.358" in text
    assert "P(evidence) = 0.4484" in text
    everything = asked(run("ask", garden, "--json"))
    assert list(everything["posteriors"]) == list(network.nodes)
    assert "log_evidence" not in everything
    unknown = asked(run("ask", garden, "rain", "--given", "wet: grass=?", "--json"))
    assert unknown["posteriors"]["rain"] == pytest.approx({"no": 0.8, "yes": 0.2})


def test_soft_evidence_and_interventions(garden: Path, run: Run) -> None:
    network = bl.load_network(garden)
    soft = asked(run("ask", garden, "rain", "--soft", "wet: grass: true=3, false=1", "--json"))
    expected = network.posterior("rain", soft={"wet: grass": [1, 3]})
    assert soft["posteriors"]["rain"] == pytest.approx(expected)
    done = asked(run("ask", garden, "rain", "--do", "sprinkler=on", "--json"))
    assert done["posteriors"]["rain"] == pytest.approx({"no": 0.8, "yes": 0.2})


def test_most_probable_states_and_joints(garden: Path, run: Run) -> None:
    network = bl.load_network(garden)
    best = asked(run("ask", garden, "--mpe", "--given", "wet: grass=true", "--json"))
    found = network.mpe({"wet: grass": True})
    assert best == {"states": found.states, "probability": pytest.approx(found.probability)}
    best = asked(run("ask", garden, "sprinkler", "--map", "--json"))
    assert best["states"] == {"sprinkler": "off"}
    assert "Probability of all together" in run("ask", garden, "--mpe").out
    joint = asked(run("ask", garden, "sprinkler", "rain", "--joint", "--json"))
    assert joint["nodes"] == ["sprinkler", "rain"]
    assert {tuple(line["states"]): line["probability"] for line in joint["joint"]} == pytest.approx(
        network.joint_posterior(["sprinkler", "rain"])
    )
    assert "0.320" in run("ask", garden, "sprinkler", "rain", "--joint").out


def test_rows_given_evidence(garden: Path, run: Run) -> None:
    drawn = pl.read_csv(io.StringIO(run("ask", garden, "--sample", 40, "--given", "rain=yes").out))
    assert drawn.shape == (40, 3)
    assert set(drawn["rain"]) == {"yes"}
    assert len(asked(run("ask", garden, "rain", "--sample", 5, "--json"))) == 5
    estimate = asked(
        run("ask", garden, "rain", "--approximate", 20000, "--given", "wet: grass=true", "--json")
    )
    assert estimate["posteriors"]["rain"]["yes"] == pytest.approx(0.3577, abs=0.03)


def test_a_model_is_asked_for_its_class_with_numbers(model: Path, run: Run) -> None:
    loaded = bl.load(model)
    answer = asked(run("ask", model, "--given", "age=70, smoker=true", "--json"))
    expected = loaded.scorer()({"age": 70, "smoker": True}).tolist()
    of_network = loaded.network_.posterior("status", {"age": 70, "smoker": True})
    assert list(answer["posteriors"]["status"].values()) == pytest.approx(expected, abs=1e-12)
    assert list(of_network.values()) != pytest.approx(expected, abs=1e-3)  # the class has two readings
    explanation = loaded.explain(loaded._as_row({"age": 70, "smoker": True}))
    assert answer["known"]["values"] == explanation.known[0] == 2
    assert answer["known"]["information"] == pytest.approx(explanation.information[0])
    shown = run("ask", model, "--given", "age=70, smoker=true").out
    assert "2 of 4 values known" in " ".join(shown.split())


def test_all_but_the_class_and_what_is_not_certain_is_a_question_to_the_network(
    model: Path, run: Run
) -> None:
    network = bl.load(model).network_
    answer = asked(run("ask", model, "smoker", "--given", "age=70", "--json"))
    said = network.posterior("smoker", {"age": 70})
    assert answer["posteriors"] == {
        "smoker": {"false": pytest.approx(said[False]), "true": pytest.approx(said[True])}
    }
    assert "known" not in answer
    answer = asked(run("ask", model, "--do", "smoker=true", "--json"))
    done = network.do({"smoker": True})
    assert answer["posteriors"] == {"status": pytest.approx(done.posterior("status"))}
    assert "known" not in answer


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rian"], "The network has no node 'rian'. Did you mean 'rain'?"),
        (["rain", "--given", "sprinkler=of"], "'sprinkler' has no state 'of'; its states are off, on."),
        (["rain", "--given", "sprinkler"], "'sprinkler' is not of the form name=..."),
        (
            ["rain", "--given", "rain=no, 5"],
            "'5' is not of the form name=...; put a pair whose value contains a comma",
        ),
        (["rain", "--given", "spr=on"], "The network has no node 'spr'"),
        (["rain", "--given", "rain=yes"], "'rain' is both the query and evidence"),
        (["rain", "sprinkler", "--given", "rain=yes"], "'rain' is both the query and evidence"),
        (["--given", "rain=yes, rain=no"], "The evidence names 'rain' twice."),
        (["rain", "--soft", "sprinkler: on=much"], "The weight in 'on=much' of --soft is not a number."),
        (["rain", "--soft", "sprinkler: on=1"], "has no weight for 'off'"),
        (["--map"], "map needs the names of one or more different nodes"),
        (["--map", "--mpe"], "Ask for one thing at a time"),
        (["--mpe", "--approximate", "10"], "--mpe and --map are exact"),
        (
            ["rain", "--given", "sprinkler=off, wet: grass=true", "--do", "rain=no"],
            "The evidence has probability zero under this network",
        ),
    ],
)
def test_what_cannot_be_asked(garden: Path, refused: Refused, arguments: list[str], sentence: str) -> None:
    assert sentence in refused("ask", garden, *arguments)


def test_decimal_commas_part_no_evidence(tmp_path: Path, run: Run, refused: Refused) -> None:
    rows = [f"{k},5 %;{'ab'[k % 3 > 0]};{'no' if k < 40 else 'yes'}" for k in range(80)]
    (tmp_path / "d.csv").write_text("\n".join(["load %;kind;late", *rows]))
    model = tmp_path / "m.json"
    assert run("fit", tmp_path / "d.csv", "-t", "late", "-o", model).code == 0
    whole = asked(run("ask", model, "late", "--given", '"load %=39,5"', "--given", "kind=b", "--json"))
    for given in ("load %=39,5, kind=b", "kind=b,load %=39,5", "load %=39,5 %,kind=b"):
        assert asked(run("ask", model, "late", "--given", given, "--json")) == whole
    other = asked(run("ask", model, "late", "--given", "load %=40,5, kind=b", "--json"))
    assert other["posteriors"] != whole["posteriors"]
    assert "'5' is not of the form" in refused("ask", model, "late", "--given", "load %=39, 5")
    assert "'5' is not of the form" in refused("ask", model, "late", "--given", "kind=b,5")


@pytest.fixture(params=["hidden", "row by row"])
def no_network(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A model whose network is not what predicts."""
    X, y = [["a", "u"], ["b", "v"], ["a", "v"], ["b", "u"]] * 20, ["no", "yes", "no", "no"] * 20
    structure = bl.HiddenNaiveBayes() if request.param == "hidden" else bl.KDB(functional_dependencies=True)
    bl.BayesNetClassifier(structure).fit(X, y).save(tmp_path / "m.bayleaf.json")
    return tmp_path / "m.bayleaf.json"


def test_a_network_that_does_not_predict_is_not_asked(no_network: Path, refused: Refused) -> None:
    assert "'bayleaf ask' needs one network for all rows; this model" in refused("ask", no_network)


def test_a_network_that_does_not_predict_is_shown_and_converted_with_a_note(
    no_network: Path, run: Run
) -> None:
    caution = bl.load(no_network)._predictor.caution
    for arguments in (
        ("convert", no_network, no_network.with_name("m.bif")),
        ("show", no_network),
        ("show", no_network, "--node", "x0"),
    ):
        outcome = run(*arguments)
        assert outcome.code == 0
        assert caution in " ".join(outcome.err.split())
