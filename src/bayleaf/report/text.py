"""Names and labels as the page shows them."""

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


__all__ = ["shorten"]
