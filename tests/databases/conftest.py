"""A PostgreSQL server for all tests of this folder."""

from pathlib import Path

import pytest

from reference.asked_folders import leave_unless_asked_for
from reference.postgres_server import running_server, server_programs


def pytest_collection_modifyitems(config, items):
    leave_unless_asked_for(Path(__file__).parent, config, items)


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
