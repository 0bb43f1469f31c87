"""Wide networks open with the class and its most telling features; a selected node leaves the class in sight."""

import numpy as np
import pandas as pd
import pytest

import bayleaf as bl


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    y = rng.choice(["2", "10", "1"], 600)
    agree = np.linspace(0.8, 0.35, 60)  # features tell less and less
    X = pd.DataFrame(
        {f"f{j}": np.where(rng.random(600) < agree[j], y, rng.choice(["1", "2"], 600)) for j in range(60)}
    )
    return bl.BayesNetClassifier().fit(X, pd.Series(y, name="kind")), X


def shown(page):
    nodes = page.locator("[data-graph-node]:not([hidden])")
    return {int(each) for each in nodes.evaluate_all("all => all.map(each => each.dataset.graphNode)")}


def most_telling(model, count):
    information = model.network_.mutual_information("kind")
    features = sorted(model.network_.nodes[:-1], key=lambda name: -information[name])
    return {model.network_.nodes.index(name) for name in [*features[:count], "kind"]}


def inside(page, node, covered=None):
    """Whether a node is in the drawing, and not under the panel of the selected node."""
    box, frame = (
        page.locator(f"[data-graph-node='{node}'] .box").bounding_box(),
        page.locator(".canvas").bounding_box(),
    )
    right = frame["x"] + frame["width"] if covered is None else page.locator(covered).bounding_box()["x"]
    return (
        box["x"] >= frame["x"]
        and box["x"] + box["width"] <= right
        and box["y"] >= frame["y"]
        and box["y"] + box["height"] <= frame["y"] + frame["height"]
    )


def test_the_most_telling_features_come_first_and_more_on_demand(open_page, fitted):
    model, _ = fitted
    page = open_page(model, view="network")
    assert shown(page) == most_telling(model, 12)
    assert page.inner_text("#nodes-shown") == "The 12 most telling of 60 features"
    arcs = page.locator("path.arc:not([hidden])").count()
    assert arcs == sum(
        {a, b} <= {model.network_.nodes[k] for k in shown(page)} for a, b in model.network_.arcs
    )
    assert all(inside(page, node) for node in shown(page))
    page.click("#more-nodes")
    assert shown(page) == most_telling(model, 24)
    page.select_option("#direction", "right" if page.input_value("#direction") == "down" else "down")
    assert shown(page) == most_telling(model, 24)
    page.click("#all-shown")
    assert len(shown(page)) == 61
    assert page.is_hidden("#more-nodes")


def test_a_node_that_is_looked_for_is_shown(open_page, fitted):
    model, _ = fitted
    page = open_page(model, view="network")
    least = min(set(range(60)) - most_telling(model, 48))
    page.fill("#find-node", model.network_.nodes[least])
    page.press("#find-node", "Enter")
    assert least in shown(page)
    assert page.locator(f"[data-graph-node='{least}'].selected").count() == 1


@pytest.mark.parametrize("width", [1280, 1000])
def test_a_selected_node_leaves_the_class_in_sight(open_page, fitted, width):
    model, _ = fitted
    page = open_page(model, view="network", width=width)
    for node in sorted(shown(page))[:4]:
        page.locator(f"[data-graph-node='{node}']").dispatch_event("click")
        assert inside(page, node, ".details")
        assert inside(page, 60, ".details")
    page.click(".details [aria-label='Close']")
    page.click("#all-shown")
    for node in (5, 40):
        page.locator(f"[data-graph-node='{node}']").dispatch_event("click")
        assert inside(page, node, ".details")
        assert inside(page, 60, ".details")


def test_classes_are_in_the_order_of_numbers(open_page, fitted):
    model, X = fitted
    page = open_page(model, X, model.predict(X))
    assert page.locator("#decision .state .label").all_inner_texts() == ["1", "2", "10"]
    page.click("#tab-why")
    assert page.locator("[aria-label='For class'] option").all_inner_texts() == ["1", "2", "10"]
    page.select_option("#row", "3")  # the values that are sent are still those of the states
    chosen = page.input_value("[aria-label='For class']")
    assert model.classes_[int(chosen)] == page.inner_text("#sentence strong")


def test_few_features_are_all_shown(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"f{j}": rng.choice(["a", "b"], 200) for j in range(25)})
    page = open_page(bl.BayesNetClassifier().fit(X, X["f0"].to_numpy()), view="network")
    assert len(shown(page)) == 26
    assert page.is_hidden("#more-nodes")
