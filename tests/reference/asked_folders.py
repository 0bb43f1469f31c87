"""Folders of tests that are run only when asked for: they need a browser, a server, Spark or the data of papers."""

import pytest


def is_asked_for(folder, arguments, start):
    """Tell whether an argument of pytest, as seen from the folder it was started in, names a folder or lies in it."""
    paths = [(start / argument.split("::")[0]).resolve() for argument in arguments]
    return any(path == folder or folder in path.parents for path in paths)


def leave_unless_asked_for(folder, config, items):
    """Skip the tests of a folder unless it was asked for: tests/conftest.py says at the end how many were left."""
    if not is_asked_for(folder, config.args, config.invocation_params.dir):
        within = f"{folder}/"
        for item in items:
            if str(item.path).startswith(within):
                item.add_marker(pytest.mark.skip(reason=f"left to make test-{folder.name}"))
