"""Put live model pages on the site: written when it is built, never committed.

A line ``<!-- live: NAME -->`` of a Markdown page becomes that model page in a frame;
``<!-- live: NAME at why -->`` opens it at that view, and ``<!-- live: NAME small -->`` is a small picture of it that
leads there. Names are those of `live_models`.
"""

import re
from functools import cache
from html import escape
from typing import Any

from live_models import LIVE, Live

MARK = re.compile(r"^<!-- live: ([\w-]+)( small| at \w+)? -->$", re.MULTILINE)
FOLDER = "live"


@cache  # mkdocs serve builds again and again
def made(name: str) -> tuple[Live, str]:
    """Return a model and the text of its page."""
    live = LIVE[name]()
    return live, live.html()


def frame(address: str, title: str, *, small: bool) -> str:
    """Return a frame for a page, and a link that opens it alone."""
    source, shown = escape(address), escape(title)
    if small:
        return (
            f'<div class="live-small"><iframe src="{source}" title="{shown}" loading="lazy" tabindex="-1"></iframe>'
            f'<a href="{source}" aria-label="Open the page: {shown}"></a></div>\n'
        )
    return (
        f'<iframe class="live" src="{source}" title="{shown}" loading="lazy"></iframe>\n'
        f'<p class="live-open"><a href="{source}">Open the page alone</a></p>\n'
    )


def at_view(address: str, how: str) -> str:
    """Return the part of an address that opens the same case at another view.

    >>> at_view("#why;row=3", " at quality"), at_view("", " at quality"), at_view("#why;row=3", "")
    ('#quality;row=3', '#quality', '#why;row=3')
    """
    if not how.startswith(" at "):
        return address
    _, *rest = address.removeprefix("#").split(";")
    return "#" + ";".join([how.removeprefix(" at "), *rest])


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to the files of the site."""
    from mkdocs.structure.files import File

    for name in LIVE:
        files.append(File.generated(config, f"{FOLDER}/{name}.html", content=made(name)[1]))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Replace the marks of a page by frames."""

    def framed(mark: re.Match[str]) -> str:
        name, how = mark.groups()
        live, _ = made(name)
        place = files.get_file_from_path(f"{FOLDER}/{name}.html").url_relative_to(page.file)
        title = live.title or live.model.meaning_.title
        return frame(place + at_view(live.address, how or ""), title, small=how == " small")

    return MARK.sub(framed, markdown)
