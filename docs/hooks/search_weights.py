"""What the search of the site finds first: guides before the reference, which has every word somewhere."""

from typing import Any

GUIDE, REFERENCE = 2.0, 0.4


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Weigh a page, unless its own front matter says how."""
    boost = REFERENCE if page.file.src_uri.startswith("api/") else GUIDE
    page.meta.setdefault("search", {"boost": boost})
    return markdown
