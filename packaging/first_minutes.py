"""The first minutes of a new user: install a wheel into an empty environment, and do what the tutorial does.

python packaging/first_minutes.py dist/bayleaf-*.whl      # says how long each took; fails where a page is wrong
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
MOST_SECONDS = 60.0
# What is needed of the sources: a page, and what runs its examples.
TAKEN = ("docs/tutorial.md", "tests/docs/pages.py")


def main(wheel: Path) -> None:
    """Install the wheel with what people at a desk use, then run the tutorial in a folder without the sources."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        venv.create(home / "environment", with_pip=True)
        python = home / "environment" / "bin" / "python"
        started = perf_counter()
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, f"{wheel.resolve()}[desk]"], check=True)
        installed, used = perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        for name in TAKEN:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, home / name)
        started = perf_counter()
        alone = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        ran = subprocess.run(
            [python, home / TAKEN[1], home / TAKEN[0]], capture_output=True, text=True, env=alone, cwd=home
        )
        duration = perf_counter() - started
    wrong = ran.stdout.removeprefix("tutorial.md\n").strip() or ran.stderr.strip()
    cpu = used.ru_utime + used.ru_stime
    print(
        f"{wheel.name}: installed in {installed:.0f} s ({cpu:.0f} CPU-s), the tutorial ran in {duration:.0f} s"
    )
    if wrong:
        sys.exit(wrong)
    if installed > MOST_SECONDS:
        print(f"That is more than {MOST_SECONDS:.0f} s: is the machine busy, or the connection slow?")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
