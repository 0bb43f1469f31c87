"""A file that is dropped on the page gets the answers of `bayleaf predict`, or is refused by both."""

import csv
import io

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import bayleaf
from bayleaf.cli.app import app
from bayleaf.quality import accuracy, log_loss
from bayleaf.quality.cross_validation import predicted_outcome

EXACT = 1e-9
CLASSES = ["P(late)", "P(on time)"]


def call(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def people(rows, seed=1):
    """Numbers, whole numbers, prices as text, categories, booleans, dates with parts, and a class of all of them."""
    rng = np.random.default_rng(seed)
    late = rng.random(rows) < 0.4
    weekday = np.where(late & (rng.random(rows) < 0.7), rng.integers(0, 2, rows), rng.integers(0, 7, rows))
    day = np.datetime64("2024-01-01") + weekday + 7 * rng.integers(0, 60, rows)
    hour, minute = rng.integers(0, 24, rows), rng.integers(0, 60, rows)
    price = rng.uniform(200, 4000, rows) + 800 * late
    frame = pl.DataFrame(
        {
            "distance": np.round(rng.normal(30, 12, rows) + 20 * late, 1),
            "stops": rng.integers(0, 4, rows) + late,
            "price": [f"{value:,.2f} €".translate(str.maketrans(",.", ".,")) for value in price],
            "air line": rng.choice(["Blue", "Red", "Green"], rows),
            "full": np.where(rng.random(rows) < np.where(late, 0.8, 0.3), "true", "false"),
            "when": [f"{d} {h:02d}:{m:02d}:00" for d, h, m in zip(day, hour, minute, strict=True)],
            "arrival": np.where(late, "late", "on time"),
        }
    )
    hole = pl.Series(rng.random(rows) > 0.1)
    return frame.with_columns(pl.when(hole).then(pl.col("distance")).alias("distance"))


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    people(900).write_csv(folder / "train.csv")
    path = folder / "model.bayleaf.json"
    result = call("fit", folder / "train.csv", "-t", "arrival", "-o", path)
    assert result.exit_code == 0, result.output
    kinds = {(each.dtype, each.part) for each in bayleaf.load(path).schema_.features}
    assert {("datetime", None), ("float", None), ("string", "weekday")} <= kinds
    return path


@pytest.fixture(scope="module")
def page(model, open_shared):
    return open_shared(bayleaf.load(model))


ROWS = people(30, seed=2).drop("arrival")


def text(frame=ROWS, separator=","):
    return frame.write_csv(separator=separator)


def changed(column, values, rows=slice(0, 3), separator=","):
    """The rows with some texts in place of values of a column."""
    texts = [line[:] for line in csv.reader(io.StringIO(text()))]
    place = texts[0].index(column)
    for line, value in zip(texts[1:][rows], values, strict=False):
        line[place] = value
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="\n").writerows(texts)
    return out.getvalue()


def with_commas():
    frame = ROWS.with_columns(pl.col("distance").cast(pl.String).str.replace(".", ",", literal=True))
    return text(frame, ";")


def times(ending, rows=slice(None)):
    return changed("when", [each + ending for each in ROWS["when"].to_list()[rows]], rows)


# What both take, and answer alike.
TAKEN = {
    "as it was": text(),
    "semicolons and decimal commas": with_commas(),
    "semicolons and points": text(separator=";"),
    "tabs": text(separator="\t"),
    "bars": text(separator="|"),
    "sep= line of a spreadsheet": "sep=;\n" + with_commas(),
    "byte order mark": "\ufeff" + text(),
    "carriage returns": text().replace("\n", "\r\n"),
    "other order and columns more": text(
        ROWS.with_columns(pl.lit("x,y").alias("extra")).select(reversed([*ROWS.columns, "extra"]))
    ),
    "times in UTC": times("Z"),
    "times of a zone": times("+01:00"),
    "times by ISO 8601": text().replace(" 0", "T0").replace(" 1", "T1"),
    "dates alone": changed("when", ["2024-03-01"] * 30, slice(None)),
    "marks of missing values": changed("distance", ["-", "n.d.", "NA", "unknown", "#N/A"], slice(0, 5)),
    "missing dates": changed("when", ["-", "", "n/a"]),
    "categories never seen": changed("air line", ["Grey", "grey", "red"]),
    "booleans in capitals": changed("full", ["TRUE", "False", ""]),
    "prices without a unit": changed("price", ["1.234,50", "999", "(12,5)"]),
    "prices that may be plain numbers": changed("price", ["1.234"] * 30, slice(None)),
    "prices that are plain numbers": changed("price", ["1234.5", "12.75", "3"] * 10, slice(None)),
    "numbers with signs and exponents": changed("distance", ["+3.5e1", "−4", ".5"]),
    "whole numbers as floats": changed("stops", ["1.0", "2e0", "3.5"]),
    "quoted cells with line ends": changed("air line", ['Bl"ue', "Re\nd", "Green;"]),
    "blank lines": text().replace("\n", "\n\n"),
}
# What both refuse; what the page shows once its reader agrees is what predict says of the other file.
REFUSED = {
    "decimal commas between commas": (
        changed("distance", [f"{value:.1f}".replace(".", ",") for value in (24.9, 3.1, 7.7)]),
        changed("distance", ["", "", ""]),
    ),
    "texts among numbers": (
        changed("distance", ["abc", "12 m", "5+"]),
        changed("distance", ["", "", ""]),
    ),
    "a column without any number": (
        changed("distance", ["low"] * 30, slice(None)),
        changed("distance", [""] * 30, slice(None)),
    ),
    "dates that are none": (changed("when", ["2024-02-30 10:00:00"]), changed("when", [""])),
    "another currency": (changed("price", ["12,50 $"]), changed("price", [""])),
    "other capitals in the header": (
        text().replace("distance", "DISTANCE").replace("air line", "Air_Line"),
        text(),
    ),
    "columns that are absent": (
        text(ROWS.drop("stops", "full")),
        text(ROWS.with_columns(stops=pl.lit(None), full=pl.lit(None))),
    ),
}
# What the page refuses for good.
BROKEN = {
    "a ragged row": text().replace("\n", ",1\n", 2).replace(",1\n", "\n", 1),
    "a quote that is not closed": text() + '"',
    "two columns of one name": text().replace("stops", "distance", 1),
    "decimal commas beside thousands": changed(
        "distance", [f"{k}.000" for k in range(1, 31)], slice(None), ";"
    )
    .replace("stops", "stops;x", 1)
    .replace("\n", ";1,5\n"),
    "no rows": text().split("\n")[0],
    "none of the columns": "u,v\n1,2\n",
    "nothing": " \n",
}


def predicted(model, content, folder):
    """What `bayleaf predict` says: probabilities, or None where it refuses."""
    path = folder / "new.csv"
    path.write_bytes(content.encode())
    result = call("predict", model, path, "-o", folder / "p.csv")
    assert result.exit_code in (0, 2), result.output
    if result.exit_code == 2:
        return None
    return pl.read_csv(folder / "p.csv").select(CLASSES).to_numpy()


def drop(page, content):
    page.evaluate("document.querySelector('#predictions').replaceChildren()")  # of the file before
    page.set_input_files("#csv-file", {"name": "new.csv", "mimeType": "text/csv", "buffer": content.encode()})


def answers(page):
    page.wait_for_selector("#cases tr")
    found = []
    while True:
        found += page.locator("#cases tr").evaluate_all(
            "all => all.map((each) => JSON.parse(each.dataset.predicted))"
        )
        if page.is_disabled("#next-cases"):
            return np.array(found)
        page.click("#next-cases")


@pytest.mark.parametrize("content", TAKEN.values(), ids=TAKEN)
def test_a_file_gets_the_answers_of_predict(page, model, tmp_path, content):
    drop(page, content)
    expected = predicted(model, content, tmp_path)
    assert expected is not None
    np.testing.assert_allclose(answers(page), expected, atol=EXACT, rtol=0)


@pytest.mark.parametrize(("content", "instead"), REFUSED.values(), ids=REFUSED)
def test_what_predict_refuses_the_page_predicts_only_when_asked(page, model, tmp_path, content, instead):
    assert predicted(model, content, tmp_path) is None
    drop(page, content)
    page.wait_for_selector("#predict-anyway")
    assert page.locator("#save-predictions, [data-predicted]").count() == 0
    page.click("#predict-anyway")
    np.testing.assert_allclose(answers(page), predicted(model, instead, tmp_path), atol=EXACT, rtol=0)


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_what_is_no_table_is_refused_by_both(page, model, tmp_path, content):
    assert predicted(model, content, tmp_path) is None
    drop(page, content)
    page.wait_for_selector("#predictions [role=alert]")
    assert page.locator("#predict-anyway, #save-predictions").count() == 0


def test_the_report_says_what_became_of_each_column(page):
    drop(page, changed("distance", ["low", "high", "-"]).replace("Blue", "Gray"))
    page.wait_for_selector("#reading-report[open]")
    line = page.locator("[data-column='distance']")
    assert line.get_attribute("data-unread") == "2"
    assert "could not be read: “low”, “high”" in line.inner_text()
    blue = (ROWS["air line"] == "Blue").sum()
    assert page.locator("[data-column='air line']").get_attribute("data-unknown") == str(blue)
    assert "not seen in training: “Gray”" in page.locator("[data-column='air line']").inner_text()
    drop(page, changed("distance", ["low"] * 30, slice(None)))
    page.wait_for_selector("#predictions .note.alarm")
    assert "cannot be read: 30 of its 30 values are no numbers" in page.inner_text("#predictions .note.alarm")


def test_a_file_that_is_no_utf8_is_refused(page):
    page.set_input_files(
        "#csv-file",
        {"name": "new.csv", "mimeType": "text/csv", "buffer": text().replace("Red", "Röd").encode("cp1252")},
    )
    page.wait_for_selector("text=not UTF-8")


LABELLED = people(200, seed=3)


@pytest.fixture
def labelled(page):
    drop(page, text(LABELLED))
    page.wait_for_selector("#file-scores")
    return page


def shown(page):
    return [
        int(row)
        for row in page.locator("#cases tr").evaluate_all("all => all.map(each => each.dataset.case)")
    ]


def test_a_file_with_the_class_is_scored_as_in_python(labelled, model):
    clf = bayleaf.load(model)
    outcome = predicted_outcome(clf, LABELLED.drop("arrival"), LABELLED["arrival"])
    scores = labelled.locator("#file-scores")
    assert float(scores.get_attribute("data-accuracy")) == pytest.approx(accuracy(outcome))
    assert float(scores.get_attribute("data-loss")) == pytest.approx(log_loss(outcome))
    wrong = np.flatnonzero((outcome.truth == 0) & (outcome.predicted == 1)) + 1
    labelled.click("#file-confusion [aria-label^='late predicted as on time']")
    assert shown(labelled) == wrong[:25].tolist()


def test_rows_of_a_file_are_sorted_filtered_and_found(labelled, model):
    p = bayleaf.load(model).predict_proba(LABELLED.drop("arrival"))
    late = np.argsort(-p[:, 0], kind="stable") + 1
    labelled.click("#predictions th button:has-text('P(late)')")
    assert shown(labelled) == late[:25].tolist()
    labelled.click("#next-cases")
    assert shown(labelled) == late[25:50].tolist()
    labelled.click("#predictions th button:has-text('P(late)')")
    assert shown(labelled)[0] == late[-1]
    labelled.click("#predictions th button:has-text('row')")
    labelled.select_option("#case-filter", label="only misclassified")
    wrong = np.flatnonzero((p[:, 0] > 0.5) != (LABELLED["arrival"] == "late").to_numpy()) + 1
    assert shown(labelled) == wrong[:25].tolist()
    labelled.select_option("#case-filter", label="all rows")
    price = LABELLED["price"][120]
    labelled.fill("#predictions input[type=search]", price)
    assert shown(labelled) == [121]
    labelled.fill("#predictions input[type=search]", "no such value")
    assert shown(labelled) == []


def test_a_row_of_a_file_opens_as_a_case(labelled, model):
    labelled.click("#cases tr[data-case='7'] td >> nth=2")
    assert labelled.get_attribute("#tab-why", "aria-selected") == "true"
    explanation = bayleaf.load(model).explain(LABELLED.drop("arrival")[6:7])
    total = float(labelled.locator("#evidence-bars .total").get_attribute("data-weight"))
    assert total == pytest.approx(explanation.log_odds[0], abs=EXACT)
    truth = LABELLED["arrival"][6]
    assert f"Row 7 of new.csv. True class: {truth}." in labelled.inner_text("#origin")
    labelled.click("#evidence .chip button >> nth=0")
    assert "One value changed" in labelled.inner_text("#origin")
    labelled.click("#reset-case")
    assert "changed" not in labelled.inner_text("#origin")


def test_a_class_that_the_model_does_not_know_counts_as_misclassified(page):
    drop(page, text(LABELLED[:20]).replace("on time", "early"))
    page.wait_for_selector("#file-scores")
    early = int((LABELLED["arrival"][:20] == "on time").sum())
    assert f"{early} rows have classes that the model does not know (“early”)" in page.inner_text(
        "#file-scores"
    )
    assert float(page.locator("#file-scores").get_attribute("data-accuracy")) <= 1 - early / 20


def test_words_of_free_texts_are_read_as_by_predict(open_page, tmp_path):
    rng = np.random.default_rng(0)
    late = rng.random(600) < 0.5
    text = [
        f"{'Late and broken' if bad and rng.random() < 0.8 else 'All fine'}: parcel no {k}, Größe {k % 7}"
        for k, bad in enumerate(late)
    ]
    frame = pl.DataFrame(
        {"remark": text, "size": rng.normal(size=600), "refund": np.where(late, "yes", "no")}
    )
    model = tmp_path / "m.bayleaf.json"
    frame[:400].write_csv(tmp_path / "train.csv")
    result = call("fit", tmp_path / "train.csv", "-t", "refund", "--types", "remark=text", "-o", model)
    assert result.exit_code == 0, result.output
    frame[400:].drop("refund").write_csv(tmp_path / "new.csv")
    assert call("predict", model, tmp_path / "new.csv", "-o", tmp_path / "p.csv").exit_code == 0
    expected = pl.read_csv(tmp_path / "p.csv").select("P(no)", "P(yes)").to_numpy()
    page = open_page(bayleaf.load(model))
    drop(page, (tmp_path / "new.csv").read_text())
    np.testing.assert_allclose(answers(page), expected, atol=EXACT, rtol=0)
    assert np.ptp(expected[:, 0]) > 0.5
