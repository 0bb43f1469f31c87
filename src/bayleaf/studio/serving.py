"""A service around a model file: rows in, the probability of each class out, both as JSON.

======================  ====================================================================================
``POST /score``         one row, a JSON object by column: {"petal width": 0.2}; absent columns are summed out
``POST /scores``        many rows, a list of such objects
``GET /model``          what is running: file, digest, columns, classes, training rows, versions
``GET /health``         whether it is running
``GET /openapi.json``   all this for machines
======================  ====================================================================================
"""

import asyncio
import hashlib
import os
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

import bayleaf
from bayleaf.data import Variable
from bayleaf.models import load

from .limits import RefusedError, cut, read_body, read_json, refusals

MOST_ROWS = 10_000  # of one request
MOST_BYTES_OF_A_ROW = 2**20
MOST_BYTES = 2**24  # of a batch
# Batches that are in memory at the same time; others wait, in the order in which they came.
MOST_BATCHES = 8


class Scoring:
    """A model file, loaded once: a scorer, and what to say about it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        content = Path(path).read_bytes()
        model: Any = load(path)
        self.scorer = model.scorer()
        self.labels = [str(label) for label in model.classes_]
        self.variables: tuple[Variable, ...] = model.schema_.columns
        self.columns = {variable.name for variable in self.variables}
        self.about = {
            "file": Path(path).name,
            "digest": hashlib.sha256(content).hexdigest()[:12],
            "columns": sorted(self.columns),
            "classes": self.labels,
            "rows": model.training_.rows,
            "date": model.training_.date,
            "learned_with": model.training_.learned_with,
        }

    def row(self, row: Any) -> dict[str, float]:
        """Return the probability of each class; refuse what is no row of this model in one sentence."""
        if not isinstance(row, dict):
            raise ValueError("A row is a JSON object with a value for each column.")
        unknown = row.keys() - self.columns
        if unknown:
            raise ValueError(
                f"The model has no column '{cut(min(unknown))}'; see GET /model for its columns."
            )
        return dict(zip(self.labels, self.scorer(row).tolist(), strict=True))

    def rows(self, body: bytes) -> list[dict[str, float]]:
        """Return the probabilities of a list of rows, of which the first that is wrong is named."""
        rows = read_json(body)
        if not isinstance(rows, list):
            raise ValueError("A batch is a list of JSON objects, one for each row.")
        if len(rows) > MOST_ROWS:
            raise RefusedError(
                413, f"{len(rows):,} rows are more than {MOST_ROWS:,} in one request: send parts."
            )
        answers = []
        for number, row in enumerate(rows, start=1):
            try:
                answers.append(self.row(row))
            except (ValueError, TypeError, OverflowError) as error:
                raise RefusedError(422, f"Row {number:,}: {error}") from None
        return answers

    def openapi(self) -> dict[str, Any]:
        """Describe the service for machines."""
        fields = {variable.name: {"type": _json_types(variable)} for variable in self.variables}
        row = {"type": "object", "properties": fields, "additionalProperties": False}
        answer = {"type": "object", "properties": {label: {"type": "number"} for label in self.labels}}
        refusal = {"type": "object", "properties": {"detail": {"type": "string"}}}
        batch = {"type": "array", "items": row, "maxItems": MOST_ROWS}
        return {
            "openapi": "3.1.0",
            "info": {"title": f"bayleaf: {self.about['file']}", "version": self.about["digest"]},
            "paths": {
                "/score": {"post": _operation("Score one row", row, answer, refusal)},
                "/scores": {
                    "post": _operation("Score rows", batch, {"type": "array", "items": answer}, refusal)
                },
                "/model": {"get": _operation("Describe the model", None, {"type": "object"}, refusal)},
                "/health": {"get": _operation("Say that it is running", None, {"type": "object"}, refusal)},
            },
        }


def _json_types(variable: Variable) -> list[str]:
    """Name the types of JSON that a column may have."""
    by_dtype = {"string": ["string"], "boolean": ["boolean"]}
    if variable.dtype in ("integer", "float"):
        return ["number", "string", "null"] if variable.reading is not None else ["number", "null"]
    return [*by_dtype.get(variable.dtype, ["string", "number", "boolean"]), "null"]


def _operation(
    summary: str, body: dict[str, Any] | None, answer: dict[str, Any], refusal: dict[str, Any]
) -> dict[str, Any]:
    def content(description: str, schema: dict[str, Any]) -> dict[str, Any]:
        return {"description": description, "content": {"application/json": {"schema": schema}}}

    responses = {"200": content("The answer", answer)}
    if body is None:
        return {"summary": summary, "responses": responses}
    for status, why in (("408", "It came too slowly"), ("413", "It is too large"), ("422", "It is wrong")):
        responses[status] = content(why, refusal)
    request = {"required": True, "content": {"application/json": {"schema": body}}}
    return {"summary": summary, "requestBody": request, "responses": responses}


def scoring_app(path: str | os.PathLike[str]) -> Starlette:
    """Make the service for a model file; a file that is damaged is refused here, before any request.

    ``bayleaf serve`` runs it, and so does any server of ASGI applications.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import bayleaf as bl
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "m.bayleaf.json"
    >>> bl.BayesNetClassifier().fit([["a", 1], ["b", 2], ["b", 3]], ["no", "yes", "yes"]).save(path)
    >>> sorted(route.path for route in scoring_app(path).routes)
    ['/health', '/model', '/openapi.json', '/score', '/scores']
    """
    scoring = Scoring(path)
    headers = {"X-Model": str(scoring.about["digest"])}
    places = asyncio.Semaphore(MOST_BATCHES)

    async def score(request: Request) -> JSONResponse:
        row = read_json(await read_body(request, MOST_BYTES_OF_A_ROW))
        return JSONResponse(scoring.row(row), headers=headers)

    async def scores(request: Request) -> JSONResponse:
        async with places:
            body = await read_body(request, MOST_BYTES)
            # In a thread: single rows are answered meanwhile.
            return JSONResponse(await run_in_threadpool(scoring.rows, body), headers=headers)

    async def model(request: Request) -> JSONResponse:
        return JSONResponse(scoring.about, headers=headers)

    async def health(request: Request) -> JSONResponse:
        about = {"status": "ok", "model": scoring.about["digest"], "bayleaf": bayleaf.__version__}
        return JSONResponse(about, headers=headers)

    async def openapi(request: Request) -> JSONResponse:
        return JSONResponse(scoring.openapi(), headers=headers)

    routes = [
        Route("/score", score, methods=["POST"]),  # the first, since most requests are for it
        Route("/scores", scores, methods=["POST"]),
        Route("/model", model, methods=["GET"]),
        Route("/health", health, methods=["GET"]),
        Route("/openapi.json", openapi, methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers=refusals(headers))
