"""Peak memory of a TAN fit on top of its input, against the encoded table (1 byte per value).

Each problem runs in a process of its own; the peak is the largest resident size during the fit less the size before.
"""

import json
import resource
import subprocess
import sys

import numpy as np
from common import PROBLEMS, report, sample

import bayleaf as bl


def resident() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def measure(name: str) -> None:
    X, y = sample(name)
    small = X[:2000], y[:2000]
    model = bl.BayesNetClassifier(
        bl.TAN(), bl.Laplace(), categorical_features=np.ones(X.shape[1], dtype=bool)
    )
    model.fit(*small)  # loads everything that is loaded once
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # resets the peak
    before = resident()
    model.fit(X, y)
    with open("/proc/self/status") as file:
        peak = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
    print(json.dumps({"extra": peak - before, "table": X.size + len(y)}))


def run() -> None:
    rows: list[list[object]] = []
    for name in PROBLEMS:
        answer = subprocess.run(
            [sys.executable, __file__, name], capture_output=True, text=True, check=True
        ).stdout
        figures = json.loads(answer)
        _, features, states, classes = PROBLEMS[name]
        counts = 8 * (features * (features - 1) // 2 * 9 + features * states * states * classes)
        rows.append(
            [
                name,
                figures["extra"] / 1e6,
                figures["table"] / 1e6,
                counts / 1e6,
                figures["extra"] / (2 * figures["table"] + counts),
            ]
        )
    report(
        "Peak memory of a TAN fit on top of the input",
        ["problem", "peak MB", "encoded table MB", "counts MB", "peak / (2 x table + counts)"],
        rows,
        "memory.csv",
    )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1])
    else:
        run()
