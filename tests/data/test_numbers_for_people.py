"""Numbers as people write them: one function in Python, its twin on the page, and values within their intervals."""

import csv
import json
import shutil
import subprocess
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from bayleaf.data import Variable
from bayleaf.data.text_values import NumberFormat
from bayleaf.data.variable import MINUS, number_text, state_texts, value_in_state

LINES = Path(__file__).with_name("number_texts.csv").read_text(encoding="utf-8").splitlines()
TABLE = [(float(line["value"]), line["text"]) for line in csv.DictReader(LINES)]


@pytest.mark.parametrize(("value", "text"), TABLE)
def test_numbers_are_written_as_in_the_table(value, text):
    assert number_text(value, minus=MINUS) == text
    assert number_text(value) == text.replace(MINUS, "-")


def test_the_page_writes_numbers_as_python_does():
    rng = np.random.default_rng(0)
    drawn = [*rng.normal(size=300), *np.exp(rng.uniform(-40, 40, 300)), *rng.integers(-(10**13), 10**13, 300)]
    values = [value for value, _ in TABLE] + [float(f"{x:.{k % 17 + 1}g}") for k, x in enumerate(drawn)]
    european = NumberFormat(",", ".")
    expected = [[number_text(x, minus=MINUS), number_text(x, european, MINUS)] for x in values]
    assert written_by_the_page(values) == expected


def written_by_the_page(values):
    return of_the_page(
        f"const values = {json.dumps(values)}, style = {{ decimal: ',', thousands: '.' }};"
        "console.log(JSON.stringify(values.map((v) => [styled(plainNumber(v)), styled(plainNumber(v), style)])));"
    )


def of_the_page(program):
    """Run the script of the page outside a browser, and what comes after it; return what that writes."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on the PATH")
    script = files("bayleaf.page").joinpath("assets/numerals.js").read_text(encoding="utf-8")
    done = subprocess.run(
        [node, "--input-type=module"],
        input=script + program,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_page_never_shows_a_value_outside_its_interval():
    rng = np.random.default_rng(0)
    values = np.unique(np.round(rng.normal(45, 0.001, 40), 6))
    cuts = (values[1:] + values[:-1])[::5] / 2
    variable = Variable.numeric("lat", cuts)
    asked = [*values, *np.nextafter(cuts, np.inf), *cuts]
    node = {
        "cuts": list(cuts),
        "cutTexts": variable.cut_texts,
        "states": state_texts(variable),
        "whole": False,
    }
    states = [variable.code(float(value)) for value in asked]
    program = (
        f"const node = {json.dumps(node)}, asked = {json.dumps([float(value) for value in asked])};"
        f"const states = {json.dumps(states)};"
        "console.log(JSON.stringify(asked.map((value, k) => placed(node, value, states[k]))));"
    )
    for shown in of_the_page(program):
        number, label = float(shown["text"]), shown["label"]
        if label.startswith("≤"):
            assert number <= float(label.removeprefix("≤ "))
        elif label.startswith(">"):
            assert number > float(label.removeprefix("> "))
        else:
            low, high = map(float, label.split(" – "))
            assert low < number <= high


@pytest.mark.parametrize("digits", [3, 6, 9, 14])
def test_a_value_is_never_shown_outside_its_interval(digits):
    rng = np.random.default_rng(digits)
    values = np.unique(np.round(rng.normal(45, 10.0 ** (2 - digits), 60), digits))
    cuts = (values[1:] + values[:-1])[::7] / 2
    variable = Variable.numeric("lat", cuts)
    for value in [*values, *np.nextafter(cuts, np.inf), *cuts]:
        text, interval = value_in_state(variable, value)
        low, high = (float(edge) for edge in interval.strip("([])").split(", "))
        assert low < float(text) <= high, (text, interval)
        assert variable.code(float(value)) == (cuts < value).sum()


def test_whole_numbers_are_shown_whole():
    rooms = Variable.numeric("rooms", [1.5, 2.5, 5.5, 1200.5], "integer").with_gap()
    assert state_texts(rooms) == ["≤ 1", "2", "3 to 5", "6 to 1200", "≥ 1201", "(missing)"]
    assert value_in_state(rooms, 2.0) == ("2", "2")
    assert value_in_state(rooms, 2.4) == ("2.4", "(1.5, 2.5]")  # a whole number would be another one


def test_intervals_that_hold_no_whole_number_keep_their_edges():
    odd = Variable.numeric("rooms", [1.2, 1.7], "integer")
    assert state_texts(odd) == ["≤ 1.2", "1.2 – 1.7", "> 1.7"]


def test_intervals_are_written_in_the_style_of_the_column():
    price = replace(Variable.numeric("price", [-1234.5, 98765.25]), reading=NumberFormat(",", ".", "€"))
    assert state_texts(price, MINUS) == ["≤ −1.234,5", "−1.234,5 – 98.765", "> 98.765"]
