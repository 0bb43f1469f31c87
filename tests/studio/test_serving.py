"""The service around a model, asked as a server would ask it, and over real connections."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bayleaf as bl

pytest.importorskip("uvicorn")
import httpx

from bayleaf.studio import limits, scoring_app, serving
from studio.conftest import running

GOOD = {"petal width (cm)": 0.2, "petal length (cm)": 1.4}


@pytest.fixture(scope="module")
def model():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return bl.classifier("TAN").fit(X, y)


@pytest.fixture(scope="module")
def path(model, tmp_path_factory):
    path: Path = tmp_path_factory.mktemp("service") / "iris.bayleaf.json"
    model.save(path)
    return path


@pytest.fixture(scope="module")
def ask(path):
    """Return a function that sends one request and returns the status, the headers and the answer."""
    app = scoring_app(path)

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
        ({"h" * 5000: 1}, f"The model has no column '{'h' * 57}...'; see GET /model"),
        ({"petal width (cm)": 10**400}, "Column 'petal width (cm)'"),
        ([1], "A row is a JSON object with a value for each column."),
        (b"{", "The request is no JSON: "),
        (b"\xff", "The request is no JSON: "),
        (b"[" * 100_000, "The request is no JSON: "),
        (b"9" * 10_000, "The request is no JSON: "),
        (b"", "The request is no JSON: "),
    ],
    ids=lambda value: str(value)[:30],
)
def test_bad_requests_get_422_and_our_sentence(ask, body, sentence):
    status, _, answer = ask("POST", "/score", body)
    assert status == 422
    assert answer["detail"].startswith(sentence)


def test_a_batch_is_bounded(ask, monkeypatch):
    monkeypatch.setattr(serving, "MOST_ROWS", 1)
    status, _, answer = ask("POST", "/scores", [GOOD, GOOD])
    assert (status, answer["detail"]) == (413, "2 rows are more than 1 in one request: send parts.")


def test_the_wrong_row_of_a_batch_is_named(ask):
    status, _, answer = ask("POST", "/scores", [GOOD, {"height": 1}])
    assert (status, answer["detail"][:41]) == (422, "Row 2: The model has no column 'height'; ")
    assert ask("POST", "/scores", GOOD)[0] == 422


def test_a_body_is_bounded_whether_it_says_its_size_or_not(path):
    with running(scoring_app(path)) as port:
        declared = httpx.post(f"http://127.0.0.1:{port}/score", content=b" " * 1_100_000)
        parts = (b" " * 100_000 for _ in range(11))
        streamed = httpx.post(f"http://127.0.0.1:{port}/score", content=parts)
    for answer in (declared, streamed):
        assert answer.status_code == 413
        assert answer.json()["detail"].startswith("The request is larger than 1.0 MiB")


def test_the_description_names_every_column_and_every_path(ask):
    described = ask("GET", "/openapi.json")[2]
    body = described["paths"]["/score"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body["properties"].keys() == set(ask("GET", "/model")[2]["columns"])
    assert described["paths"].keys() == {"/score", "/scores", "/model", "/health"}
    for where, operations in described["paths"].items():
        (method,) = operations
        assert ask(method.upper(), where, GOOD if where == "/score" else [])[0] == 200
    assert ask("GET", "/health")[2]["status"] == "ok"


@pytest.mark.parametrize(
    "sent", [b"", b"POST /score HTTP/1.1\r\n", b"POST /score HTTP/1.1\r\nHost: a\r\nX: "]
)
def test_a_client_that_sends_no_request_is_left(path, monkeypatch, sent):
    monkeypatch.setattr(limits, "HEAD_SECONDS", 0.2)
    with running(scoring_app(path)) as port, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(sent)
        slow.settimeout(5)
        assert slow.recv(1000) == b""


def test_a_client_that_stops_in_the_middle_of_a_body_gets_408(path, monkeypatch):
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(limits.read_body, "__defaults__", (0.2,))
    with running(scoring_app(path)) as port, socket.create_connection(("127.0.0.1", port)) as slow:
        slow.sendall(b"POST /score HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n{")
        slow.settimeout(5)
        assert slow.recv(1000).startswith(b"HTTP/1.1 408 ")


def test_five_hundred_requests_at_once_are_answered(path, model):
    """Single rows and batches, all sent before the first answer is read."""
    bodies = [json.dumps({"petal width (cm)": 0.1 + k / 200}) for k in range(500)]
    expected = [model.scorer()(json.loads(body)) for body in bodies]

    async def ask_all(port):
        limit = httpx.Limits(max_connections=500)
        async with httpx.AsyncClient(limits=limit, timeout=60, trust_env=False) as client:
            single = (client.post(f"http://127.0.0.1:{port}/score", content=body) for body in bodies[::2])
            batch = (
                client.post(f"http://127.0.0.1:{port}/scores", content=f"[{body}]") for body in bodies[1::2]
            )
            return await asyncio.gather(*single, *batch)

    with running(scoring_app(path)) as port:
        answers = asyncio.run(ask_all(port))
    for answer, wanted in zip(answers, expected[::2] + expected[1::2], strict=True):
        assert answer.status_code == 200
        found = answer.json()
        np.testing.assert_array_equal(list((found[0] if isinstance(found, list) else found).values()), wanted)


def test_too_many_connections_are_refused(path, monkeypatch):
    monkeypatch.setattr(limits, "MOST_CONNECTIONS", 2)
    with running(scoring_app(path)) as port:
        idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        time.sleep(0.1)
        assert httpx.get(f"http://127.0.0.1:{port}/health").status_code == 503
        for each in idle:
            each.close()


def test_a_damaged_file_does_not_start(tmp_path):
    (tmp_path / "m.json").write_text("{")
    with pytest.raises(ValueError, match="is not a bayleaf file"):
        scoring_app(tmp_path / "m.json")


def test_the_command_serves_until_it_is_interrupted(path):
    command = [sys.executable, "-m", "bayleaf", "serve", str(path), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+/score", process.stdout.readline())[0]
        answer = httpx.post(address, json=GOOD, timeout=60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert (answer.status_code, process.returncode, out, err) == (200, 0, "Stopped.\n", "")


def test_a_port_that_is_taken_is_said(path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "bayleaf", "serve", str(path), "--port", port]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(f"Error: Cannot listen on 127.0.0.1, port {port} (")
