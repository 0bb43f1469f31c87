"""Run the benchmarks that take minutes; each prints its table and keeps it in benchmarks/results/.

Those on real data run where the data folder is (BAYLEAF_DATA). Longer ones are run by their names:
`discriminative.py greedy-mnist`, `exact.py growth`, `exact.py peers`, `exact_pruning.py`.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DATA = Path(os.environ.get("BAYLEAF_DATA", HERE.parents[1] / "shared" / "data"))
SCRIPTS = [
    ["tan.py", "--peers"],
    ["pairs.py"],
    ["inputs.py"],
    ["missing.py"],
    ["memory.py"],
    ["startup.py"],
    ["report.py"],
    ["service.py"],
    ["unrestricted.py", "climbing", "--peers"],
    ["exact.py", "bic"],
]
ON_REAL_DATA = [
    ["discriminative.py", "kernel", "search", "parameters"],
    ["unrestricted.py", "rmcv", "memory"],
    ["exact.py", "sets"],
    ["queries.py"],
    ["pool.py"],
]


def main() -> None:
    if not DATA.is_dir():
        print(
            f"Without the data folder {DATA}: {', '.join(script for script, *_ in ON_REAL_DATA)} are left out."
        )
    for script, *options in SCRIPTS + (ON_REAL_DATA if DATA.is_dir() else []):
        print(f"== {script}", flush=True)
        subprocess.run([sys.executable, str(HERE / script), *options], check=True)


if __name__ == "__main__":
    main()
