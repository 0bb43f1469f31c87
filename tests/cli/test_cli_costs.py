"""Where decisions have costs, every command that decides says so."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import bayleaf

Run = Callable[..., Any]
Refused = Callable[..., str]
SEVERE = "loss={'sick':{'well':12.5}}"


@pytest.fixture
def costly(files: Path, run: Run) -> Path:
    path = files / "costly.json"
    given = ("--target", "status", "--set", "loss=[[0, 12.5], [1, 0]]", "-o", path)
    assert run("fit", files / "people.csv", *given).code == 0
    return path


def test_explain_says_that_costs_decide(costly: Path, files: Path, run: Run, table: pl.DataFrame) -> None:
    rows = table.drop("status")
    classifier = bayleaf.load(costly)
    explanation = classifier.explain(rows)
    row = int((explanation.log_odds < 0).argmax())  # the evidence speaks against the decision
    assert explanation.target[row] == "sick"
    shown = run("explain", costly, files / "people.csv", "--row", row + 1).out
    share = classifier.predict_proba(rows)[row]
    sentence = f"minimises expected cost: sick costs {share[1]:.3g}, well {12.5 * share[0]:.3g}."
    assert sentence in shown
    assert sentence in str(classifier.explain(rows[[row]]))


def test_show_lists_the_costs(costly: Path, run: Run) -> None:
    shown = " ".join(run("show", costly).out.split())
    assert (
        "Decides by smallest expected cost (loss): sick predicted as well: 12.5, well predicted as sick: 1"
        in shown
    )


@pytest.mark.parametrize("method", ["TAN", "RTAN(n_estimators=3)"])
def test_predict_notes_that_costs_decide(files: Path, run: Run, method: str) -> None:
    path = files / "m.json"
    fitted = run(
        "fit",
        files / "people.csv",
        "-t",
        "status",
        "-m",
        method,
        "--set",
        "loss=[[0, 12], [1, 0]]",
        "-o",
        path,
    )
    assert fitted.code == 0, fitted.err
    outcome = run("predict", path, files / "people.csv")
    assert "Note: the model has costs (loss): predictions minimise expected cost" in outcome.err
    assert outcome.out.startswith("prediction,")


def test_without_costs_nothing_is_said_of_them(model: Path, files: Path, run: Run) -> None:
    outcomes = [run(*call) for call in (("show", model), ("explain", model, files / "people.csv"))]
    outcomes.append(run("predict", model, files / "people.csv"))
    assert not any("expected cost" in outcome.out + outcome.err for outcome in outcomes)


def test_fit_prints_what_evaluate_will_say(files: Path, run: Run, table: pl.DataFrame) -> None:
    path = files / "m.json"
    fitted = run("fit", files / "people.csv", "-t", "status", "--set", SEVERE, "--cv", "3", "-o", path)
    model = bayleaf.load(path)
    held_out, crossed = model.out_of_sample_, model.training_.cross_validated
    shown = " ".join(fitted.out.split())
    assert f"mean cost {held_out.cost:.3f}, accuracy {held_out.accuracy:.3f}, Brier score" in shown
    told = f"accuracy {crossed.value('Accuracy'):.3f}, mean cost {crossed.value('Mean cost'):.3f}"
    assert f"Cross-validated 3 folds: {told}, log-loss" in shown
    said = "smallest expected cost (loss): sick predicted as well: 12.5, well predicted as sick: 1"
    assert f"Decides by {said}" in shown
    outcome = run("evaluate", path, files / "people.csv")
    decided = model.predict(table.drop("status"))
    truth = table["status"].to_numpy()
    cost = ((truth != decided) * (1 + 11.5 * (truth == "sick"))).mean()
    lines = {line.split("  ")[1]: line.split() for line in outcome.out.splitlines() if line.startswith("  ")}
    assert f"{cost:.3f}" in lines["Mean cost"]
    assert f"{(truth == decided).mean():.3f}" in lines["Accuracy"]
    assert f"Decisions of {said}." in outcome.out
    document = json.loads(run("evaluate", path, files / "people.csv", "--json").out)
    assert document["costs"] == [[0, 12.5], [1, 0]]
    (measured,) = (line for line in document["measures"] if line["name"] == "Mean cost")
    assert measured["value"] == pytest.approx(cost)
    page = files / "page.html"
    assert run("evaluate", path, files / "people.csv", "-o", page).code == 0
    assert "sick predicted as well: 12.5" in page.read_text()


def test_batches_pay_the_same_costs(
    costly: Path, files: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def measures() -> dict[str, float]:
        document = json.loads(run("evaluate", costly, files / "people.csv", "--json").out)
        return {line["name"]: line["value"] for line in document["measures"]}

    whole = measures()
    monkeypatch.setattr("bayleaf.cli.evaluate.MOST_WHOLE", 50)
    assert measures()["Mean cost"] == pytest.approx(whole["Mean cost"])


def test_methods_are_measured_by_the_costs_of_one_of_them(files: Path, run: Run, refused: Refused) -> None:
    methods = f"NB,NB({SEVERE})"
    how = ("-t", "status", "--cv", "2", "--repeats", "1")
    document = json.loads(run("evaluate", files / "people.csv", *how, "-m", methods, "--json").out)
    found = {
        name: each["mean_cost"]["mean"] for name, each in document["datasets"]["people"]["methods"].items()
    }
    assert len(found) == 2
    plain = found.pop("NB")
    assert min(found.values()) < plain
    shown = run("evaluate", files / "people.csv", *how, "-m", methods).out
    assert "mean cost ↓" in shown
    assert "Costs of all decisions (loss): {'sick': {'well': 12.5}}." in shown
    compared = run("compare", files / "people.csv", *how, "-m", methods, "--measure", "mean_cost").out
    assert "mean cost" in compared
    found = json.loads(run("compare", files / "people.csv", *how, "-m", methods, "--json").out)
    costs = {name: each["mean_cost"]["mean"] for name, each in found["datasets"]["people"]["methods"].items()}
    assert 0 < costs.pop(f"NB({SEVERE.replace(':', ': ')})", 9) < costs.pop("NB")
    assert "Costs of all decisions (loss)" in compared
    others = f"{methods},TAN(loss={{'sick':{{'well':2}}}})"
    assert "different costs" in refused("compare", files / "people.csv", *how, "-m", others)
    assert "mean cost" not in run("evaluate", files / "people.csv", *how, "-m", "NB").out
