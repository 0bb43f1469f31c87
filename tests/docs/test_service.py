"""The service of the page about deployment, asked as a server would ask it."""

import asyncio
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl
from docs.pages import ROOT

pytest.importorskip("fastapi")
sys.path.insert(0, str(ROOT / "examples" / "service"))
import service

GOOD = {"petal width (cm)": 0.2, "petal length (cm)": 1.4}


@pytest.fixture(scope="module")
def model():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return bl.classifier("TAN").fit(X, y)


@pytest.fixture(scope="module")
def ask(model, tmp_path_factory):
    """Return a function that sends one request and returns the status, the headers and the answer."""
    path: Path = tmp_path_factory.mktemp("service") / "iris.bayleaf.json"
    model.save(path)
    app = service.create_app(path)

    def call(method, place, body=b""):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = []

        async def receive():
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message):
            sent.append(message)

        headers = [(b"content-type", b"application/json")]
        scope = {"type": "http", "method": method, "path": place, "headers": headers, "query_string": b""}
        asyncio.run(app(scope, receive, send))
        start, *parts = sent
        answer = json.loads(b"".join(part.get("body", b"") for part in parts))
        return start["status"], {name.decode(): value.decode() for name, value in start["headers"]}, answer

    return call


def test_rows_get_the_probabilities_of_the_model(ask, model):
    status, headers, answer = ask("POST", "/score", GOOD)
    assert status == 200
    np.testing.assert_array_equal(list(answer.values()), model.scorer()(GOOD))
    about = ask("GET", "/model")[2]
    assert headers["x-model"] == about["digest"]
    assert (about["rows"], about["classes"]) == (150, list(answer))
    assert ask("POST", "/scores", [GOOD, {}])[2][0] == answer


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            {"petal width (cm)": "wide"},
            "Column 'petal width (cm)' held numbers in fit and holds string values",
        ),
        ({"petal width (cm)": [1]}, "Column 'petal width (cm)' holds values of type list"),
        (b'{"petal width (cm)": Infinity}', "Column 'petal width (cm)' has 1 infinite value"),
        ({"height": 1}, "The model has no column 'height'; see GET /model"),
        ([1], "A row is a JSON object with a value for each column."),
        (b"{", "The request is no JSON: "),
        (b"\xff", "The request is no JSON: "),
        (b"[" * 100_000, "The request is no JSON: "),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_requests_get_422_and_our_sentence(ask, body, sentence):
    status, _, answer = ask("POST", "/score", body)
    assert status == 422
    assert answer["detail"].startswith(sentence)


def test_a_batch_is_bounded(ask, monkeypatch):
    monkeypatch.setattr(service, "MOST_ROWS", 1)
    status, _, answer = ask("POST", "/scores", [GOOD, GOOD])
    assert (status, answer["detail"]) == (422, "2 rows are more than 1 in one request: send parts.")


def test_a_damaged_file_does_not_start(tmp_path):
    (tmp_path / "m.json").write_text("{")
    with pytest.raises(ValueError, match="is not a bayleaf file"):
        service.create_app(tmp_path / "m.json")
