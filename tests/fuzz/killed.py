"""Stop commands at random moments, by SIGTERM, SIGINT and SIGKILL, and look at what they leave behind.

PYTHONPATH=tests python -m fuzz.killed --times 200

A file that a command writes is the one from before or the new one, complete. Nothing else of ours stays; after
SIGKILL, it goes with the next run of the same command. An evaluation that was stopped goes on, with the same results.

Commands run in copies of this process (fork), which has imported everything and started no thread: so a run takes
a fraction of a second, and most moments fall into its work.
"""

import argparse
import csv
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bayleaf.cli import main as run_command

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)
COMMANDS = {
    "fit": ["fit", "t.csv", "-t", "class", "-m", "TAN", "--cv", "3", "-o", "m.json"],
    "evaluate": ["evaluate", "t.csv", "-t", "class", "-m", "NB,TAN", "--cv", "3", "-o", "out"],
    "report": ["report", "fixed.json", "--data", "t.csv", "-o", "page.html"],
}
ENDS = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -signal.SIGKILL}


def started(command: str, folder: Path) -> int:
    """Run a command in a copy of this process; return its number."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.chdir(folder)
        said = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.argv = ["bayleaf", *COMMANDS[command]]
        run_command()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except KeyboardInterrupt:  # before the command has begun
        code = ENDS[signal.SIGINT]
    finally:
        os._exit(code)


def ended(process: int) -> int:
    """Wait for a process; return its exit code, or less than zero for the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def results(folder: Path) -> list[tuple[str, ...]]:
    """Return the results of an evaluation, without its times, in order."""
    with (folder / "out" / "results.csv").open(newline="") as file:
        return sorted(
            tuple(value for name, value in row.items() if "time" not in name and "seconds" not in name)
            for row in csv.DictReader(file)
        )


def state(command: str, folder: Path) -> object:
    """Return what a finished command has written, as far as it is the same each time."""
    if command == "evaluate":
        return results(folder)
    content = (folder / {"fit": "m.json", "report": "page.html"}[command]).read_text()
    assert content.rstrip().endswith("}" if command == "fit" else "</html>"), "half a file"
    return len(content.splitlines())


def debris(folder: Path) -> list[str]:
    """Return the names of temporary files."""
    return [str(file.relative_to(folder)) for file in folder.rglob("*") if file.name.startswith(".")]


def prepare(command: str, folder: Path) -> None:
    """Write a table, and a model for the report."""
    numbers = random.Random(0)
    lines = ["a,b,c,d,class"]
    for _ in range(120):
        row = [
            numbers.choice("xyz"),
            round(numbers.random(), 3),
            numbers.choice("uv"),
            numbers.randint(0, 50),
        ]
        lines.append(",".join(map(str, [*row, "yes" if row[0] == "x" or row[1] > 0.8 else "no"])))
    (folder / "t.csv").write_text("\n".join(lines))
    if command == "report":
        assert ended(started("fit", folder)) == 0, (folder / "said.txt").read_text()
        (folder / "m.json").rename(folder / "fixed.json")


def once(command: str, number: signal.Signals, moment: float, folder: Path, expected: object) -> str:
    """Stop a command at a moment, look, and run it to its end; return what the first run came to."""
    (folder / "said.txt").touch()
    process = started(command, folder)
    time.sleep(moment)
    os.kill(process, number)
    code = ended(process)
    said = (folder / "said.txt").read_text()
    begun = {0, ENDS[number]} if said else {0, ENDS[number], -number}
    assert code in begun, f"exit code {code}: {said[-500:]}"
    assert "Traceback" not in said, said[-1500:]
    if number != signal.SIGKILL:
        assert not debris(folder), f"left behind: {debris(folder)}"
    if command != "evaluate" and state_exists(command, folder):
        assert state(command, folder) == expected, "a file that is neither the old nor the new one"
    assert ended(started(command, folder)) == 0, (folder / "said.txt").read_text()[-500:]
    assert not debris(folder), f"left behind after another run: {debris(folder)}"
    assert state(command, folder) == expected, "another result than without a stop"
    return "finished" if code == 0 else "stopped"


def state_exists(command: str, folder: Path) -> bool:
    """Whether the file that a command writes is there."""
    return (folder / {"fit": "m.json", "report": "page.html"}[command]).exists()


def main() -> int:
    """Stop commands as often as asked; exit code 1 at the first that leaves something wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=list(COMMANDS))
    asked = parser.parse_args()
    commands = [asked.only] if asked.only else list(COMMANDS)
    chance, counts = random.Random(asked.seed), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="bayleaf-killed-") as home:
        expected, seconds = {}, {}
        for command in commands:
            folder = Path(home) / command
            folder.mkdir()
            prepare(command, folder)
            start = time.monotonic()
            assert ended(started(command, folder)) == 0, (folder / "said.txt").read_text()
            seconds[command] = time.monotonic() - start
            expected[command] = state(command, folder)
        for number in range(asked.times):
            command = commands[number % len(commands)]
            how = SIGNALS[number // len(commands) % len(SIGNALS)]
            folder = Path(home) / f"{number}"
            folder.mkdir()
            for name in ("t.csv", "fixed.json") if command == "report" else ("t.csv",):
                (folder / name).write_bytes((Path(home) / command / name).read_bytes())
            moment = chance.random() * seconds[command]
            try:
                outcome = once(command, how, moment, folder, expected[command])
            except AssertionError as error:
                print(f"{command}, {how.name} after {moment:.3f} s (run {number}): {error}")
                return 1
            counts[f"{command} {how.name} {outcome}"] += 1
    for what, times in sorted(counts.items()):
        print(f"{what:34}{times:5}")
    print(f"{sum(counts.values())} runs, nothing left behind, nothing lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
