"""Methods with settings in brackets, for fit and evaluate alike."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bayleaf
from bayleaf.cli.options import build, read_method, read_methods
from bayleaf.learn.register import settings_of

Run = Callable[..., Any]
Refused = Callable[..., str]


@pytest.mark.parametrize(
    ("text", "label", "expected"),
    [
        ("nb", "NB", bayleaf.classifier("NB")),
        ("KDB(k=3)", "KDB(k=3)", bayleaf.classifier("KDB", k=3)),
        ("rmcv(nbc)", "RMCV(NBC)", bayleaf.classifier("RMCV(NBC)")),
        (" RMCV(empty) ( folds = 3 ) ", "RMCV(empty)(folds=3)", bayleaf.classifier("RMCV(empty)", folds=3)),
        ("4-tree-OCR-CR-CL", "4-tree-OCR-CR-CL", bayleaf.classifier("4-tree-OCR-CR-CL")),
        (
            "TAN(parameters=Dirichlet(ess=5), missing=drop)",
            "TAN(parameters=Dirichlet(ess=5), missing='drop')",
            bayleaf.classifier("TAN", parameters=bayleaf.Dirichlet(ess=5), missing="drop"),
        ),
        (
            "RTAN(n_estimators=3, vote=average)",
            None,
            bayleaf.classifier("RTAN", n_estimators=3, vote="average"),
        ),
        (
            "MDL(NBC)(structure__score=BDeu(ess=2.5))",
            None,
            bayleaf.classifier("MDL(NBC)", structure__score=bayleaf.BDeu(2.5)),
        ),
        ("TAN(loss=[[0, 1], [5, 0]])", None, bayleaf.classifier("TAN", loss=[[0, 1], [5, 0]])),
    ],
)
def test_a_method_is_what_the_library_builds(text: str, label: str | None, expected: Any) -> None:
    spec = read_method(text)
    assert repr(build(spec)) == repr(expected)
    assert label is None or spec.label == label


def test_every_registered_name_is_read() -> None:
    for method in bayleaf.methods():
        assert read_method(method.name.upper()).name == method.name
    assert len(read_methods(",".join(method.name for method in bayleaf.methods()))) == len(bayleaf.methods())


def test_commas_inside_brackets_separate_nothing() -> None:
    text = "NB, KDB(k=3, missing=drop), TAN-OMI-CR-CL,"
    assert [spec.name for spec in read_methods(text)] == ["NB", "KDB", "TAN-OMI-CR-CL"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("KDB(k=3", r"The brackets of 'KDB\(k=3' do not match"),
        ("KDB)k=3(", "do not match"),
        ("TAM", "There is no method 'TAM'. Did you mean 'TAN'"),
        ("TAN-OMI-XY", r"'TAN-OMI-XY' is not a name of the scheme STRUCTURE-ORDER-SCORE-PARAMETERS"),
        ("KDB(k=)", r"A setting is written key=value, such as k=3. Got 'k='"),
        ("KDB(k=3, 4)", r"A setting is written key=value, such as k=3. Got '4'"),
        ("NB, nb", "The method 'NB' is named twice"),
        (" , ", "Give at least one method"),
        ("TAN(parameters=os.system)", "'os.system' is not a learner for the setting"),
        ("TAN(parameters=Dirichlet(alpha=1))", "Dirichlet has no setting 'alpha'; its settings: ess"),
        ("TAN(parameters=__import__('os'))", "is not a learner for the setting"),
    ],
)
def test_mistakes_are_one_sentence(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_methods(text)


def test_values_that_are_no_literals_stay_text() -> None:
    assert settings_of(["a=__import__('os')", "b=1+1"]) == {"a": "__import__('os')", "b": "1+1"}


def test_fit_and_evaluate_take_the_same_methods(files: Path, run: Run) -> None:
    model = files / "m.json"
    fitted = run("fit", files / "people.csv", "-t", "status", "-m", "kdb(k=1)", "-o", model)
    assert fitted.out.startswith("KDB(k=1) fitted to")  # a long name of the folder goes to the next line
    assert bayleaf.load(model).structure.k == 1
    methods = "NB, KDB(k=1), 2-tree-OMI-CR-CL"
    outcome = run(
        "evaluate", files / "people.csv", "-t", "status", "-m", methods, "--cv", 2, "--repeats", 1, "--json"
    )
    assert outcome.code == 0, outcome.err
    document = json.loads(outcome.out)
    assert list(document["datasets"]["people"]["methods"]) == ["NB", "KDB(k=1)", "2-tree-OMI-CR-CL"]


def test_settings_count_more_than_those_in_brackets(files: Path, run: Run) -> None:
    model = files / "m.json"
    run("fit", files / "people.csv", "-t", "status", "-m", "KDB(k=1)", "--set", "k=0", "-o", model)
    assert bayleaf.load(model).structure.k == 0


def test_a_setting_that_the_method_lacks_is_refused_before_the_table_is_read(
    files: Path, refused: Refused
) -> None:
    for command in (["fit", "-o", files / "m.json", "-m"], ["evaluate", "-m"]):
        text = refused(command[0], files / "none.csv", "-t", "status", *command[1:], "NB(k=3)")
        assert "'NB' has no setting 'k'" in text
