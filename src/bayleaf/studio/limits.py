"""What a server bears: bodies of bounded size, clients that keep up, and one sentence for whatever is refused."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import uvicorn
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from bayleaf._util.machine import format_bytes
from bayleaf._util.words import shortened

HEAD_SECONDS = 10.0  # to send the head of a request, from the opening of the connection or the last answer
BODY_SECONDS = 20.0  # to send the body of a request that is kept in memory
PART_SECONDS = 30.0  # to send the next part of a file
MOST_CONNECTIONS = 1000  # at once; others get status 503
MOST_NAME = 60  # characters of a name in a message


class RefusedError(Exception):
    """A request that is not answered: the status, and a sentence that says why."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def cut(name: object) -> str:
    """Return a name for a message: of a long one the beginning.

    Examples
    --------
    >>> cut("petal width"), len(cut("x" * 5000))
    ('petal width', 60)
    """
    text = str(name)
    return text if len(text) <= MOST_NAME else f"{text[: MOST_NAME - 3]}..."


async def read_body(request: Request, most: int, seconds: float = BODY_SECONDS) -> bytes:
    """Return the body of a request, which must be small and come soon."""
    try:
        async with asyncio.timeout(seconds):
            return b"".join([part async for part in bounded_parts(request, most)])
    except TimeoutError:
        raise RefusedError(408, f"The request did not arrive within {seconds:g} seconds.") from None


async def bounded_parts(request: Request, most: int) -> AsyncIterator[bytes]:
    """Pass the parts of a body on as they come; stop where they are too many, or do not come."""
    too_large = RefusedError(413, f"The request is larger than {format_bytes(most)}, the most that is taken.")
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > most:
        raise too_large
    size, parts = 0, request.stream()
    while True:
        try:
            async with asyncio.timeout(PART_SECONDS):
                part = await anext(parts, None)
        except TimeoutError:
            raise RefusedError(408, f"Nothing arrived for {PART_SECONDS:g} seconds.") from None
        if part is None:
            return
        size += len(part)
        if size > most:
            raise too_large
        yield part


def read_json(body: bytes) -> Any:
    """Read the JSON of a body, or say why it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:  # also numbers with thousands of digits
        raise RefusedError(422, f"The request is no JSON: {_sentence(error)}") from None


def _sentence(error: BaseException) -> str:
    text = shortened(" ".join(str(error).split())) or type(error).__name__
    return text if text.endswith((".", "?", "!")) else f"{text}."


def refusals(headers: Mapping[str, str]) -> dict[Any, Callable[[Request, Exception], Any]]:
    """Return the handlers that turn errors into answers: bayleaf refuses input by ValueError or TypeError."""

    async def answer(request: Request, error: Exception) -> Response:
        status = error.status if isinstance(error, RefusedError) else 422
        return JSONResponse({"detail": _sentence(error)}, status_code=status, headers=dict(headers))

    async def gone(request: Request, error: Exception) -> Response:
        return Response(status_code=400)

    kinds = (RefusedError, ValueError, TypeError, OverflowError, RecursionError, OSError, ImportError)
    return {ClientDisconnect: gone, **dict.fromkeys(kinds, answer)}


class PromptProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """A connection that is closed where the head of a request does not arrive in time.

    uvicorn itself waits for it as long as the client likes.
    """

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Start to wait for the first request."""
        super().connection_made(transport)
        self._wait(transport)

    def data_received(self, data: bytes) -> None:
        """Wait on as long as no request is complete to its head."""
        super().data_received(data)
        if self.cycle is None or self.cycle.response_complete:
            self._wait(self.transport)
        else:
            self._stop_waiting()

    def connection_lost(self, error: Exception | None) -> None:
        """Wait no longer."""
        self._stop_waiting()
        super().connection_lost(error)

    def _wait(self, transport: Any) -> None:
        if self._waiting is None:
            self._waiting = asyncio.get_running_loop().call_later(HEAD_SECONDS, transport.close)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None


def listen(host: str, port: int) -> socket.socket:
    """Open the door: port 0 is any that is free."""
    try:
        return socket.create_server((host, port), backlog=2048)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"Cannot listen on {host}, port {port} ({reason}): give another --port.") from None


def server_of(app: Any) -> uvicorn.Server:
    """Return what answers for an application; requests are not logged."""
    config = uvicorn.Config(
        app,
        http=PromptProtocol,
        ws="none",
        lifespan="on",
        access_log=False,
        log_level="error",
        server_header=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=1,
        backlog=2048,
    )
    return uvicorn.Server(config)
