"""bayleaf fit: what it prints and writes, and every way its input can be wrong."""

import warnings
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayleaf
from bayleaf.data import IdentifierWarning

Run = Callable[..., Any]
Refused = Callable[..., str]


def test_summary_and_model(files: Path, run: Run, table: pl.DataFrame) -> None:
    model = files / "m.bayleaf.json"
    outcome = run("fit", files / "people.csv", "--target", "status", "--method", "tan", "-o", model)
    assert outcome.code == 0
    assert outcome.err == ""
    network = bayleaf.load(model).network_
    for part in (
        "TAN fitted to",
        "120 (",
        "values missing)",
        "4 (2 numeric, 2 categorical)",
        "status, 2 classes: sick (",
        f"{len(network.arcs)} arcs, {network.n_parameters} parameters",
        f"Wrote {model}",
    ):
        assert part in " ".join(outcome.out.split()), part
    assert network.target == "status"


def test_the_model_is_that_of_the_python_api(model: Path, table: pl.DataFrame) -> None:
    features = table.drop("status")
    expected = bayleaf.BayesNetClassifier(random_state=0).fit(features, table["status"])
    loaded = bayleaf.load(model)
    assert loaded.get_params(deep=False).keys() == expected.get_params(deep=False).keys()
    assert str(loaded) == str(expected)
    np.testing.assert_array_equal(loaded.predict_proba(features), expected.predict_proba(features))


def test_options_reach_the_classifier(files: Path, run: Run) -> None:
    model = files / "m.json"
    options = [
        "--categorical",
        "age",
        "--discretizer",
        "equal-width",
        "--missing",
        "impute",
        "--drop",
        "town",
    ]
    settings = [
        "--set",
        "unknown=error",
        "--set",
        "parameters=Dirichlet",
        "--set",
        "parameters__ess=3",
        "--seed",
        "7",
    ]
    outcome = run("fit", files / "people.csv", "-t", "status", "-o", model, *options, *settings)
    assert outcome.code == 0, outcome
    classifier = bayleaf.load(model)
    assert [variable.name for variable in classifier.schema_.features] == ["age", "dose", "smoker"]
    assert classifier.schema_.features[0].kind == "categorical"
    assert isinstance(classifier.discretizer, bayleaf.EqualWidth)
    assert classifier.parameters.ess == 3
    assert (classifier.missing, classifier.unknown, classifier.random_state) == ("impute", "error", 7)


def test_constant_and_identifier_columns_are_pointed_out(files: Path, run: Run, table: pl.DataFrame) -> None:
    odd = table.with_columns(
        pl.lit("x").alias("same"), pl.Series("name", [f"p{i}" for i in range(table.height)])
    )
    odd.write_csv(files / "odd.csv")
    outcome = run("fit", files / "odd.csv", "-t", "status", "-o", files / "m.json")
    text = " ".join(outcome.out.split())
    assert "Constant same (one interval or value only: no evidence)" in text
    assert "Left out name (identifiers; --set identifiers=keep keeps them)" in text
    assert "identifier" not in outcome.err  # said once


def test_the_command_line_takes_for_identifiers_what_fit_does(tmp_path: Path, run: Run) -> None:
    for rows, own in ((29, 29), (90, 90), (90, 89), (150, 150), (150, 140), (150, 120), (2000, 150)):
        values = [f"p{k % own}" for k in range(rows)]
        frame = pl.DataFrame({"id": values, "x": ["ab"[k % 2] for k in range(rows)]})
        labels = pl.Series("c", ["yes" if k % 3 else "no" for k in range(rows)])
        with warnings.catch_warnings(record=True, action="always") as caught:
            bayleaf.classifier("NB").fit(frame, labels)
        said = any(issubclass(each.category, IdentifierWarning) for each in caught)
        assert said == ((rows, own) in ((90, 90), (150, 150), (150, 140)))
        frame.with_columns(labels).write_csv(tmp_path / "d.csv")
        outcome = run("fit", tmp_path / "d.csv", "-t", "c", "-m", "NB", "-o", tmp_path / "m.json")
        assert ("Left out" in outcome.out) == said, (rows, own)
        assert outcome.err == ""


def test_a_column_without_values_is_a_warning(files: Path, run: Run, table: pl.DataFrame) -> None:
    table.with_columns(pl.lit(None).alias("void")).write_csv(files / "void.csv")
    outcome = run("fit", files / "void.csv", "-t", "status", "-o", files / "m.json")
    assert outcome.code == 0
    assert outcome.err.splitlines() == [
        "Warning: Column 'void' has no values at all (120 rows, all missing); it carries no information and is "
        "ignored."
    ]


def test_rows_that_an_exact_search_leaves_out_are_a_warning(
    files: Path, run: Run, table: pl.DataFrame
) -> None:
    arguments = ("fit", files / "people.csv", "-t", "status", "-m", "ANB-BDeu", "-o", files / "m.json")
    incomplete = table.height - table.drop_nulls().height
    assert run(*arguments).err.splitlines() == [
        f"Warning: Exact search leaves out {incomplete} of 120 rows, those with missing values; missing='impute' "
        "keeps all of them."
    ]
    assert run(*arguments, "--missing", "impute").err == ""


def test_integer_boolean_and_spaced_class_names(files: Path, run: Run, table: pl.DataFrame) -> None:
    for labels in ([0, 1], [False, True], ["not well", "well, fit"]):
        named = table.with_columns(pl.Series("my class", [labels[s == "well"] for s in table["status"]]))
        named.drop("status").write_csv(files / "named.csv")
        assert run("fit", files / "named.csv", "-t", "my class", "-o", files / "m.json").code == 0
        assert bayleaf.load(files / "m.json").classes_.tolist() == labels


BAD_TABLES = {
    "empty": ("", "is empty."),
    "header only": ("age,status\n", "has a header but no rows."),
    "one row": (
        "age,status\n31,well\n",
        "has only one row with a class: a classifier needs rows of at least two classes.",
    ),
    "one class": ("age,status\n31,well\n32,well\n", "is 'well' in all 2 rows of"),
    "no class": ("age,status\n31,\n32,?\n", "The class 'status' is missing in all rows of"),
    "one known class": ("age,status\n31,well\n32,?\n", "has only one row with a class"),
    "ragged": ("age,status\n31,well\n32\n", "line 3 has 1 field separated by a comma; the header has 2."),
    "no feature": ("status\nwell\nsick\n", "has no column besides the class 'status'"),
    "continuous class": (
        "age,status\n1,0.5\n2,1.25\n",
        "2 different numbers such as 0.5: classes must be",
    ),
    "twice": ("age,age,status\n1,2,well\n", "has more than one column named 'age'"),
    "infinite": ("age,status\n1,well\ninf,sick\n", "Column 'age' has 1 infinite value (inf)"),
}


def test_rows_without_a_class(files: Path, run: Run, refused: Refused, table: pl.DataFrame) -> None:
    gaps = table.with_columns(status=pl.when(pl.int_range(pl.len()) > 2).then("status"))
    gaps.write_csv(files / "gaps.csv")
    table[3:].write_csv(files / "known.csv")
    arguments = ("fit", files / "gaps.csv", "-t", "status", "-o", files / "m.json")
    assert "'status' is missing in 3 of 120 rows of" in refused(*arguments, "--require-class")
    assert not (files / "m.json").exists()
    result = run(*arguments)
    assert result.err.splitlines() == [
        f"Note: left out 3 of 120 rows of '{files / 'gaps.csv'}', which have no class ('status')."
    ]
    run("fit", files / "known.csv", "-t", "status", "-o", files / "n.json", "--require-class")
    one, other = bayleaf.load(files / "m.json"), bayleaf.load(files / "n.json")
    assert one.network_.tables[0].tolist() == other.network_.tables[0].tolist()
    assert one.training_.rows == 117
    assert other.training_.command == ("--target", "status", "--require-class")


@pytest.mark.parametrize("case", BAD_TABLES)
def test_bad_tables(tmp_path: Path, refused: Refused, case: str) -> None:
    text, message = BAD_TABLES[case]
    data, model = tmp_path / "d.csv", tmp_path / "m.json"
    data.write_text(text)
    assert message in refused("fit", data, "--target", "status", "-o", model)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d.csv"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-t", "statsu"], "has no column 'statsu'. Did you mean 'status'?"),
        (["-t", "STATUS"], "has no column 'STATUS'. Did you mean 'status'?"),
        (["-t", "xyz"], "has no column 'xyz'. There are age, dose, town, smoker, status."),
        (["-t", "status", "--drop", "twon"], "has no column 'twon'. Did you mean 'town'?"),
        (["-t", "status", "--drop", "status"], "'status' is the class: it cannot be dropped as well."),
        (["-t", "status", "--drop", "age,dose,town,smoker"], "has no column besides the class"),
        (["-t", "status", "--categorical", "agee"], "has no column 'agee'. Did you mean 'age'?"),
        (
            ["-t", "status", "-m", "TON"],
            "There is no method 'TON'. Did you mean 'TAN'? See 'bayleaf methods --all' for all.",
        ),
        (["-t", "status", "--set", "kk=3"], "has no setting 'kk'; it has "),
        (["-t", "status", "--set", "parameters__ess=3"], "TunedTables has no setting 'ess'; Dirichlet"),
        (["-t", "status", "--set", "k"], "A setting is written key=value, such as k=3. Got 'k'."),
        (["-t", "status", "--set", "parameters=Laplas"], "'Laplas' is not a learner for the setting"),
        (["-t", "status", "--set", "missing=foo"], "The 'missing' parameter of BayesNetClassifier must be"),
        (["-t", "status", "--delimiter", ";"], "the whole header of"),
        (["-t", "status", "--missing", "guess"], "See 'bayleaf fit --help'."),
        (["-t", "status", "--seed", "-1"], "See 'bayleaf fit --help'."),
        ([], "Missing option '--target'"),
    ],
)
def test_bad_options(files: Path, refused: Refused, arguments: list[str], message: str) -> None:
    before = sorted(files.iterdir())
    assert message in refused("fit", files / "people.csv", "-o", files / "m.json", *arguments)
    assert sorted(files.iterdir()) == before


def test_wrong_delimiter_says_which_one_it_is(files: Path, refused: Refused) -> None:
    message = refused(
        "fit", files / "people.csv", "-t", "status", "-o", files / "m.json", "--delimiter", "tab"
    )
    assert message.endswith("is one column; it seems to be separated by a comma.")


def test_bad_places(files: Path, refused: Refused, table: pl.DataFrame) -> None:
    data = files / "people.csv"
    (files / "folder").mkdir()
    before = sorted(files.rglob("*"))
    assert "There is no file" in refused("fit", files / "none.csv", "-t", "status", "-o", files / "m.json")
    assert "has no file that ends in" in refused(
        "fit", files / "folder", "-t", "status", "-o", files / "m.json"
    )
    assert "the folder" in refused("fit", data, "-t", "status", "-o", files / "no" / "m.json")
    assert "it is a folder." in refused("fit", data, "-t", "status", "-o", files / "folder")
    assert "is the input" in refused("fit", data, "-t", "status", "-o", data)
    assert sorted(files.rglob("*")) == before
    assert pl.read_csv(data).height == table.height


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("m.bif", "BIF"),
        ("m.BIF.gz", "BIF"),
        ("m.net", "NET"),
        ("m.xml", "XMLBIF"),
        ("m.xmlbif", "XMLBIF"),
        ("m.dot", "DOT"),
    ],
)
def test_a_name_of_another_format_is_refused(files: Path, refused: Refused, name: str, format: str) -> None:
    message = refused("fit", files / "people.csv", "-t", "status", "-o", files / name)
    assert message.endswith(
        f"has the suffix of {format}, not of a model file: use .json here, and 'bayleaf convert' for {format}."
    )
    assert not (files / name).exists()


def test_a_packed_model_works_in_every_command(files: Path, run: Run) -> None:
    model = files / "m.json.gz"
    assert run("fit", files / "people.csv", "-t", "status", "-o", model).code == 0
    assert model.read_bytes()[:2] == b"\x1f\x8b"
    for call in (
        ("show", model),
        ("predict", model, files / "people.csv"),
        ("convert", model, files / "n.bif"),
    ):
        assert run(*call).code == 0
    model.write_bytes(model.read_bytes()[:-20])
    outcome = run("show", model)
    assert outcome.code == 2
    assert "is truncated or damaged" in outcome.err


def test_a_failure_while_the_model_is_written_keeps_the_old_one(
    model: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = model.read_bytes()

    def disk_full(*arguments: object, **options: object) -> None:
        raise OSError(28, "No space left on device", "m.json")

    monkeypatch.setattr("json.dump", disk_full)
    outcome = run("fit", model.parent / "people.csv", "-t", "status", "-o", model)
    assert (outcome.code, outcome.err) == (2, "Error: Cannot open 'm.json': no space left on device.\n")
    assert model.read_bytes() == before
    assert not list(model.parent.glob("*.part"))


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ([], "default"),
        (["-m", "TAN"], "TAN"),
        (["-m", "KDB", "--set", "k=2"], "KDB(k=2)"),
        (["-m", "KDB(k=1)", "--set", "k=2"], "KDB(k=2)"),
        (["--set", "structure=HillClimbing(score=BIC())"], "HillClimbing(score=BIC())"),
        (
            ["-m", "TAN", "--set", "structure=NaiveBayes", "--set", "parameters=Dirichlet"],
            "NaiveBayes() with ",
        ),
        (["-m", "TAN(structure=NaiveBayes())"], "NaiveBayes()"),
        (["-m", "RTAN(n_estimators=2)", "--set", "structure=NaiveBayes"], "RTAN(n_estimators=2, structure="),
    ],
)
def test_the_first_line_names_what_was_learned(
    files: Path, run: Run, arguments: list[str], name: str
) -> None:
    outcome = run("fit", files / "people.csv", "-t", "status", "-o", files / "m.json", *arguments)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(name if name.endswith((" ", "=")) else f"{name} fitted to")


@pytest.mark.parametrize(
    ("words", "kind"),
    [((), bayleaf.MedianSplit), (("--discretizer", "mdlp"), bayleaf.MDLP)],
    ids=["the method's own", "asked for"],
)
def test_a_discretizer_that_is_asked_for_replaces_the_methods_own(
    files: Path, run: Run, words: tuple[str, ...], kind: type
) -> None:
    model = files / "m.json"
    outcome = run("fit", files / "people.csv", "-t", "status", "-m", "ANB-BDeu", "-o", model, *words)
    assert outcome.code == 0, outcome
    assert isinstance(bayleaf.load(model).discretizer, kind)


# How text files are read


def test_categories_keep_their_leading_zeros(tmp_path: Path, run: Run) -> None:
    wards = ["01", "1", "10", "02"] * 6
    lines = [f"{ward},{ward == '01'},{k % 3}" for k, ward in enumerate(wards)]
    (tmp_path / "d.csv").write_text("\n".join(["ward,ill,code", *lines]))
    for columns in ("ward,code", "all"):
        call = ("fit", tmp_path / "d.csv", "-t", "ill", "-m", "NB", "-o", tmp_path / "m.json")
        assert run(*call, "--categorical", columns).code == 0
        ward, code = bayleaf.load(tmp_path / "m.json").schema_.features
        assert (ward.states, ward.dtype) == (("01", "02", "1", "10"), "string")
        assert (code.states, code.dtype) == ((0, 1, 2), "integer")  # nothing is lost: numbers, in their order
        (tmp_path / "new.csv").write_text("ward,code\n01,2\n1,2\n")
        outcome = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
        assert (outcome.code, outcome.err) == (0, "")
        assert [line.split(",")[0] for line in outcome.out.splitlines()] == ["prediction", "true", "false"]
        assert "ward     01" in run("explain", tmp_path / "m.json", tmp_path / "new.csv").out


def test_text_that_is_nearly_numbers_is_a_warning(tmp_path: Path, run: Run) -> None:
    values = [*(f"{k}.5" for k in range(119)), "over 50"]
    lines = [f"{value},{'ab'[k % 2]},p{k},{k % 3}" for k, value in enumerate(values)]
    (tmp_path / "d.csv").write_text("\n".join(["x,c,id,z", *lines]))
    call = ("fit", tmp_path / "d.csv", "-t", "c", "-m", "NB", "-o", tmp_path / "m.json")
    outcome = run(*call)
    assert outcome.code == 0
    assert outcome.err.startswith("Warning: Column 'x' of '")
    assert "119 of its 120 values are numbers, but 'over 50' in row 120 is not" in outcome.err
    assert "Left out x, id (identifiers;" in " ".join(outcome.out.split())
    for more in (("--missing-values", "over 50"), ("--categorical", "x"), ("--drop", "x")):
        assert run(*call, *more).err == ""


def test_numbers_with_commas_are_no_identifiers(tmp_path: Path, run: Run) -> None:
    rows = [f"{k},5\t{'ab'[k % 2]}\t{k % 3}" for k in range(120)]
    (tmp_path / "d.tsv").write_text("\n".join(["x\tc\tz", *rows]))
    call = ("fit", tmp_path / "d.tsv", "-t", "c", "-m", "NB", "-o", tmp_path / "m.json")
    for outcome in (run(*call), run(*call, "--decimal", "comma")):
        assert outcome.err == ""
        assert "Left out" not in outcome.out


def test_prices_are_numbers(tmp_path: Path, run: Run, refused: Refused) -> None:
    prices = ["$1,200", "$15", "($30)", "$2,400.50", "$3,000"]
    rows = [f"{prices[k % 5]}|{'ab'[k % 5 in (1, 2)]}" for k in range(60)]
    data, model, new = tmp_path / "d.csv", tmp_path / "m.json", tmp_path / "new.csv"
    data.write_text("\n".join(["price|c", *rows]))
    assert run("fit", data, "-t", "c", "-o", model).err == ""
    # One price alone could be 1.2, but the model knows how prices are written.
    for line, expected in (("$1,200", "a"), ("$1,100.50", "a"), ("15", "b"), ("$20", "b")):
        new.write_text(f"price|c\n{line}|")
        assert run("predict", model, new, "-o", tmp_path / "out.csv").code == 0
        assert pl.read_csv(tmp_path / "out.csv")["prediction"].to_list() == [expected]
    new.write_text("price|c\n$20|\nfree|\n")
    message = "Column 'price' holds numbers in the model, but 'free' in row 2 of "
    assert message in refused("predict", model, new)


def test_nearly_numbers_in_the_class_or_beside_the_model_are_no_warning(tmp_path: Path, run: Run) -> None:
    lines = [f"{'ab'[k % 2]},{k % 2 if k < 29 else 'other'}" for k in range(30)]
    (tmp_path / "d.csv").write_text("\n".join(["x,c", *lines]))
    assert run("fit", tmp_path / "d.csv", "-t", "c", "-o", tmp_path / "m.json").err == ""
    outcome = run("predict", tmp_path / "m.json", tmp_path / "d.csv")
    assert outcome.err == "Note: ignored 1 column that the model does not use: c.\n"


def test_the_decimal_mark_of_every_command(tmp_path: Path, run: Run, refused: Refused) -> None:
    rows = [f"{1 + k % 2},{k:03}\t{k % 3 + 1}.000\t{'ab'[k % 2]}" for k in range(30)]
    data, model = tmp_path / "d.tsv", tmp_path / "m.json"
    data.write_text("\n".join(["x\tsum\tc", *rows]))
    for mark in ("comma", ","):
        mine = ("--decimal", mark)
        assert run("fit", data, "-t", "c", "-m", "NB", "-o", model, *mine).code == 0
        loaded = bayleaf.load(model)
        assert [variable.dtype for variable in loaded.schema_.features] == ["float", "integer"]
        assert loaded.training_.table_read["decimal"] == mark
        assert run("predict", model, data, *mine).out.splitlines()[1].startswith("a,")
        assert "1 in (-inf" in run("explain", model, data, *mine).out
        assert run("report", model, "--data", data, *mine, "-o", tmp_path / "r.html").code == 0
        assert run("evaluate", data, "-t", "c", "--cv", "2", "--repeats", "1", *mine).code == 0
    assert "'1,000' in row 1 of" in refused("predict", model, data)
    assert "is not one; see --decimal." in refused("predict", model, data)
    assert "must be ',' (comma) or '.' (point). Got 'dot'." in refused(
        "predict", model, data, "--decimal", "dot"
    )


def test_a_value_that_is_no_number_is_named_among_decimal_commas(
    tmp_path: Path, run: Run, refused: Refused
) -> None:
    data, model = tmp_path / "d.csv", tmp_path / "m.json"
    data.write_text("\n".join(["x;c", *(f"{k},5;{'ab'[k % 2]}" for k in range(8))]))
    assert run("fit", data, "-t", "c", "-o", model).code == 0
    (tmp_path / "one.csv").write_text("x;c\n1,234;a\n")
    assert run("predict", model, tmp_path / "one.csv").code == 0
    (tmp_path / "bad.csv").write_text("x;c\n1,5;a\nhigh;a\n")
    assert "but 'high' in row 2 of" in refused("predict", model, tmp_path / "bad.csv")


def test_dates_in_a_text_file(tmp_path: Path, run: Run) -> None:
    days = [date(2021, 1, 1) + timedelta(days=k * 37 % 1000) for k in range(300)]
    lines = [f"{day:%d/%m/%Y},{k % 3},{'no' if day.weekday() < 5 else 'yes'}" for k, day in enumerate(days)]
    (tmp_path / "d.csv").write_text("\n".join(["day,x,rest", *lines]))
    outcome = run("fit", tmp_path / "d.csv", "-t", "rest", "-o", tmp_path / "m.json")
    assert (outcome.code, outcome.err) == (0, "")
    model = bayleaf.load(tmp_path / "m.json")
    assert [variable.name for variable in model.schema_.features] == ["day", "x", "day (weekday)"]
    # By day and month, as in fit, though these rows alone would not tell; by ISO 8601 too.
    (tmp_path / "new.csv").write_text("day,x\n02/03/2024,1\n2024-03-03,1\n04/03/2024,1\n")
    outcome = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert [line.split(",")[0] for line in outcome.out.splitlines()[1:]] == ["yes", "yes", "no"]
    explained = run("explain", tmp_path / "m.json", tmp_path / "new.csv").out
    assert "Saturday" in explained
    assert "02/03/2024" in explained
    (tmp_path / "new.csv").write_text("day,x\n02/03/2024,1\n30/02/2024,1\n")
    refused = run("predict", tmp_path / "m.json", tmp_path / "new.csv")
    assert refused.code == 2
    assert "Column 'day' held date values in fit, and '30/02/2024' cannot be read as one" in refused.err
    assert run("show", tmp_path / "m.json").code == 0
    assert (
        run("report", tmp_path / "m.json", "--data", tmp_path / "d.csv", "-o", tmp_path / "r.html").code == 0
    )


def test_the_summary_names_what_rows_held_out_say(files: Path, run: Run) -> None:
    model = files / "m.json"
    text = " ".join(run("fit", files / "people.csv", "--target", "status", "-o", model).out.split())
    found = bayleaf.load(model).out_of_sample_
    assert found is not None
    assert f"Held-out rows {found}" in text


def test_a_model_that_learned_nothing_says_so(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    data, model = tmp_path / "t.csv", tmp_path / "m.json"
    pl.DataFrame({"x": rng.normal(size=100), "ill": rng.choice(["no", "yes"], 100)}).write_csv(data)
    fit = ["fit", data, "--target", "ill", "--method", "TAN", "--cv", 2, "-o", model]
    for words in (fit, ["show", model]):
        outcome = run(*words)
        assert outcome.code == 0
        text = " ".join((outcome.err + outcome.out).split())
        assert text.count("The model has learned nothing: no feature is informative about 'ill'") == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # loading says nothing
        bayleaf.load(model)


def test_marks_of_missing_values_are_named_once_and_read_in_new_files(tmp_path: Path, run: Run) -> None:
    rng = np.random.default_rng(0)
    dead = rng.random(200) < 0.5
    chol = np.where(rng.random(200) < 0.3, "-", (200 + 50 * dead + rng.integers(0, 60, 200)).astype(str))
    age = np.where(rng.random(200) < 0.1, -99, rng.integers(20, 80, 200))
    data, model, new, out = (tmp_path / name for name in ("t.csv", "m.json", "new.csv", "out.csv"))
    pl.DataFrame({"chol": chol, "age": age, "dead": dead}).write_csv(data)
    marked = int((chol == "-").sum())
    warning = f"Warning: Read as missing values: '-' in {marked} rows of column 'chol', -99 in "
    learned = run("fit", data, "--target", "dead", "-o", model)
    assert learned.err.count("Warning: ") == 1
    assert learned.err.startswith(warning)
    assert f"({marked + int((age == -99).sum())} of 400 values missing)" in learned.out
    assessed = run("evaluate", data, "--target", "dead", "--methods", "NB", "--cv", 3)
    assert assessed.err.count("Read as missing values") == 1  # not once for each fold
    assert "'-' read as missing" in run("inspect", data, "--target", "dead").out
    new.write_text("chol,age\n-,-99\nk.A.,\n,\n")
    assert run("predict", model, new, "-o", out).code == 0
    assert pl.read_csv(out).n_unique() == 1
    new.write_text("chol,age\n250,30\noften,40\n")
    refused = run("predict", model, new, "-o", out)
    assert refused.code == 2
    assert "Column 'chol' holds numbers in the model, but 'often' in row 2" in refused.err


@pytest.mark.parametrize("command", ["fit", "inspect", "evaluate", "compare"])
def test_a_wrong_target_stops_at_once(
    command: str, tmp_path: Path, run: Run, refused: Callable[..., str]
) -> None:
    data = tmp_path / "loans.csv"
    rows = [f"LC{k},{k % 97}.5%,{'ab'[k % 2]}" for k in range(300)]
    data.write_text("\n".join(["loan_id,rate,x", *rows]))
    more = ["-o", tmp_path / "m.json"] if command == "fit" else []
    sentence = refused(command, data, "-t", "loan_id", *more)
    assert "'loan_id' has 300 different values in 300 rows and looks like an identifier" in sentence
    assert "'rate' has 97 different values in 300 rows and looks like numbers" in refused(
        command, data, "-t", "rate", *more
    )
    if command == "fit":
        insists = ["--set", "classes=many", "--method", "NB"]
        assert run(command, data, "-t", "rate", *more, *insists).code == 0
    if command == "evaluate":
        asked = run(command, data, "-t", "rate", "--methods", "NB(classes=many)", "--cv", 2, "--repeats", 1)
        assert asked.code == 0
