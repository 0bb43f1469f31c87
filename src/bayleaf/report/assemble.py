"""Put the page together: one HTML file from the readable parts in ``page/``, with the data inside.

The scripts are ordinary modules that import one another. In the page they follow one another in one script, in order
of dependence, each in a function of its own that returns what the module exports. A content security policy admits
only this script and this style sheet (by their hashes) and no network access at all, so that nothing in the data can
run or call home.
"""

import base64
import hashlib
import json
import re
from importlib.resources import files
from typing import Any

# In order of dependence: each imports only from those before it.
SCRIPTS = (
    "dom.js",
    "model.js",
    "junction.js",
    "council.js",
    "reasons.js",
    "state.js",
    "charts.js",
    "whatif.js",
    "decision.js",
    "details.js",
    "viewport.js",
    "graph.js",
    "why.js",
    "quality.js",
    "learned.js",
    "main.js",
)
STYLES = ("base.css", "views.css", "print.css")


def assemble_page(data: dict[str, Any]) -> str:
    """Return the page for this data as HTML text."""
    script = "\n".join(_plain_script(name) for name in SCRIPTS)
    style = "\n".join(_part(name) for name in STYLES)
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    # Each mark is replaced in the template alone, never in text that was put in before.
    fillings = {"policy": policy, "style": style, "data": safe_json(data), "script": script}
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: fillings[mark.group(1)], _part("index.html"))


def safe_json(data: Any) -> str:
    r"""Write JSON that can stand inside a script element: no character of it can end or open one.

    Examples
    --------
    >>> safe_json({"name": "</script><!--"})
    '{"name":"\\u003c/script\\u003e\\u003c!--"}'
    """
    # ASCII only, which covers the line separators U+2028 and U+2029 too.
    text = json.dumps(_finite(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _finite(value: Any) -> Any:
    """Replace what JSON has no word for (NaN and infinities) by null."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value


def _plain_script(name: str) -> str:
    """Wrap a module in a function of its own that returns what the module exports."""
    source = _part(name)
    exported = re.findall(r"^export (?:function\*?|const|class) (\w+)", source, flags=re.MULTILINE)
    body = re.sub(r"^import [^;]*;\n", "", source, flags=re.MULTILINE)
    body = re.sub(r"^export (?=(function|const|class)\b)", "", body, flags=re.MULTILINE)
    names = ", ".join(exported)
    if not exported:
        return f"// ---- {name} ----\n{{\n{body}}}\n"
    return f"// ---- {name} ----\nconst {{ {names} }} = (() => {{\n{body}return {{ {names} }};\n}})();\n"


def _part(name: str) -> str:
    return (files("bayleaf.report") / "page" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


__all__ = ["SCRIPTS", "STYLES", "assemble_page", "safe_json"]
