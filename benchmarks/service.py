"""Requests a second of examples/service on the loopback: one process of uvicorn on one core, one row a request.

pip install fastapi "uvicorn[standard]"
python benchmarks/service.py --requests 20000

Every answer is compared with that of the model; every fiftieth request is a bad one and must get 422. On a busy
machine the clock says how much of a core the server got, so its CPU time is measured too: requests a second of it are
what a free core would answer.
"""

import argparse
import asyncio
import json
import os
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

SERVICE = Path(__file__).resolve().parents[1] / "examples" / "service"
CONNECTIONS = 16
BAD_EVERY = 50
BAD = json.dumps({"mean radius": "wide"}).encode()


def request(body: bytes) -> bytes:
    head = f"POST /score HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = int(head.split("content-length:")[1].split("\r\n")[0])
    return int(head.split()[1]), await reader.readexactly(length)


async def client(port: int, rows: list[tuple[bytes, list[float]]], total: int) -> tuple[int, list[float]]:
    """Send requests one after another on one connection; return how many answers were right, and their times."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    right, times = 0, []
    for number in range(total):
        bad = number % BAD_EVERY == 0
        body, expected = rows[number % len(rows)]
        start = time.perf_counter()
        writer.write(request(BAD if bad else body))
        status, content = await answer(reader)
        times.append(time.perf_counter() - start)
        found = json.loads(content)
        if bad:
            right += status == 422 and found["detail"].startswith("Column 'mean radius' held numbers")
        else:
            right += status == 200 and np.allclose(list(found.values()), expected, rtol=0, atol=1e-12)
    writer.close()
    return right, times


async def load(port: int, rows: list[tuple[bytes, list[float]]], requests: int) -> tuple[int, list[float]]:
    each = requests // CONNECTIONS
    parts = await asyncio.gather(*(client(port, rows, each) for _ in range(CONNECTIONS)))
    return sum(right for right, _ in parts), [seconds for _, times in parts for seconds in times]


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
        command = [
            sys.executable,
            "-m",
            "uvicorn",
            "service:app",
            "--no-access-log",
            "--log-level",
            "warning",
        ]
        server = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=SERVICE,
            env={**os.environ, "BAYLEAF_MODEL": str(path)},
            preexec_fn=lambda: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]),
        )
        try:
            wait_for(port)
            asyncio.run(load(port, rows, CONNECTIONS * 20))  # the first requests are slower
            before, start = cpu_seconds(server.pid), time.perf_counter()
            right, times = asyncio.run(load(port, rows, requests))
            wall, worked = time.perf_counter() - start, cpu_seconds(server.pid) - before
        finally:
            server.terminate()
            server.wait()
    sent = len(times)
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
