"""A threshold that the reader chooses decides everywhere: verdict, matrix, rows, reasons, files, address."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl


def cases(classes, rows=500, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, rows)
    X = pd.DataFrame(
        {f"f{j}": np.where(rng.random(rows) < 0.55, y, rng.choice(classes, rows)) for j in range(4)}
    )
    return X, pd.Series(y, name="answer")


@pytest.fixture(scope="module")
def fitted():
    X, y = cases(["ill", "well"])
    return bl.BayesNetClassifier().fit(X[:300], y[:300]), X[300:], y[300:]


def decide_everywhere(page, step):
    page.click("#tab-quality")
    page.evaluate(
        """step => {
          const slider = document.querySelector("#threshold");
          slider.value = step;
          slider.dispatchEvent(new Event("input"));
        }""",
        step,
    )
    page.click("#decide-everywhere")


def matrix(page):
    texts = page.locator("#confusion tbody td").all_inner_texts()
    width = page.locator("#confusion tbody tr").count()
    return np.array([0 if each == "·" else int(each) for each in texts]).reshape(width, width)


def counts(truth, decided, classes):
    return np.array([[((truth == a) & (decided == b)).sum() for b in classes] for a in classes])


def test_verdict_matrix_rows_reasons_and_files_follow(open_page, fitted, tmp_path):
    model, X, y = fitted
    page = open_page(model, X, y, view="quality")
    page.select_option("#threshold-class", label="ill")
    decide_everywhere(page, 30)
    p = model.predict_proba(X)[:, 0]
    decided = np.where(p >= 0.15, "ill", "well")
    truth = y.to_numpy()
    assert (decided != model.predict(X)).sum() > 5
    assert (matrix(page) == counts(truth, decided, ["ill", "well"])).all()
    assert int(page.get_attribute("#rule-note", "data-right")) == (decided == truth).sum()
    page.check("#only-wrong")
    listed = [int(text.split()[1]) - 1 for text in page.locator("#row option").all_inner_texts()[1:]]
    assert [X.index[k] for k in listed] == X.index[decided != truth].tolist()
    page.uncheck("#only-wrong")
    row = int(np.flatnonzero(decided != model.predict(X))[0])
    page.select_option("#row", str(row))
    assert page.inner_text("#sentence strong") == "ill"
    assert "decided by a threshold: ill from 15% on" in page.inner_text("#sentence")
    page.click("#tab-why")
    page.wait_for_selector("#changes td")
    assert page.input_value("[aria-label='For class']") == "0"
    for k in page.locator("#changes tr").all():  # each flips to the other class by the same threshold
        assert "well" in k.inner_text()
    page.evaluate("window.print = () => {}")
    page.click("#print-case")
    assert "ill from 15% on" in page.text_content("#sheet")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    X.to_csv(tmp_path / "new.csv", index=False)
    page.set_input_files("#csv-file", tmp_path / "new.csv")
    page.wait_for_selector("#save-predictions")
    with page.expect_download() as caught:
        page.click("#save-predictions")
    saved = list(csv.DictReader(io.StringIO(caught.value.path().read_text())))
    assert [each["predicted"] for each in saved] == decided.tolist()
    # A page that is opened by this address decides alike; going back is one click, also for the file.
    page.wait_for_timeout(150)
    assert "rule=0.30" in page.evaluate("location.hash")
    page.click("#tab-quality")
    page.click("#own-rule")
    assert (matrix(page) == counts(truth, model.predict(X), ["ill", "well"])).all()
    page.locator("#predictions th button:has-text('row')").click()
    shown = page.locator("#cases tr").evaluate_all("all => all.map(each => each.dataset.predicted)")
    labels = page.locator("#cases td:nth-child(2)").all_inner_texts()
    assert labels == [["ill", "well"][int(np.argmax(json.loads(each)))] for each in shown]
    page.wait_for_timeout(150)
    assert "rule=" not in page.evaluate("location.hash")


def test_the_address_brings_the_rule_back(open_page, fitted):
    model, X, y = fitted
    page = open_page(model, X, y, view="quality")
    page.goto(page.url.split("#")[0] + "#quality;rule=0.30")
    page.reload()
    page.wait_for_selector("#rule-note")
    assert page.input_value("#threshold") == "30"


def test_values_that_suffice_do_so_by_the_threshold(open_page, fitted):
    _, X, y = fitted
    rule = bl.BayesNetClassifier(loss={"ill": {"well": 0.85}, "well": {"ill": 0.15}}).fit(
        *[each[:300] for each in cases(["ill", "well"])]
    )
    model = bl.BayesNetClassifier().fit(*[each[:300] for each in cases(["ill", "well"])])
    page = open_page(model, X, y, view="quality")
    page.select_option("#threshold-class", label="ill")
    decide_everywhere(page, 30)
    page.click("#tab-why")
    for row in range(0, 20, 4):
        page.select_option("#row", str(row))
        page.wait_for_selector("#changes td")
        reason = rule.sufficient_reason(X.iloc[[row]])
        kept = page.locator("#sufficient [data-kept]").evaluate_all(
            "all => all.map(each => each.dataset.kept)"
        )
        assert {model.network_.nodes[int(k)] for k in kept} == set(reason.values if reason.guaranteed else ())


def test_several_classes_are_counted_from_the_rows(open_page):
    classes = ["a", "b", "c"]
    X, y = cases(classes, seed=1)
    model = bl.BayesNetClassifier().fit(X[:300], y[:300])
    page = open_page(model, X[300:], y[300:], view="quality")
    page.select_option("#threshold-class", label="b")
    decide_everywhere(page, 40)
    p = model.predict_proba(X[300:])
    others = np.where(np.arange(3) == 1, -1.0, p).argmax(axis=1)
    decided = np.array(classes)[np.where(p[:, 1] >= 0.2, 1, others)]
    assert (matrix(page) == counts(y[300:].to_numpy(), decided, classes)).all()


def test_the_cost_curve_has_the_costs_of_the_rows(open_page, fitted):
    model, X, y = fitted
    page = open_page(model, X, y, view="quality")
    page.select_option("#threshold-class", label="ill")
    page.fill("#miss-cost", "4")  # a threshold of 20%
    ill, p = (y == "ill").to_numpy(), model.predict_proba(X)[:, 0]
    cost = (0.8 * (ill & (p < 0.2)) + 0.2 * (~ill & (p >= 0.2))).mean()
    assert float(page.get_attribute("#cost-curve [data-cost]", "data-cost")) == pytest.approx(cost)
    assert "the model saves costs: with thresholds from" in page.inner_text("#cost-curve")
