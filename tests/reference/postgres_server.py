"""A PostgreSQL server in a folder that vanishes, reached through a socket there: Debian's package."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c shared_buffers=16MB"


def server_programs() -> Path | None:
    """The folder of the programs, if there is one."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))  # where Debian keeps what only servers need
    on_path = shutil.which("initdb")
    return found[-1] if found else None if on_path is None else Path(on_path).parent


@contextmanager
def running_server(programs: Path) -> Iterator[Path]:
    """Start a server, give the folder of its socket, and stop it; its user is bayleaf, without a password."""
    folder = Path(tempfile.mkdtemp(prefix="bayleaf-postgres-"))
    as_other = []
    if os.getuid() == 0:  # a server refuses to run as root
        known = {each.pw_name for each in pwd.getpwall()}
        other = "postgres" if "postgres" in known else "nobody"
        as_other = ["runuser", "-u", other, "--"]
        shutil.chown(folder, other)

    def run(program, *arguments):
        command = [*as_other, str(programs / program), "-D", str(folder / "data"), *arguments]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, timeout=60)

    try:
        run("initdb", "-A", "trust", "-U", "bayleaf", "-E", "UTF8", "--locale=C", "--no-sync")
        run("pg_ctl", "-o", f"{OPTIONS} -k {folder}", "-l", str(folder / "log"), "-w", "start")
        try:
            yield folder
        finally:
            run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
