"""Who may ask the page, and what becomes of files."""

import gzip
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from rankcut.app import server
from rankcut.app.desk import Worker, work
from rankcut.app.reading import Asked

VOTES = (
    "town,<img src=x onerror=alert(1)>,b\x1b[2J,c\n" + "Kobe,1,2,3\nNara,2,1,3\nKobe,3,2,1\n" * 9
)


def test_the_page_has_no_data_and_strict_headers(client):
    for path, kind in {"/": "html", "/app.css": "css", "/app.js": "javascript"}.items():
        status, content, headers = client.ask(path, X_Token=None)
        assert status == 200
        assert kind in headers["Content-Type"]
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Set-Cookie" not in headers
        assert b"<style" not in content
        assert b"http" not in content.replace(b"http-equiv", b"").replace(b"http://www.w3", b"")


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("X_Token", (None, "wrong")),
        ("Host", ("evil.example", "127.0.0.1")),
        ("Origin", ("http://evil.example", "null", "http://127.0.0.1:1")),
        ("Sec_Fetch_Site", ("cross-site", "same-site")),
    ],
)
def test_others_are_refused(client, header, values):
    asked = (("GET", "/state"), ("PUT", "/files?name=a.csv"), ("OPTIONS", "/files"))
    for value, (method, path) in product(values, asked):
        status, content, answered = client.ask(path, method, **{header: value})
        assert status == 403
        assert b"{" not in content
        assert "Access-Control-Allow-Origin" not in answered


def test_files_are_kept_where_only_their_owner_can_read(client, tmp_path):
    key = client.open("../../votes .csv", VOTES)
    state = client.wait(key, lambda state: state["about"])
    assert state["name"] == ".._.._votes .csv"
    folders = Path(tempfile.gettempdir()).glob("rankcut-*")
    own = [path for path in folders if path.stat().st_uid == os.getuid()]
    (home,) = [path for path in own if (path / key).is_dir()]
    assert home.stat().st_mode & 0o777 == 0o700
    client.read(f"/files/{key}", "DELETE")
    assert not list(home.iterdir())
    assert client.ask(f"/files/{key}/consensus/csv")[0] == 404
    # A process that is let go leaves the files of others.
    worker = Worker(tmp_path)
    worker.pipe.close()
    worker._process.join(1)
    assert tmp_path.exists()
    worker.end()


def test_answers_come_one_by_one_and_can_be_saved(client):
    key = client.open("lunch:full")
    state = client.wait(key, lambda s: s["cards"].get("consensus", {}).get("state") == "done")
    assert state["about"]["said"].startswith("Read as ranks: 8 items, 48 rankings")
    card = client.read(f"/files/{key}/consensus/json")
    assert card["command"] == "rankcut consensus lunch:full -o consensus.png"
    assert " style=" not in card["content"]
    assert client.ask(f"/files/{key}/consensus/png")[1].startswith(b"\x89PNG")
    assert b"<svg" in client.ask(f"/files/{key}/consensus/svg")[1]
    assert client.ask(f"/files/{key}/consensus/csv")[1].startswith(b"place,item")
    assert client.ask(f"/files/{key}/consensus/exe")[0] == 404
    client.change(key, by="guest")
    client.wait(key, lambda s: s["cards"]["compare"]["state"] == "done")
    assert "--by guest" in client.read(f"/files/{key}/compare/json")["command"]
    client.change(key, method="kemeny")
    state = client.wait(key, lambda s: s["cards"]["consensus"]["state"] == "done")
    assert "--method kemeny" in client.read(f"/files/{key}/consensus/json")["command"]
    assert state["cards"]["contents"]["state"] == "done"


def test_first_rows_come_before_all_are_read(tmp_path, monkeypatch):
    class Pipe:
        jobs, sent = [("", Asked("votes.csv"), tmp_path, tmp_path)], []

        def recv(self):
            if not self.jobs:
                raise EOFError
            return self.jobs.pop()

        def send(self, message):
            self.sent.append(message)

    monkeypatch.chdir(tmp_path)
    ended = SimpleNamespace(join=lambda: None)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: ended)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    (tmp_path / "votes.csv").write_text("town,toro,uni\nKobe,1,2\nNara,2,1\n")
    work(Pipe(), tmp_path / "home")
    (first, rows), (then, about) = Pipe.sent
    assert (first, then) == ("rows", "read")
    assert rows["rows"] == about["rows"] == [["Kobe", "1", "2"], ["Nara", "2", "1"]]


def test_an_answer_can_be_stopped_and_asked_for_again(client):
    key = client.open("lunch:ties")
    client.wait(key, lambda s: s["cards"]["blocs"]["state"] == "waiting")
    client.change(key, stop="blocs")
    client.change(key, stop="contents")
    done = ("done", "nothing", "stopped")
    state = client.wait(key, lambda s: all(c["state"] in done for c in s["cards"].values()))
    assert state["cards"]["blocs"]["state"] == "stopped"
    assert state["cards"]["consensus"]["state"] == "done"
    client.change(key, ask="blocs")
    client.wait(key, lambda s: s["cards"]["blocs"]["state"] == "done")


def test_an_answer_says_that_its_file_is_gone(client):
    key = client.open("gone.csv", VOTES.replace("1)>", "2)>"))
    client.wait(key, lambda s: s["cards"].get("blocs", {}).get("state") == "working")
    client.change(key, stop="blocs")
    folders = Path(tempfile.gettempdir()).glob(f"rankcut-*/{key}/given/gone.csv")
    for path in folders:
        path.unlink()
    client.change(key, ask="blocs")
    state = client.wait(key, lambda s: s["cards"]["blocs"]["state"] == "refused")
    assert "there is no such file" in state["cards"]["blocs"]["said"]
    assert state["cards"]["consensus"]["state"] == "done"


def test_hostile_names_stay_text(client):
    key = client.open("<b>.csv", VOTES)
    state = client.wait(key, lambda s: s["cards"].get("pairs", {}).get("state") == "done")
    assert "<img src=x onerror=alert(1)>" in state["about"]["names"]
    for answer in ("consensus", "pairs", "places"):
        assert "<img" not in client.read(f"/files/{key}/{answer}/json")["content"]
    client.change(key, column=2, role="other")
    client.wait(key, lambda s: s["cards"].get("consensus", {}).get("state") == "done")
    assert "\x1b" not in client.read(f"/files/{key}/consensus/json")["command"]


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "7",
        "{",
        '{"ask": "x"}',
        '{"ask": []}',
        '{"role": "item", "column": "x"}',
        '{"role": "item", "column": 2}',
        '{"role": "item", "column": -1}',
        '{"role": "item", "column": 1e999}',
        '{"reading": 7}',
        "[" * 100_000,
        '{"reading": ' * 100_000,
    ],
)
def test_what_is_no_choice_is_refused(client, body):
    key = client.open("v.csv", "a,b\n1,2\n2,1\n")
    client.wait(key, lambda state: state["about"])
    status, said, _ = client.ask(f"/files/{key}", "POST", body)
    assert status == 400
    assert said.startswith(b"this is no")
    assert client.ask("/state")[0] == 200


def test_limits(client, monkeypatch):
    monkeypatch.setattr(server, "MOST_BYTES", 1000)
    assert client.ask("/files?name=a.csv", "PUT", b"1" * 2000)[0] == 413
    bomb = client.open("a.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 10))
    client.wait(bomb, lambda state: state["about"])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_when_the_program_ends(number, tmp_path):
    program = subprocess.Popen(
        [sys.executable, "-m", "rankcut", "open", "lunch:full", "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    address = program.stdout.readline()
    assert re.fullmatch(r"Open http://127\.0\.0\.1:\d+/#[\w-]{43}\n", address)
    while not list(tmp_path.glob("rankcut-*/*")):
        pass
    program.send_signal(number)
    _, said = program.communicate(timeout=60)
    assert said == ""
    assert not list(tmp_path.glob("rankcut-*"))
