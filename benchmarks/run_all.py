"""Run every benchmark; each prints its table and keeps it in benchmarks/results/."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCRIPTS = [["tan.py", "--peers"], ["pairs.py"], ["missing.py"], ["memory.py"], ["startup.py"], ["report.py"]]


def main() -> None:
    for script, *options in SCRIPTS:
        print(f"== {script}", flush=True)
        subprocess.run([sys.executable, str(HERE / script), *options], check=True)


if __name__ == "__main__":
    main()
