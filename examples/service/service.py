"""A scoring service around a model file.

pip install bayleaf fastapi "uvicorn[standard]"
BAYLEAF_MODEL=iris.bayleaf.json uvicorn service:app --no-access-log

POST /score    one row, a JSON object by column: {"petal width": 0.2}; absent columns are summed out
POST /scores   many rows, a list of such objects
GET  /model    what is running: file, digest, columns, classes, training rows, versions
"""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from starlette.routing import Route

import bayleaf as bl

MOST_ROWS = 10_000  # of one request


class Scoring:
    """A model file, loaded once: a scorer, and what to say about it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        model: Any = bl.load(path)
        self.scorer = model.scorer()
        self.labels = [str(label) for label in model.classes_]
        self.columns = {variable.name for variable in model.schema_.columns}
        self.about = {
            "file": Path(path).name,
            "digest": hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12],
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
            raise ValueError(f"The model has no column {min(unknown)!r}; see GET /model for its columns.")
        return dict(zip(self.labels, self.scorer(row).tolist(), strict=True))


def create_app(path: str | os.PathLike[str]) -> FastAPI:
    """Make the service for a model file; a file that is damaged is refused here, before any request."""
    scoring = Scoring(path)
    headers = {"X-Model": scoring.about["digest"]}

    # The body is read by hand: rows differ from model to model, and the scorer checks each value anyway. As a plain
    # route, and the first, this takes half the time of a function with parameters.
    async def score(request: Request) -> JSONResponse:
        return JSONResponse(scoring.row(json.loads(await request.body())), headers=headers)

    app = FastAPI(title="bayleaf", routes=[Route("/score", score, methods=["POST"])])

    @app.get("/model")
    async def model() -> Any:
        return scoring.about

    # Not async: a large batch runs in a thread, and single rows are answered meanwhile.
    @app.post("/scores")
    def scores(rows: list[Any]) -> JSONResponse:
        if len(rows) > MOST_ROWS:
            raise ValueError(f"{len(rows):,} rows are more than {MOST_ROWS:,} in one request: send parts.")
        return JSONResponse([scoring.row(row) for row in rows], headers=headers)

    # bayleaf refuses input by ValueError or TypeError; broken JSON is a ValueError too.
    @app.exception_handler(ValueError)
    @app.exception_handler(TypeError)
    @app.exception_handler(RecursionError)
    async def refuse(request: Request, error: Exception) -> JSONResponse:
        broken = isinstance(error, json.JSONDecodeError | UnicodeDecodeError | RecursionError)
        sentence = f"The request is no JSON: {error}." if broken else str(error)
        return JSONResponse({"detail": sentence}, status_code=422, headers=headers)

    return app


if "BAYLEAF_MODEL" in os.environ:
    app = create_app(os.environ["BAYLEAF_MODEL"])
