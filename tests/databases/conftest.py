"""A PostgreSQL server of its own: Debian's package, in a folder that vanishes, reached through a socket there."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c shared_buffers=16MB"


def pytest_collection_modifyitems(config, items):
    """Run only when asked for: tests/conftest.py says at the end how many were left."""
    if not any("databases" in argument for argument in config.args):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="left to make test-databases"))


def programs() -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))  # where Debian keeps what only servers need
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        pytest.skip("there is no PostgreSQL server: apt-get install postgresql")
    return found[-1] if found else Path(on_path).parent


@pytest.fixture(scope="session")
def server():
    """The folder of the socket of a server that runs as long as the tests."""
    folder = Path(tempfile.mkdtemp(prefix="bayleaf-postgres-"))
    as_other = []
    if os.getuid() == 0:  # a server refuses to run as root
        other = next(
            name for name in ("postgres", "nobody") if name in {each.pw_name for each in pwd.getpwall()}
        )
        as_other = ["runuser", "-u", other, "--"]
        shutil.chown(folder, other)

    def run(program, *arguments):
        command = [*as_other, str(programs() / program), "-D", str(folder / "data"), *arguments]
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL, timeout=60)

    try:
        run("initdb", "-A", "trust", "-U", "bayleaf", "-E", "UTF8", "--locale=C", "--no-sync")
        run("pg_ctl", "-o", f"{OPTIONS} -k {folder}", "-l", str(folder / "log"), "-w", "start")
        yield folder
        run("pg_ctl", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def connection(server):
    psycopg = pytest.importorskip(
        "psycopg", reason="psycopg is not installed: pip install 'bayleaf[postgres]'"
    )
    with psycopg.connect(host=str(server), user="bayleaf", dbname="postgres", autocommit=True) as opened:
        yield opened


@pytest.fixture
def backend(server):
    """The server as ibis knows it, without tables of other tests."""
    ibis = pytest.importorskip("ibis", reason="ibis is not installed: pip install 'bayleaf[postgres]'")
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'bayleaf[postgres]'")
    opened = ibis.postgres.connect(host=str(server), user="bayleaf", database="postgres")
    for name in opened.list_tables():
        opened.drop_table(name)
    yield opened
    opened.disconnect()
