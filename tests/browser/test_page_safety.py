"""Nothing in the data can run, break the page or leave it."""

import numpy as np
import pandas as pd

import bayleaf as bl

NASTY = (
    "<script>document.title='hacked'</script>",
    "</script><script>document.title='hacked'</script>",
    "<!--<script>",
    "<img src=x onerror=\"document.title='hacked'\">",
    "\u2028\u2029 line separators",
    "{{script}} {{data}}",
    "'\"&lt;&#39; `${document.title='hacked'}`",
    "\\u003cscript\\u003e",
    "__proto__",
    "\x00 control \U0001f33f",
)


def nasty_data(rng, labels=NASTY):
    X = pd.DataFrame({name: rng.choice(np.array(labels[:3], dtype=object), 200) for name in NASTY})
    y = pd.Series(rng.choice(np.array(labels[:2], dtype=object), 200), name="</title><script>")
    return X, y


def test_markup_in_names_and_values_stays_text(open_page):
    X, y = nasty_data(np.random.default_rng(0))
    clf = bl.BayesNetClassifier().fit(X, y)
    page = open_page(clf, X, y)
    for view in ("network", "whatif", "why", "quality", "learned"):
        page.click(f"#tab-{view}")
        page.wait_for_timeout(60)
    page.click("#tab-whatif")
    names = page.locator("#view-whatif .name").all_text_contents()
    page.click("[data-feature='0'] [data-state='0']")
    page.click("#tab-network")
    page.locator("[data-graph-node='0']").click()
    assert "hacked" not in page.title()
    assert page.locator("script").count() == 2
    assert page.locator("img").count() == 0
    assert set(NASTY) == set(names)


def test_a_million_characters_do_no_harm(open_page, tmp_path):
    rng = np.random.default_rng(0)
    long = ["a" * 1_000_000, "b" * 1_000_000]
    X = pd.DataFrame(
        {"x": rng.choice(np.array(long, dtype=object), 60), "y" * 5000: rng.choice(["0", "1"], 60)}
    )
    y = rng.choice(np.array(["c" * 100_000, "d"], dtype=object), 60)
    clf = bl.BayesNetClassifier().fit(X, y)
    page = open_page(clf, X, y)
    page.click("[data-feature='0'] [data-state='1']")
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert "(1,000,000 characters)" in page.locator("[data-feature='0'] [data-state='1']").inner_text()
    assert len(page.content()) < 600_000


def test_thousands_of_states_stay_usable(open_page):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"id": [f"customer {k}" for k in range(3000)], "x": rng.choice(["0", "1"], 3000)})
    clf = bl.BayesNetClassifier(bl.NaiveBayes(), identifiers="keep").fit(X, X["x"].to_numpy())
    page = open_page(clf)
    assert page.locator("[data-feature='0'] .state").count() < 20
    page.locator("[data-feature='0'] button.more").click()
    page.locator("[data-feature='0'] [data-state='100']").click()
    assert page.get_attribute("[data-feature='0'] [data-state='100']", "aria-pressed") == "true"


def test_a_policy_forbids_everything_but_the_page_itself(open_page):
    clf = bl.BayesNetClassifier().fit(pd.DataFrame({"x": ["a", "b"] * 10}), [0, 1] * 10)
    page = open_page(clf)
    policy = page.get_attribute("meta[http-equiv='Content-Security-Policy']", "content")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
