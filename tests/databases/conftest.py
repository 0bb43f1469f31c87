"""A PostgreSQL server for all tests of this folder."""

from pathlib import Path

import pytest

from reference.postgres_server import running_server, server_programs


def pytest_collection_modifyitems(config, items):
    """Run only when asked for: tests/conftest.py says at the end how many were left."""
    if not any("databases" in argument for argument in config.args):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="left to make test-databases"))


@pytest.fixture(scope="session")
def server():
    """The folder of the socket of a server that runs as long as the tests."""
    programs = server_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL server: apt-get install postgresql")
    with running_server(programs) as folder:
        yield folder


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
