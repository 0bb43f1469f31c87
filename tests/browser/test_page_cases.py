"""Cases: loaded rows that are edited, numbers, comparison, the address, typicality, the case sheet, phones."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from browser.conftest import TEXT_SIZES, set_state, shown_distribution


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    y = y.map(dict(enumerate(["setosa", "versicolor", "virginica"]))).rename("species")
    return bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), bl.MDLP()).fit(X[::2], y[::2]), X[1::2], y[1::2]


def test_an_edited_row_keeps_its_number_and_its_class_and_can_be_reset(open_page, iris):
    page = open_page(*iris)
    page.select_option("#row", "3")
    before = shown_distribution(page, 4)
    assert "setosa" in page.inner_text("#truth")
    set_state(page, 2, 2)
    assert page.input_value("#row") == "3"
    assert "setosa" in page.inner_text("#truth")
    assert "one value changed" in page.inner_text("#truth")
    assert page.locator("#evidence .chip.edited").count() == 1
    assert shown_distribution(page, 4) != before
    page.click("#reset")
    assert shown_distribution(page, 4) == before
    assert page.locator("#evidence .chip.edited").count() == 0
    page.click("#clear")
    assert page.input_value("#row") == ""


def test_rows_and_fields_show_the_numbers_of_the_data(open_page, iris):
    clf, X, y = iris
    page = open_page(clf, X, y)
    page.select_option("#row", "3")
    field = page.locator("[data-feature='2'] input.number")
    assert float(field.input_value()) == X.iloc[3, 2]
    assert re.search(rf"{X.iloc[3, 2]:g} \(≤\s\d", page.inner_text("#evidence"))
    page.select_option("#row", "40")
    assert re.search(rf"{X.iloc[40, 2]:g} in \S+\s–\W*\S+", page.inner_text("#evidence"))
    page.select_option("#row", "3")
    field.fill("99")
    field.press("Enter")
    assert "outside training" in page.inner_text("[data-feature='2'] .remark")
    assert page.get_attribute("[data-feature='2'] [data-state='2']", "aria-pressed") == "true"
    assert "outside training" in page.inner_text("#evidence")
    field.evaluate(
        "field => { field.type = 'text'; field.value = 'high'; field.dispatchEvent(new Event('change')); }"
    )
    assert "not a number" in page.inner_text("[data-feature='2'] .remark")
    assert page.get_attribute("[data-feature='2'] [data-state='2']", "aria-pressed") == "true"


def test_most_changed_first_follows_the_row(open_page, iris):
    page = open_page(*iris)
    page.select_option("#view-whatif select", "change")
    names = []
    for row in ("3", "30", "60"):
        page.select_option("#row", row)
        names.append(page.locator("#view-whatif .name").all_inner_texts())
        changed = page.evaluate("""() => [...document.querySelectorAll('#view-whatif [data-feature]')].map(card =>
          Number(card.dataset.feature))""")
        largest = {}
        for node in range(4):
            now = shown_distribution(page, node)
            prior = bl_prior(iris[0], node)
            largest[node] = max(abs(now[k] - prior[k]) for k in now)
        order = sorted(changed, key=lambda node: -largest[node])
        assert largest[changed[0]] == pytest.approx(largest[order[0]])


def bl_prior(clf, node):
    return list(clf.network_.posterior(clf.network_.nodes[node]).values())


def test_the_address_has_no_values_unless_asked(open_page, iris):
    page = open_page(*iris)
    page.select_option("#row", "5")
    set_state(page, 2, 2)
    page.click("#pin")
    page.wait_for_timeout(150)
    assert re.fullmatch(r"#whatif;row=\d+", page.evaluate("location.hash"))
    page.check("#case-in-address")
    page.wait_for_timeout(150)
    assert re.search(r";e=.*_2\.2_.*;pin=", page.evaluate("location.hash"))
    page.uncheck("#case-in-address")
    page.wait_for_timeout(150)
    assert re.fullmatch(r"#whatif;row=\d+", page.evaluate("location.hash"))
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.input_value("#row") == "5"
    assert page.locator("#evidence .chip").count() == 4
    assert page.locator("#evidence .chip.edited").count() == 0


def test_the_address_opens_the_same_case_again(open_page, iris):
    page = open_page(*iris)
    page.check("#case-in-address")
    page.select_option("#row", "5")
    page.click("#pin")
    page.select_option("#row", "60")
    set_state(page, 0, 0)
    page.click("#theme")
    page.wait_for_timeout(100)  # the address follows soon
    shown, address = shown_distribution(page, 4), page.evaluate("location.href")
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector("body[data-ready]")
    assert shown_distribution(page, 4) == shown
    assert page.input_value("#row") == "60"
    assert page.is_visible("#view-whatif")
    assert page.is_visible("#compare")
    assert page.get_attribute("html", "data-theme") == "dark"
    page.evaluate("location.hash = '#why;row=oops;e=99.1_0.77_x;pin=0.999'")
    page.wait_for_selector("#view-why", state="visible")


def test_two_cases_side_by_side(open_page, iris):
    clf, X, y = iris
    page = open_page(clf, X, y)
    page.select_option("#row", "5")
    page.click("#pin")
    page.select_option("#row", "60")
    rows = page.locator("#compare-classes tbody tr").all_inner_texts()
    probabilities = clf.predict_proba(X.iloc[[5, 60]])
    for k, text in enumerate(rows):
        assert text.split("\t")[0] == clf.classes_[k]
        for column, p in zip(text.split("\t")[1:], probabilities[:, k], strict=True):
            assert column.strip() in (f"{100 * p:.1f}%", f"{100 * p:.0f}%", ">99.9%", "<0.1%")
    differing = [
        name for j, name in enumerate(X.columns) if len(set(clf.encode(X.iloc[[5, 60]]).codes[:, j])) > 1
    ]
    assert page.locator("#compare-values tbody tr").count() == len(differing)
    page.click("#compare >> text=Go back to A")
    assert page.input_value("#row") == "5"
    page.click("#unpin")
    assert page.is_hidden("#compare")


def test_typicality_and_conflict_are_those_of_python(open_page, iris):
    clf, X, y = iris
    page = open_page(clf, X, y)
    odd = X.iloc[[3]].assign(**{"petal width (cm)": 2.5})
    page.select_option("#row", "3")
    field = page.locator("[data-feature='3'] input.number")
    field.fill("2.5")
    field.press("Enter")
    page.wait_for_selector("#typical [data-share]")
    expected = clf.typicality(odd, draws=4000)
    shown = page.locator("#typical [data-share]")
    assert float(shown.get_attribute("data-share")) == pytest.approx(expected["typicality"][0], abs=0.06)
    assert float(shown.get_attribute("data-conflict")) == pytest.approx(expected["conflict"][0], abs=1e-9)
    assert "Caution" in page.inner_text("#typical")


def test_the_case_sheet_is_one_page_about_this_case(open_page, iris, tmp_path):
    clf, X, y = iris
    page = open_page(clf, X, y)
    page.select_option("#row", "60")
    page.evaluate("window.print = () => {}")
    page.click("#print-case")
    page.emulate_media(media="print")
    sheet = page.inner_text("#sheet")
    assert f"species: {clf.predict(X.iloc[[60]])[0]}" in sheet
    assert "Row 61, true class virginica" in sheet
    assert "learned from 75 rows" in sheet
    total = clf.explain(X.iloc[[60]]).log_odds[0]
    assert f"{total:+.2f}".replace("-", "−") in sheet
    for name, value in X.iloc[60].items():
        assert name in sheet
        assert re.search(rf"\t{value:g} (in|\([≤>]) ", sheet)
    assert page.is_hidden("#decision")
    pdf = page.pdf()
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") + pdf.count(b"/Type /Page/") == 1
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.is_visible("#decision")


def test_on_paper_every_answer_is_complete_and_nothing_is_cut_off(open_page, iris):
    page = open_page(*iris, width=1900, view="network")
    page.select_option("#row", "60")
    page.evaluate("document.querySelector('#print-all').checked = true")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})
    for place in ("#sufficient", "#changes", "#next-values", "#typical"):
        assert "…" not in page.inner_text(place)
    page.wait_for_timeout(100)
    assert page.get_attribute("g.scene", "transform") is None
    box = page.locator("svg.network").bounding_box()
    for node in page.locator("[data-graph-node]").all():
        inner = node.bounding_box()
        assert inner["x"] >= box["x"] - 1
        assert inner["x"] + inner["width"] <= min(700, box["x"] + box["width"]) + 1


def test_paper_shows_every_state_in_full_and_no_word_about_clicks(open_page):
    states = [f"a state with a long name, number {k}" for k in range(14)]
    X = pd.DataFrame({"f": states * 10, "g": ["u", "v"] * 70})
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), bl.Laplace()).fit(X, ["no"] * 70 + ["yes"] * 70)
    page = open_page(clf, X, ["no"] * 70 + ["yes"] * 70, width=1440)
    page.select_option("#row", "3")
    few = page.locator("[data-feature='0'] .state").count()
    page.evaluate("document.querySelector('#print-all').checked = true")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    labels = page.locator("[data-feature='0'] .label")
    assert labels.all_inner_texts() == sorted(states)
    assert all(labels.evaluate_all("all => all.map(each => each.scrollWidth <= each.clientWidth)"))
    assert re.search("[Cc]lick|Drag", page.inner_text("#views")) is None
    assert page.inner_text("#truth").startswith("Row 4. True class: no")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert page.locator("[data-feature='0'] .state").count() == few < 14


def test_on_a_phone_the_verdict_stays_in_sight_and_targets_are_large(open_page, iris):
    page = open_page(*iris, width=390, height=800)
    assert page.locator("details.loader").get_attribute("open") is None
    assert page.is_hidden("#evidence")
    page.locator("[data-feature='3'] .show-states").click()
    page.locator("[data-feature='3'] [data-state='2']").scroll_into_view_if_needed()
    page.locator("[data-feature='3'] [data-state='2']").click()
    page.mouse.wheel(0, 600)
    line = page.locator("#verdict-line")
    assert "virginica" in line.inner_text()
    box = line.bounding_box()
    assert 0 <= box["y"] < 140
    for size in page.locator("button:visible, select:visible, input:visible").evaluate_all(
        "all => all.map(each => [each.offsetHeight, each.className, each.type])"
    ):
        assert size[0] >= 24 or size[2] == "checkbox" or size[1] == "number", size
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.click("#tab-quality")
    cut_off = "all => all.filter(each => each.scrollWidth > each.clientWidth).map(each => each.ariaLabel)"
    assert page.locator("#tabs, #view-quality [role=group]").evaluate_all(cut_off) == []


def test_names_that_are_too_small_to_be_read_are_chosen_from_a_list(open_page):
    names = [f"measurement_of_substance_{k}" for k in range(60)]
    dag = bl.DAG(names, [(names[k // 3], names[k]) for k in range(1, 60)])
    variables = [bl.data.Variable(name, ("no", "yes")) for name in names]
    tables = [np.full([2] * (len(parents) + 1), 0.5) for parents in dag.parent_indices]
    page = open_page(bl.BayesNet(variables, dag, tables), width=390, height=800, view="network")
    assert page.evaluate(TEXT_SIZES) == []
    page.select_option("#all-nodes", label=names[41])
    assert page.inner_text(".details h2") == names[41]
    assert min(page.evaluate(TEXT_SIZES)) >= 9
    shown = page.locator("svg.network .node-name").evaluate_all("all => all.map(each => each.textContent)")
    assert len(set(shown)) == 60  # names that begin alike are distinguished by their endings
    page.set_viewport_size({"width": 1440, "height": 900})
    assert page.is_hidden("#all-nodes")


def test_the_wheel_scrolls_the_page_and_zooms_with_ctrl(open_page, iris):
    page = open_page(iris[0], view="network", height=500)
    before = page.get_attribute("g.scene", "transform")
    page.mouse.move(700, 300)
    page.mouse.wheel(0, 120)
    page.wait_for_timeout(80)
    assert page.get_attribute("g.scene", "transform") == before
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    page.wait_for_timeout(80)
    assert page.get_attribute("g.scene", "transform") != before


def test_features_of_one_state_are_no_evidence_and_searches_say_what_they_do_not_find(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"same": ["x"] * 60, "b": rng.choice(["u", "v"], 60)})
    clf = bl.BayesNetClassifier().fit(X, X["b"].to_numpy() == "u")
    page = open_page(clf, X, X["b"].to_numpy() == "u")
    page.select_option("#row", "3")
    assert page.locator("#evidence .chip").count() == 1
    assert page.is_disabled("[data-feature='0'] [data-state='0']")
    page.fill("#view-whatif input[type=search]", "nothing like it")
    assert "nothing like it" in page.inner_text("#view-whatif .cards")
    assert "of 60" in page.inner_text("#row option >> nth=0")


def test_what_is_said_of_columns_is_shown(open_page, iris):
    _, X, y = iris
    copy = bl.BayesNetClassifier(bl.TAN(), bl.Laplace(), bl.MDLP()).fit(X, y)
    copy.describe(
        labels={"petal width (cm)": "Petal width"}, units={"petal width (cm)": "cm"}, title="Irises"
    )
    page = open_page(copy, X, y)
    assert page.inner_text("#title") == "Irises"
    assert "Petal width (cm)" in page.inner_text("[data-feature='3'] .name")
    page.select_option("#row", "3")
    assert re.search(r"0.2 cm \(≤\s0.8\)", page.inner_text("#evidence"))
