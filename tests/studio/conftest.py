"""A server on a free port, in a thread of this process."""

import threading
import time
from contextlib import contextmanager

import pytest

pytest.importorskip("uvicorn")
from bayleaf.studio.limits import listen, server_of


@contextmanager
def running(app, door=None):
    """Run an application as the commands do, and say at which port."""
    door = listen("127.0.0.1", 0) if door is None else door
    server = server_of(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield door.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()
