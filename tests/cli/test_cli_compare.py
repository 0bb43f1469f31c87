"""bayleaf compare: methods that differ in their names only, intervals and tests, resume."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import bayleaf
from bayleaf.benchmark import (
    CrossValidation,
    Results,
    adjust_p_values,
    corrected_interval,
    corrected_t_test,
    evaluate,
    peer,
)
from bayleaf.cli.compare import competitors, differences
from bayleaf.cli.options import MissingWay
from bayleaf.quality.measures import known_measure

Run = Callable[..., Any]
Refused = Callable[..., str]
FEW = ("--cv", "3", "--repeats", "1")


def made(text: str, as_published: bool = False) -> dict[str, Any]:
    return competitors(text, as_published=as_published, discretizer=None, missing=MissingWay.AUTO)


def test_methods_differ_in_what_their_names_say() -> None:
    usual = made("nb, tan, kdb(k=1), aode, tan-omi-cr-cl, KDB(parameters=Laplace())")
    tables = [each.get_params().get("parameters", "none") for each in usual.values()]
    assert [type(each) for each in tables[:3]] == [bayleaf.Shrinkage] * 3
    assert isinstance(usual["AODE"].estimator.parameters, bayleaf.Shrinkage)
    assert isinstance(usual["TAN-OMI-CR-CL"].parameters, bayleaf.ConditionalLikelihood)
    weighed = made("wanbia, awnb, default")
    assert [repr(each.parameters) for each in weighed.values()] == ["WANBIA()", "AWNB()", "None"]
    assert isinstance(usual["KDB(parameters=Laplace())"].parameters, bayleaf.Laplace)
    assert {repr(each.get_params().get("discretizer")) for each in usual.values()} == {"None"}
    published = made("nb, forest", as_published=True)
    assert isinstance(published["NB"].parameters, bayleaf.Laplace)
    assert published["forest"].numbers == "values"
    assert made("nb, logistic")["logistic"].numbers == "intervals"


def test_a_table_a_figure_and_resume(files: Path, run: Run, table: Any) -> None:
    call = ("compare", files / "people.csv", "-t", "status", "-m", "nb,tan,logistic", *FEW)
    outcome = run(*call, "-o", files / "c")
    assert outcome.code == 0, outcome
    for word in ("NB", "TAN", "logistic", "against", "corrected resampled t-test"):
        assert word in outcome.out
    assert {path.name for path in (files / "c").iterdir()} >= {"results.csv", "comparison.md", "data.json"}
    before = (files / "c" / "results.csv").read_bytes()
    assert run(*call, "-o", files / "c").out == outcome.out
    assert (files / "c" / "results.csv").read_bytes() == before
    found = json.loads(run(*call, "--json").out)
    assert found["differences"]["measure"] == "accuracy"
    means = {line["method"]: line["mean"] for line in found["differences"]["lines"]}
    kept = Results.read(files / "c" / "results.csv")
    assert means["TAN"] == pytest.approx(kept.values("accuracy", "people", "TAN").mean())


def test_a_further_measure_and_a_method_of_choice(files: Path, run: Run) -> None:
    call = ("compare", files / "people.csv", "-t", "status", "-m", "nb,tan", *FEW, "--measure", "mcc")
    found = json.loads(run(*call, "--against", "NB", "--json").out)["differences"]
    control = [line["method"] for line in found["lines"] if line["difference"] is None]
    assert (found["measure"], control) == ("mcc", ["NB"])


def test_differences_are_those_of_the_corrected_test() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 2, 90)
    learners = {"a": peer("logistic"), "b": bayleaf.classifier("NB"), "c": bayleaf.classifier("TAN")}
    results = evaluate(learners, {"toy": (X, y)}, CrossValidation(folds=3, repeats=2))
    lines = {line.method: line for line in differences(results, known_measure("log_loss"), "a")}
    a, b = (results.values("log_loss", "toy", name) for name in "ab")
    assert lines["b"].p_value == pytest.approx(corrected_t_test(b, a, test_share=0.5).p_value)
    ends = corrected_interval(b - a, test_share=0.5)
    assert (lines["b"].difference_low, lines["b"].difference_high) == pytest.approx(ends)
    assert lines["a"].difference is None
    # The interval holds 0 where, and only where, the test finds nothing.
    assert (lines["b"].p_value <= 0.05) == (ends[0] > 0 or ends[1] < 0)
    given = {"x": 0.04, "y": 0.01, "z": 0.03}
    adjusted = multipletests(list(given.values()), method="holm")[1]
    assert adjust_p_values(given) == pytest.approx(dict(zip(given, adjusted, strict=True)))


def test_refusals(files: Path, refused: Refused) -> None:
    data = files / "people.csv"
    for arguments, message in [
        (["-m", "nb"], "Name at least two methods to compare"),
        (["-m", "nb,NB"], "The method 'NB' is named twice."),
        (["-m", "nb,logistics"], "Did you mean 'logistic'?"),
        (["-m", "nb,tan", "--against", "KDB"], "'KDB' is not among the methods of this call: NB, TAN."),
        (["-m", "nb,tan", "--measure", "joy"], "There is no measure 'joy'."),
    ]:
        assert message in refused("compare", data, "-t", "status", *arguments)


@pytest.mark.parametrize("numbers", ["intervals", "values"])
def test_peers_read_tables_as_bayleaf_does(table: Any, numbers: str) -> None:
    X, y = table.drop("status"), table["status"]
    fitted = peer("logistic", numbers=numbers).fit(X, y)
    chances = fitted.predict_proba(X)
    assert chances.shape == (120, 2)
    assert (fitted.predict(X) == np.asarray(y)).mean() > 0.7
    variables = fitted.reader_.encode(X).variables
    categories = [v for v in variables if v.kind == "categorical" or numbers == "intervals"]
    width = sum(v.arity for v in categories) + len(variables) - len(categories)
    assert fitted.estimator_.coef_.shape == (1, width)


def test_peers_refuse_what_they_do_not_know() -> None:
    with pytest.raises(ValueError, match="There is no peer 'svm'; there are logistic, forest"):
        peer("svm")
    with pytest.raises(ValueError, match="The 'numbers' parameter of Peer must be"):
        peer("logistic", numbers="both").fit([[1.0], [2.0]], ["a", "b"])


def test_what_others_see_is_said(files: Path, run: Run) -> None:
    few = (
        "compare",
        files / "people.csv",
        "-t",
        "status",
        "-m",
        "nb,logistic",
        "--cv",
        "2",
        "--repeats",
        "1",
    )
    assert "logistic sees the intervals of the networks; with --as-published the numbers." in run(*few).err
    assert "intervals of the networks" not in run(*few, "--as-published").err
    assert "intervals of the networks" not in run(*few[:5], "nb,tan", *few[6:]).err


@pytest.fixture
def picky(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let TAN fail in its second fold."""
    fit, calls = bayleaf.BayesNetClassifier.fit, []

    def fails(self: Any, *data: Any) -> Any:
        calls.extend([self] if isinstance(self.structure, bayleaf.TAN) else [])
        if len(calls) == 2 and isinstance(self.structure, bayleaf.TAN):
            raise RuntimeError("not these rows")
        return fit(self, *data)

    monkeypatch.setattr(bayleaf.BayesNetClassifier, "fit", fails)


@pytest.mark.usefixtures("picky")
def test_a_method_that_fails_in_a_fold_is_not_compared(files: Path, run: Run, refused: Refused) -> None:
    call = ("compare", files / "people.csv", "-t", "status", *FEW, "-o", files / "c", "-m")
    reason = "TAN failed in 1 of 3 folds of people: RuntimeError: not these rows."
    outcome = run(*call, "NB,TAN,KDB")
    lines = {line.split()[0]: line.split() for line in outcome.out.splitlines() if line.split()}
    assert lines["TAN"][:2] == ["TAN", "failed"]
    assert reason in outcome.out
    found = json.loads(run(*call, "NB,TAN,KDB", "--json").out)
    means = {line["method"]: line["mean"] for line in found["differences"]["lines"]}
    assert means["TAN"] is None
    alone = json.loads(
        run("compare", files / "people.csv", "-t", "status", *FEW, "-m", "NB,KDB", "--json").out
    )
    for line in alone["differences"]["lines"]:  # over all folds, as if nothing had failed
        assert means[line["method"]] == line["mean"]
    assert f"nothing to compare with: {reason}" in refused(*call, "NB,TAN,KDB", "--against", "TAN")
    assert f"Fewer than two methods are left to compare: {reason}" in refused(
        "compare", files / "people.csv", "-t", "status", *FEW, "-o", files / "c", "-m", "NB,TAN"
    )
