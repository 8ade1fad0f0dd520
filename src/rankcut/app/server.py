"""The page on this machine alone: who may ask, and what each address gives.

Everything but the empty page needs a secret. It stands in the address behind ``#``, where no
browser sends it, and comes as a header, which no other page can send.
"""

import asyncio
import re
import secrets
import shutil
import signal
import socket
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from rankcut.app.desk import POLL_SECONDS, Desk, OpenFile
from rankcut.app.reading import EXAMPLES, KEYS, TITLES
from rankcut.pictures.page import page_style, read_file

MOST_BYTES = 256 * 2**20
"""The largest file that is taken: one of 200 MB has room."""

_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_KEYS = {*KEYS, "report", None}

# The parts of each file of the page, which have no data in them.
_PAGE = {
    "/": [(__package__, "app.html")],
    "/app.css": [
        ("rankcut.pictures", "items.css"),
        ("rankcut.report", "report.css"),
        (__package__, "app.css"),
    ],
    "/app.js": [
        ("rankcut.pictures", "page.js"),
        ("rankcut.pictures", "items.js"),
        (__package__, "app.js"),
    ],
}


def why_refused(request: Request, port: int, token: str) -> str:
    """Nothing for who calls this machine by its own name, from this page, and knows the secret."""
    headers, hosts = request.headers, {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
    if headers.get("host") not in hosts:
        return "this page is for 127.0.0.1 alone"
    site, origin = headers.get("sec-fetch-site", "none"), headers.get("origin")
    if site not in ("same-origin", "none") or origin not in {None, *(f"http://{h}" for h in hosts)}:
        return "another page may not ask"
    has_secret = secrets.compare_digest(headers.get("x-token", "").encode(), token.encode())
    free = request.method == "GET" and request.url.path in _PAGE
    return "" if has_secret or free else "open the address that the program printed"


def make_app(port: int, token: str, files: Sequence[str] = ()) -> Starlette:
    """The application, with some files open; nothing is left of them when it ends."""
    desk = Desk()

    @asynccontextmanager
    async def living(app: Any) -> AsyncIterator[None]:
        for name in files:
            desk.open(name)
        yield
        desk.close()

    async def guard(request: Request, answer: Any) -> Response:
        refused = why_refused(request, port, token)
        response = PlainTextResponse(refused, 403) if refused else await answer(request)
        response.headers.update(_HEADERS)
        return response

    def file_of(request: Request) -> OpenFile:
        file = desk.files.get(request.path_params["id"])
        if file is None or request.path_params.get("key") not in _KEYS:
            raise HTTPException(404, "this is not open")
        return file

    async def show(request: Request) -> Response:
        path = request.url.path
        kind = {"/app.css": "text/css", "/app.js": "text/javascript"}.get(path, "text/html")
        content = "".join(read_file(*part) for part in _PAGE[path])
        return Response(page_style() * (kind == "text/css") + content, media_type=kind)

    async def state(request: Request) -> Response:
        files = [file.state() for file in desk.files.values()]
        return JSONResponse({"files": files, "examples": EXAMPLES, "titles": TITLES})

    async def take(request: Request) -> Response:
        name, size = request.query_params.get("name", ""), 0
        if name in EXAMPLES:
            return JSONResponse(desk.open(name))
        # Of a name, what can be seen and is no path.
        folder, name = desk.new_folder(), re.sub(r"[^\w.() -]", "_", name)[-60:]
        name = name if name.strip(". ") else "file"
        try:
            with (folder / "given" / name).open("xb") as sink:
                async for chunk in request.stream():
                    size += len(chunk)
                    if size > MOST_BYTES:
                        raise HTTPException(413, f"files of up to {MOST_BYTES >> 20} MB are taken")
                    sink.write(chunk)
        except BaseException:
            shutil.rmtree(folder)
            raise
        return JSONResponse(desk.open(name, folder))

    async def change(request: Request) -> Response:
        try:
            wanted = await request.json()
            if not {wanted.get("ask"), wanted.get("stop")} <= _KEYS:
                raise ValueError("this is no answer")
            file_of(request).change(wanted)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError) as problem:
            raise HTTPException(400, "this is no choice that the page offers") from problem
        except ValueError as problem:
            raise HTTPException(400, f"this is no choice: {problem}") from problem
        return JSONResponse(None)

    async def close(request: Request) -> Response:
        file_of(request).close()
        return JSONResponse(None)

    async def save(request: Request) -> Response:
        file, key = file_of(request), request.path_params["key"]
        form = request.path_params["form"]
        path = file.folder / f"{key}.{form}"
        while not path.exists():
            # A picture comes after its answer.
            card = {"state": "", "forms": (), **file.cards.get(key, {})}
            if card["state"] not in ("waiting", "working") and form not in card["forms"]:
                raise HTTPException(404, "there is none")
            await asyncio.sleep(POLL_SECONDS)
        return FileResponse(path)

    routes = [
        *(Route(path, show) for path in _PAGE),
        Route("/state", state),
        Route("/files", take, methods=["PUT"]),
        Route("/files/{id}", change, methods=["POST"]),
        Route("/files/{id}", close, methods=["DELETE"]),
        Route("/files/{id}/{key}/{form}", save),
    ]
    guarded = Middleware(BaseHTTPMiddleware, dispatch=guard)
    return Starlette(routes=routes, middleware=[guarded], lifespan=living)


def serve(files: Sequence[str], *, browser: bool = True) -> None:
    """Show the page until the program is interrupted."""
    with socket.socket() as listener, tempfile.TemporaryDirectory(prefix="rankcut-") as folder:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port, token = listener.getsockname()[1], secrets.token_urlsafe(32)
        if hasattr(signal, "SIGHUP"):
            # The terminal was closed.
            signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
        address = f"http://127.0.0.1:{port}/#{token}"
        app = make_app(port, token, files)
        config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
        print(f"Open {address}\nThe page is for you alone; Ctrl-C ends it.", flush=True)
        if browser:
            # Commands can be read by all on the machine: the browser is told to open a file.
            page = Path(folder) / "open.html"
            page.write_text(f'<meta http-equiv="refresh" content="0;url={address}">')
            webbrowser.open(page.as_uri())
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])
