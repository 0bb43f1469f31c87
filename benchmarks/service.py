"""Requests a second of ``bayleaf serve`` on the loopback: one process on one core, one row a request.

pip install "uvicorn[standard]"
python benchmarks/service.py --requests 20000

Every answer is compared with that of the model; every fiftieth request is a bad one and must get 422. On a busy
machine the clock says how much of a core the server got, so its CPU time is measured too: requests a second of it are
what a free core would answer.
"""

import argparse
import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from common import report
from sklearn.datasets import load_breast_cancer

import bayleaf as bl

CONNECTIONS = 16
BAD_EVERY = 50


def request(body: bytes) -> bytes:
    head = f"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


BAD = request(json.dumps({"mean radius": "wide"}).encode())
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


class Client(asyncio.Protocol):
    """One connection: each answer is kept as it came and the next request sent; they are looked at in the end."""

    def __init__(self, requests: list[bytes]) -> None:
        self.requests, self.sent = requests, 0
        self.answers: list[bytes] = []
        self.times: list[float] = []
        self.done = asyncio.get_running_loop().create_future()
        self._came, self._length = b"", 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self.transport = transport
        self._send()

    def connection_lost(self, error: Exception | None) -> None:
        """Whatever has not been answered by now is lost."""
        if not self.done.done():
            self.done.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Take a part of an answer, or the whole of it."""
        self._came += data
        if not self._length:
            head = self._came.find(b"\r\n\r\n")
            if head < 0:
                return
            self._length = head + 4 + int(LENGTH.search(self._came)[1])
        if len(self._came) < self._length:
            return
        self.times.append(time.perf_counter() - self._start)
        self.answers.append(self._came)
        self._came, self._length = b"", 0
        if self.sent < len(self.requests):
            self._send()
        else:
            self.transport.close()

    def _send(self) -> None:
        self._start = time.perf_counter()
        self.transport.write(self.requests[self.sent])
        self.sent += 1


def is_right(answer: bytes, expected: list[float] | None) -> bool:
    """Whether an answer has the model's probabilities; to a bad request, whether it says what is wrong."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, found = int(head.split()[1]), json.loads(body)
    if expected is None:
        return status == 422 and found["detail"].startswith("Column 'mean radius' held numbers")
    return status == 200 and np.allclose(list(found.values()), expected, rtol=0, atol=1e-12)


async def load(
    port: int, rows: list[tuple[bytes, list[float]]], requests: int
) -> tuple[int, list[float], float]:
    """Send requests on all connections at once; return how many answers were right, their times, and all the time."""
    good = [(request(body), expected) for body, expected in rows]
    plan = [
        (BAD, None) if number % BAD_EVERY == 0 else good[number % len(rows)] for number in range(requests)
    ]
    parts = [plan[k::CONNECTIONS] for k in range(CONNECTIONS)]
    loop, start = asyncio.get_running_loop(), time.perf_counter()
    clients = [
        (
            await loop.create_connection(
                lambda part=part: Client([sent for sent, _ in part]), "127.0.0.1", port
            )
        )[1]
        for part in parts
    ]
    await asyncio.gather(*(client.done for client in clients))
    wall = time.perf_counter() - start
    right = sum(
        is_right(answer, expected)
        for client, part in zip(clients, parts, strict=True)
        for answer, (_, expected) in zip(client.answers, part, strict=False)
    )
    return right, [seconds for client in clients for seconds in client.times], wall


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(600):
        with socket.socket() as attempt:
            if attempt.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError("the service does not start")


def run(requests: int) -> None:
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    model = bl.classifier("TAN", n_jobs=1).fit(X, y)
    probabilities = model.predict_proba(X)
    rows = [
        (json.dumps(row).encode(), probabilities[k].tolist()) for k, row in enumerate(X.to_dict("records"))
    ]
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tumours.bayleaf.json"
        model.save(path)
        command = [sys.executable, "-m", "bayleaf", "serve", str(path), "--port", str(port)]
        server = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]),
        )
        try:
            wait_for(port)
            asyncio.run(load(port, rows, CONNECTIONS * 20))  # the first requests are slower
            before = cpu_seconds(server.pid)
            right, times, wall = asyncio.run(load(port, rows, requests))
            worked = cpu_seconds(server.pid) - before
        finally:
            server.terminate()
            server.wait()
    sent = requests
    lines: list[list[object]] = [
        ["requests sent", sent],
        ["answers lost or wrong", sent - right],
        ["requests a second of the server's CPU time", round(sent / worked)],
        ["requests a second by the clock", round(sent / wall)],
        ["milliseconds to an answer, median", round(1000 * float(np.median(times)), 2)],
        ["milliseconds to an answer, 99 of 100", round(1000 * float(np.quantile(times, 0.99)), 2)],
    ]
    report("Scoring service, one core", ["what", "figure"], lines, "service.csv")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    run(parser.parse_args().requests)
