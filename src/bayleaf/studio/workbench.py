"""The studio's routes: what the page asks for, and what the server does about it.

The server reads tables, learns in a process of its own, and scores files; networks are asked in the browser. Whatever
is decided is in the project before it is answered, and `announce` tells every open page to look again.
"""

import asyncio
import json
import os
import secrets
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict
from importlib import import_module
from importlib.resources import files
from itertools import count
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from .doors import PAGE_POLICY
from .limits import RefusedError, bounded_parts, read_body, read_json, refusals
from .project import MODELS, Project, Settings, Wish, uploaded_name

MOST_BYTES = 2**20  # of a request that is no file
MOST_UPLOAD = 2**31
MOST_SHOWN = 200  # rows of predictions
MOST_WISHES = 1000
LOOK_SECONDS = 0.25  # between looks at whether the studio ends
HEARTBEAT = 60  # looks after which an open page hears that the studio is there
MEDIA = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


class Workbench:
    """A project, what is being learned, and the pages that are open."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.running: dict[str, Any] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._pages: set[asyncio.Queue[str]] = set()
        self._table: tuple[str, Any] | None = None  # of which settings, and how its columns are read
        self._reading = asyncio.Lock()
        self.leaving: Callable[[], bool] = lambda: False  # whether the server is about to end
        self.rows: tuple[str, Path] | None = None  # a table to score: its name, and where it is

    def state(self) -> dict[str, Any]:
        """Return everything that a page shows but the table."""
        project, data = self.project, self.project.data
        return {
            "name": project.name,
            "folder": str(project.folder),
            "data": None if data is None else asdict(data),
            "settings": asdict(project.settings),
            "wishes": [asdict(wish) for wish in project.wishes],
            "versions": [project.version(number) for number in project.version_numbers()],
            "running": self.running,
        }

    def announce(self) -> None:
        """Tell every open page that something has changed."""
        for page in self._pages:
            if page.empty():
                page.put_nowait("state")

    async def events(self) -> AsyncIterator[str]:
        """Tell a page of changes, until it is closed."""
        page: asyncio.Queue[str] = asyncio.Queue()
        self._pages.add(page)
        try:
            yield "event: state\ndata: {}\n\n"
            for look in count(1):
                if self.leaving():
                    return
                try:
                    async with asyncio.timeout(LOOK_SECONDS):
                        await page.get()
                    yield "event: state\ndata: {}\n\n"
                except TimeoutError:
                    if look % HEARTBEAT == 0:
                        yield ": still here\n\n"
        finally:
            self._pages.discard(page)

    async def table(self) -> Any:
        """Return how the columns are read; once for the same settings."""
        settings, data = self.project.settings, self.project.data
        key = json.dumps([asdict(settings), None if data is None else data.sha256])
        async with self._reading:
            if self._table is None or self._table[0] != key:
                from .looking import table_data

                self._table = key, await run_in_threadpool(table_data, self.project)
            return self._table[1]

    async def learn(self, number: int | None) -> None:
        """Begin a version, or go on with one that was stopped."""
        if self.running is not None:
            raise RefusedError(409, "Something is being learned already: stop it first.")
        if number is None:
            self._check_question()
            number = self.project.new_version()
        elif self.project.result(number)["done"]:
            raise RefusedError(409, "This version is done: learn a new one.")
        self.running = {"number": number, "stage": "Starting"}
        try:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bayleaf.studio.learning", str(self.project.folder), str(number)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=None if os.environ.get("BAYLEAF_DEBUG") else asyncio.subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the server, which then stops it
            )
        except BaseException:
            self.running = None
            raise
        self._watch = asyncio.create_task(self._follow(self._process, number))
        self.announce()

    def _check_question(self) -> None:
        settings = self.project.settings
        _ = self.project.table_path
        if settings.target is None:
            raise ValueError("There is no target yet: choose one under Question.")
        ends = {end for wish in self.project.wishes for end in (wish.parent, wish.child)}
        gone = sorted(ends & {settings.target, *settings.drop})
        if gone:
            raise ValueError(f"A wish names '{gone[0]}', which is no feature now: take the wish back.")

    async def _follow(self, process: asyncio.subprocess.Process, number: int) -> None:
        """Pass the progress of a process on until it ends."""
        assert process.stdout is not None
        error = None
        async for line in process.stdout:
            event = json.loads(line)
            error = event.get("error", error)
            if "stage" in event and self.running is not None:
                self.running = {**self.running, "stage": event["stage"]}
            self.announce()
        code = await process.wait()
        if error is None and code > 0:
            error = f"Learning ended unexpectedly (exit code {code})."
        if error is not None:
            self.project.write_result(number, {**self.project.result(number), "error": error})
        self.running = self._process = None
        self.announce()

    async def stop(self) -> None:
        """End what is being learned; what was finished stays."""
        process, watch = self._process, self._watch
        if process is None or watch is None:
            return
        try:
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)  # it leads a group of its own
            else:
                process.kill()
        except ProcessLookupError:
            pass
        await watch

    async def take(self, request: Request, stem: str) -> tuple[str, Path]:
        """Stream a file into the folder of the project, and return its name and where it is."""
        name, file = uploaded_name(request.query_params.get("name", ""), stem)
        folder = self.project.folder
        folder.mkdir(parents=True, exist_ok=True)
        declared = request.headers.get("content-length", "")
        size = int(declared) if declared.isdigit() else 0
        if size > shutil.disk_usage(folder).free:
            raise RefusedError(507, "There is not enough room on the disk for this file.")
        incoming = folder / f".incoming-{secrets.token_hex(8)}"
        try:
            with open(incoming, "xb") as opened:
                async for part in bounded_parts(request, MOST_UPLOAD):
                    await run_in_threadpool(opened.write, part)
                if opened.tell() == 0:
                    raise ValueError(f"'{name}' is empty.")
            place = self.project.free_path(file)
            incoming.replace(place)
        finally:
            incoming.unlink(missing_ok=True)
        return name, place

    async def score(self, number: int, model: str) -> dict[str, Any]:
        """Score the rows that were uploaded by ``bayleaf predict``, and return the first predictions."""
        if self.rows is None:
            raise ValueError("There are no rows to score yet: drop a file first.")
        model_file = model_path(self.project, number, model, "bayleaf.json")
        result = self.project.folder / "scored.csv"
        words = ["predict", str(model_file), str(self.rows[1]), "--out", str(result), "--spreadsheet"]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bayleaf", *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "TERM": "dumb", "NO_COLOR": "1"},
        )
        said = (await process.communicate())[1].decode("utf-8", "replace").splitlines()
        errors = [line.removeprefix("Error: ") for line in said if line.startswith("Error: ")]
        if process.returncode:
            raise ValueError(errors[0] if errors else "The file could not be scored.")
        head, rows = await run_in_threadpool(first_lines, result)
        return {"columns": head[0], "lines": head[1:], "rows": rows, "notes": said[:10]}


def first_lines(path: Path) -> tuple[list[list[str]], int]:
    """Return the first lines of a table of predictions with its names, and how many rows it has."""
    from bayleaf._util.optional import polars as pl

    frame = pl.read_csv(path, infer_schema=False)
    return [frame.columns, *map(list, frame.head(MOST_SHOWN).iter_rows())], frame.height


def model_path(project: Project, number: int, model: str, ending: str) -> Path:
    """Return a file of a model that exists."""
    if model not in MODELS:
        raise RefusedError(404, "There is no such model.")
    path = project.version_folder(number) / f"{model}.{ending}"
    if not path.exists():
        raise RefusedError(404, "This model has not been learned yet.")
    return path


def rows_report(model_file: Path, rows: Path) -> dict[str, Any]:
    """Say how the columns of a table are read for a model."""
    import bayleaf
    from bayleaf.tables import read_data

    from .looking import reading_report

    model: Any = bayleaf.load(model_file)
    texts = [variable.name for variable in model.schema_.columns if variable.dtype == "string"]
    frame = read_data(rows, as_text=texts)
    report = reading_report(model, frame)
    used = {line["column"] for line in report}
    return {
        "rows": frame.height,
        "columns": report,
        "ignored": [c for c in frame.columns if c not in used][:50],
    }


def import_model(project: Project, path: Path) -> None:
    """Make a model file the first version of an empty project."""
    import bayleaf
    from bayleaf._util.whole_files import atomic_write
    from bayleaf.classify import NetworkPool
    from bayleaf.page.assemble import assemble_page, page_data

    if project.version_numbers():
        return
    model: Any = bayleaf.load(path)
    project.save()
    number = project.new_version()
    kind = "pool" if isinstance(model, NetworkPool) else "network"
    folder = project.version_folder(number)
    shutil.copyfile(path, folder / f"{kind}.bayleaf.json")
    with atomic_write(folder / f"{kind}.html") as file:
        file.write(assemble_page(page_data(model)))
    project.write_result(number, {"methods": {}, "done": True, "error": None, "opened": path.name})
    project.change_version(number, name=path.name)


def asset_routes() -> list[Route]:
    """Return the studio's own files and those of the model page; no request ever becomes a path."""
    routes = []
    for package, place in (("bayleaf.studio", "/studio"), ("bayleaf.page", "/page")):
        for file in (files(package) / "assets").iterdir():
            suffix = Path(file.name).suffix
            if suffix in MEDIA:
                path = str(file)

                async def send(request: Request, path: str = path, media: str = MEDIA[suffix]) -> Response:
                    return FileResponse(path, media_type=media)

                routes.append(Route(f"{place}/{file.name}", send, methods=["GET"]))
    return routes


def studio_app(bench: Workbench) -> Starlette:
    """Make the application of a workbench; `bayleaf.studio.doors.Guard` must stand before it."""
    project = bench.project
    index = (files("bayleaf.studio") / "assets" / "index.html").read_bytes()

    async def body_of(request: Request) -> dict[str, Any]:
        given = read_json(await read_body(request, MOST_BYTES))
        if not isinstance(given, dict):
            raise ValueError("The request is a JSON object.")
        return given

    def changing(act: Callable[[Request], Awaitable[None]]) -> Callable[[Request], Awaitable[Response]]:
        """Answer with the state after a change, and tell other pages of it."""

        async def answer(request: Request) -> Response:
            await act(request)
            bench.announce()
            return JSONResponse(bench.state())

        return answer

    async def page(request: Request) -> Response:
        return Response(index, media_type="text/html")

    async def state(request: Request) -> Response:
        return JSONResponse(bench.state())

    async def events(request: Request) -> Response:
        return StreamingResponse(bench.events(), media_type="text/event-stream")

    async def table(request: Request) -> Response:
        return JSONResponse(await bench.table())

    async def data(request: Request) -> None:
        if bench.running is not None:
            raise RefusedError(409, "Something is being learned from the table: stop it first.")
        name, place = await bench.take(request, "data")
        await run_in_threadpool(project.use, place, name)

    async def settings(request: Request) -> None:
        project.change(Settings.of(await body_of(request)))

    async def wishes(request: Request) -> None:
        given = (await body_of(request)).get("wishes")
        if not isinstance(given, list) or len(given) > MOST_WISHES:
            raise ValueError(f"wishes is a list of at most {MOST_WISHES:,} arcs.")
        read = [Wish.of(each) for each in given]
        arcs = [(wish.parent, wish.child) for wish in read]
        if len(set(arcs)) < len(arcs):
            raise ValueError("There are two wishes for the same arc: take one back.")
        project.wishes = read
        project.save()

    async def learn(request: Request) -> None:
        number = (await body_of(request)).get("version")
        await bench.learn(None if number is None else int(number))

    async def stop(request: Request) -> None:
        await bench.stop()

    async def rename(request: Request) -> None:
        given = await body_of(request)
        number = request.path_params["number"]
        project.change_version(number, name=given.get("name"), looked=given.get("looked") is True)

    async def model_page(request: Request) -> Response:
        path = model_path(project, request.path_params["number"], request.path_params["model"], "html")
        download = path.name if "download" in request.query_params else None
        headers = {"Content-Security-Policy": PAGE_POLICY}
        return FileResponse(path, media_type="text/html", headers=headers, filename=download)

    async def model_file(request: Request) -> Response:
        path = model_path(
            project, request.path_params["number"], request.path_params["model"], "bayleaf.json"
        )
        return FileResponse(path, media_type="application/json", filename=path.name)

    async def recipe(request: Request) -> Response:
        from .recipes import command_line, python_lines

        number, model = request.path_params["number"], request.path_params["model"]
        about = project.version(number)
        model_path(project, number, model, "bayleaf.json")
        if project.data is None or about["data"] != project.data.sha256:
            raise RefusedError(409, "This version was learned from another table.")
        given = Settings.of(about["settings"]), [Wish.of(each) for each in about["wishes"]]
        lines = {
            name: f(project, *given, model)
            for name, f in (("python", python_lines), ("command", command_line))
        }
        return JSONResponse(lines)

    async def rows(request: Request) -> Response:
        if "name" in request.query_params:
            bench.rows = await bench.take(request, "rows")
        if bench.rows is None:
            raise ValueError("There are no rows to score yet: drop a file first.")
        number, model = request.path_params["number"], request.path_params["model"]
        report = await run_in_threadpool(
            rows_report, model_path(project, number, model, "bayleaf.json"), bench.rows[1]
        )
        return JSONResponse({"name": bench.rows[0], **report})

    async def score(request: Request) -> Response:
        return JSONResponse(await bench.score(request.path_params["number"], request.path_params["model"]))

    async def scored(request: Request) -> Response:
        path = project.folder / "scored.csv"
        if not path.exists():
            raise RefusedError(404, "No rows have been scored yet.")
        return FileResponse(path, media_type="text/csv", filename="predictions.csv")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        warming = asyncio.create_task(run_in_threadpool(import_module, "bayleaf.studio.looking"))
        yield
        await bench.stop()
        await warming

    a_model = "/versions/{number:int}/{model:str}"
    routes = [
        Route("/", page, methods=["GET"]),
        Route("/state", state, methods=["GET"]),
        Route("/events", events, methods=["GET"]),
        Route("/table", table, methods=["GET"]),
        Route("/data", changing(data), methods=["PUT"]),
        Route("/settings", changing(settings), methods=["PUT"]),
        Route("/wishes", changing(wishes), methods=["PUT"]),
        Route("/learn", changing(learn), methods=["POST"]),
        Route("/stop", changing(stop), methods=["POST"]),
        Route("/versions/{number:int}", changing(rename), methods=["PUT"]),
        Route(f"{a_model}/page", model_page, methods=["GET"]),
        Route(f"{a_model}/file", model_file, methods=["GET"]),
        Route(f"{a_model}/recipe", recipe, methods=["GET"]),
        Route(f"{a_model}/rows", rows, methods=["PUT"]),
        Route(f"{a_model}/score", score, methods=["POST"]),
        Route("/scored.csv", scored, methods=["GET"]),
        *asset_routes(),
    ]
    return Starlette(routes=routes, exception_handlers=refusals({}), lifespan=lifespan)
