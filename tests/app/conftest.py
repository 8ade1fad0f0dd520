"""The page that opens files, on a port of its own."""

import http.client
import json
import secrets
import socket
import threading
import time
from urllib.parse import quote

import pytest

uvicorn = pytest.importorskip("uvicorn")

PATIENCE = 300


class Client:
    """Asks the page as its script does."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.address = f"http://127.0.0.1:{port}/#{token}"

    def ask(self, path, method="GET", body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        known = {"X-Token": self.token} | {n.replace("_", "-"): v for n, v in headers.items()}
        connection.request(method, path, body, {n: v for n, v in known.items() if v is not None})
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content, answer.headers

    def read(self, path, method="GET", body=None):
        status, content, _ = self.ask(path, method, body)
        assert status == 200, content
        return json.loads(content)

    def open(self, name, content=None):
        if content is None:
            return self.read(f"/files?name={name}", "PUT")
        data = content.encode() if isinstance(content, str) else content
        return self.read(f"/files?name={quote(name)}", "PUT", data)

    def change(self, key, **wanted):
        self.read(f"/files/{key}", "POST", json.dumps(wanted))

    def state(self, key):
        return next(file for file in self.read("/state")["files"] if file["id"] == key)

    def wait(self, key, is_it):
        """The state of a file once something holds."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            state = self.state(key)
            if state["about"] and is_it(state):
                return state
            time.sleep(0.05)
        raise TimeoutError(state)


@pytest.fixture(scope="module")
def client():
    """A page that runs in this process, and ends with the tests of a module."""
    from rankcut.app.server import make_app

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    port, token = listener.getsockname()[1], secrets.token_urlsafe(32)
    app = make_app(port, token)
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Client(port, token)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
