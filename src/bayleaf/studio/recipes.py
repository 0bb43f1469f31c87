"""What the studio did, in lines that do the same without it: on the command line, and in Python."""

import shlex
from typing import Any

from .project import Project, Settings, Wish


def command_words(settings: Settings, wishes: list[Wish], model: str) -> list[str]:
    """Return the options of ``bayleaf fit`` that learn a model of these settings."""
    words = ["--target", settings.target or ""]
    if model == "pool":
        words.append("--pool")
        wishes = []
    for name, kind in settings.types.items():
        words += ["--types", f"{quoted(name)}={kind}"]
    if settings.missing != "auto":
        words += ["--missing", settings.missing]
    for name in settings.drop:
        words += ["--drop", quoted(name)]
    if settings.loss:
        words += ["--set", f"loss={settings.loss!r}"]
    for must, option in ((False, "--forbid"), (True, "--require")):
        for wish in wishes:
            if wish.must is must:
                words += [option, quoted(f"{wish.parent}->{wish.child}")]
    if settings.split == "group" and settings.split_column is not None:
        words += ["--groups", settings.split_column]
    if settings.seed:
        words += ["--seed", str(settings.seed)]
    for option in ("delimiter", "decimal", "encoding", "sheet"):
        value = getattr(settings, option)
        if value is not None:
            words += [f"--{option}", value]
    return words


def quoted(name: str) -> str:
    """Return a name as options take it in a list of names.

    Examples
    --------
    >>> quoted("age"), quoted("age, years")
    ('age', '"age, years"')
    """
    plain = not any(mark in name for mark in ',"') and name == name.strip()
    return name if plain else '"' + name.replace('"', '""') + '"'


def command_line(project: Project, settings: Settings, wishes: list[Wish], model: str) -> str:
    """Return the line that learns a model from the table of a project."""
    words = ["bayleaf", "fit", str(project.table_path), *command_words(settings, wishes, model)]
    return shlex.join([*words, "--out", f"{model}.bayleaf.json"])


def python_lines(project: Project, settings: Settings, wishes: list[Wish], model: str) -> str:
    """Return a script that learns a model from the table of a project."""
    given: dict[str, Any] = {"random_state": settings.seed}
    if settings.missing != "auto":
        given["missing"] = settings.missing
    if settings.types:
        given["column_types"] = settings.types
    if settings.loss:
        given["loss"] = settings.loss
    arguments = [f"{name}={value!r}" for name, value in given.items()]
    if model == "pool":
        name = "NetworkPool"
    else:
        name = "BayesNetClassifier"
        arcs = {
            word: [(wish.parent, wish.child) for wish in wishes if wish.must is must]
            for word, must in (("required", True), ("forbidden", False))
        }
        constraints = "".join(f", {word}={found!r}" for word, found in arcs.items() if found)
        if constraints:
            arguments.insert(0, f"bl.TAN(shrunk=True{constraints})")
    reading = {key: value for key, value in settings.reading.items() if value is not None}
    written = [column for column, kind in settings.types.items() if kind == "category"]
    reading |= {key: value for key, value in (("as_text", settings.drop), ("categorical", written)) if value}
    how = "".join(f", {key}={value!r}" for key, value in reading.items())
    together = settings.split_column if settings.split == "group" else None
    left_out = [settings.target, *settings.drop, *([] if together is None else [together])]
    groups = "" if together is None else f", groups=table[{together!r}]"
    lines = [
        "import bayleaf as bl",
        "",
        f"table = bl.tables.read_data({str(project.table_path)!r}{how})",
        f"table = table.filter(table[{settings.target!r}].is_not_null())",
        f"X = table.drop({left_out!r})",
        f"model = bl.{name}({', '.join(arguments)})",
        f"model.fit(X, table[{settings.target!r}]{groups})",
        f'model.save("{model}.bayleaf.json")',
    ]
    return "\n".join(lines) + "\n"
