"""One module imports the native core; every other import of the package by its lower layers is a design error."""

import ast
from pathlib import Path

import bayleaf

PACKAGE = Path(bayleaf.__file__).parent


def test_only_one_module_takes_the_core_from_the_package():
    found = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text()
        for node in ast.walk(ast.parse(text)) if "from bayleaf import" in text else ():
            if isinstance(node, ast.ImportFrom) and node.module == "bayleaf":
                found |= {(path.relative_to(PACKAGE).as_posix(), alias.name) for alias in node.names}
    below_the_command_line = {pair for pair in found if not pair[0].startswith(("cli/", "__main__"))}
    assert below_the_command_line == {("_native.py", "_core")}
