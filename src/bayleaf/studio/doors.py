"""Who may talk to the studio: the browser that was given the first address, from the studio's own page.

==============================  ==============================================================================
attack                          what stops it
==============================  ==============================================================================
another machine                 the door is on 127.0.0.1
another user or program         the token of the first address, then a cookie; neither can be guessed
a page of another site          the cookie is SameSite=Strict, and Origin and Sec-Fetch-Site are checked
a name that leads here          Host must be this machine's own (DNS rebinding)
a page of another local port    the same site to a browser: Origin and Sec-Fetch-Site tell it apart
text of the data as a program   a content security policy: only the studio's own files run, nothing is fetched
a project of someone else       its model pages are shown as if they came from another site (sandbox)
==============================  ==============================================================================
"""

import secrets
from typing import Any
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, RedirectResponse, Response

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob:; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A model page has a policy of its own. As it may come from someone else's project, it is kept apart as well: it sees
# nothing of the studio around it, as if it came from another site.
PAGE_POLICY = "sandbox allow-scripts allow-downloads allow-modals; connect-src 'none'; frame-ancestors 'self'"
SAFE = ("GET", "HEAD")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """An application behind a door: requests that are not from the studio's own page are refused.

    Parameters
    ----------
    app : ASGI application
    port : int
        Where the door is.
    """

    def __init__(self, app: Any, port: int) -> None:
        self.app = app
        self.port = port
        self.token = secrets.token_urlsafe(32)
        self._pass = secrets.token_urlsafe(32)  # what the cookie holds: the token may be seen in a history
        self._cookie = f"bayleaf-studio-{port}"
        self._hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    @property
    def first_address(self) -> str:
        """Return the address to open: whoever has it may enter."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_safely(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", POLICY)
            await send(message)

        headers = Headers(scope=scope)
        answer = self._refusal(scope, headers) or self._welcome(scope)
        if answer is None and not self._has_pass(headers):
            answer = refused("Open the address that 'bayleaf studio' printed: it lets this browser in.")
        await (self.app if answer is None else answer)(scope, receive, send_safely)

    def _refusal(self, scope: Any, headers: Headers) -> Response | None:
        """Refuse what does not come from a page of this door."""
        if headers.get("host") not in self._hosts:
            return refused("The studio answers to 127.0.0.1 and localhost alone.")
        origin = headers.get("origin")
        own = origin in tuple(f"http://{host}" for host in self._hosts)
        if (origin is not None or scope["method"] not in SAFE) and not own:
            return refused("Only the studio's own page may ask this.")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return refused("Only the studio's own page may ask this.")
        return None

    def _welcome(self, scope: Any) -> Response | None:
        """Let a browser in that has the token, and lead it to an address without."""
        if scope["path"] != "/" or scope["method"] not in SAFE:
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return None
        answer = RedirectResponse("/", status_code=303)
        answer.set_cookie(self._cookie, self._pass, httponly=True, samesite="strict", path="/")
        return answer

    def _has_pass(self, headers: Headers) -> bool:
        cookies = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        return any(
            name == self._cookie and secrets.compare_digest(value.encode(), self._pass.encode())
            for name, _, value in cookies
        )


def refused(sentence: str) -> Response:
    """Return the answer to those who may not enter."""
    return JSONResponse({"detail": sentence}, status_code=403)
