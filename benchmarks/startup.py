"""Import time on top of scikit-learn's own, and the time to build the wheel from a clean copy."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import report

ROOT = Path(__file__).resolve().parents[1]
SKLEARN = "import sklearn.ensemble, sklearn.pipeline, sklearn.model_selection"


def seconds(code: str, runs: int = 5) -> float:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def wheel_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "source"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(copy)], check=True)
        start = time.perf_counter()
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, str(copy)]
        subprocess.run(command, check=True)
        return time.perf_counter() - start


def run() -> None:
    nothing = seconds("pass")
    base = seconds(SKLEARN) - nothing
    both = seconds(f"{SKLEARN}\nimport bayleaf") - nothing
    rows: list[list[object]] = [
        ["import scikit-learn (ensemble, pipeline, model_selection)", base],
        ["import bayleaf on top of it", both - base],
        ["build the wheel from a clean clone", wheel_seconds()],
    ]
    report("Start-up", ["what", "seconds"], rows, "startup.csv")


if __name__ == "__main__":
    run()
