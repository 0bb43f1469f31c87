"""Names and labels as the page shows them."""

from bayleaf.table import Variable

LONGEST = 160


def shorten(label: object, longest: int = LONGEST) -> str:
    """Turn a label into text of bounded length; states are told apart by their position, never by their text.

    Examples
    --------
    >>> shorten("red"), shorten("x" * 1000, longest=5)
    ('red', 'xxxx… (1,000 characters)')
    """
    text = str(label)
    if len(text) <= longest:
        return text
    return f"{text[: longest - 1]}… ({len(text):,} characters)"


def state_labels(variable: Variable) -> list[str]:
    """Labels of a variable's states; intervals in words that need no brackets.

    Examples
    --------
    >>> state_labels(Variable.numeric("age", [18, 65])), state_labels(Variable("sex", ("f", "m")))
    (['≤ 18', '18 – 65', '> 65'], ['f', 'm'])
    >>> state_labels(Variable.numeric("age", []))
    ['any number']
    """
    if variable.cuts is None:
        return [shorten(state) for state in variable.states]
    if not variable.cuts:
        return ["any number"]
    edges = [str(state).strip("([])").split(", ") for state in variable.states]
    inner = [f"{low} – {high}" for low, high in edges[1:-1]]
    return [f"≤ {edges[0][1]}", *inner, f"> {edges[-1][0]}"]


__all__ = ["shorten", "state_labels"]
