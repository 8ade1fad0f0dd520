"""A page in a real browser: headless Chromium, driven through its own pipe."""

import base64
import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--remote-debugging-pipe",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 300

# Texts of drawings that are cut by their drawing, and pairs of labels that overlap.
CUT = """(() => {
  const seen = [...document.querySelectorAll("svg text")].filter((t) => t.getClientRects().length);
  return seen.filter((t) => {
    const box = t.getBoundingClientRect(), all = t.closest("svg").getBoundingClientRect();
    return box.left < all.left - 1 || box.right > all.right + 1 || box.top < all.top - 1
      || box.bottom > all.bottom + 1;
  }).map((t) => t.textContent);
})()"""
COLLIDING = """(() => {
  const seen = [...document.querySelectorAll("svg text.halo")]
    .filter((t) => t.getClientRects().length)
    .map((t) => [t.textContent, t.getBoundingClientRect()]);
  const found = [];
  seen.forEach(([a, p], i) => seen.slice(i + 1).forEach(([b, q]) => {
    if (p.left < q.right - 1 && q.left < p.right - 1 && p.top + 2 < q.bottom - 2
        && q.top + 2 < p.bottom - 2) found.push(a + " / " + b);
  }));
  return found;
})()"""
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def find_chromium():
    """The browser's path, or None."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


def address_of(page):
    """The address of a file, or of a page that a server has."""
    return page if isinstance(page, str) else page.resolve().as_uri()


class Browser:
    """Commands go down one pipe, and answers and events come up the other."""

    def __init__(self, down, up):
        self.down, self.up = down, up
        self.number = 0
        self.events = []
        self.rest = b""
        os.set_blocking(up, False)

    def send(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.down, json.dumps(message).encode() + b"\0")
        return self._wait(lambda answer: answer.get("id") == self.number)["result"]

    def wait_for(self, method):
        for event in self.events:
            if event["method"] == method:
                return event
        return self._wait(lambda answer: answer.get("method") == method)

    def _wait(self, is_it):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            while b"\0" in self.rest:
                raw, _, self.rest = self.rest.partition(b"\0")
                answer = json.loads(raw)
                if "method" in answer:
                    self.events.append(answer)
                assert "error" not in answer, answer
                if is_it(answer):
                    return answer
            try:
                self.rest += os.read(self.up, 1 << 20)
            except BlockingIOError:
                time.sleep(0.01)
        raise TimeoutError("the browser did not answer")


class Page:
    """A page that has loaded, at one width."""

    def __init__(self, browser, session):
        self.browser, self.session = browser, session

    def evaluate(self, expression):
        how = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        answer = self.send("Runtime.evaluate", **how)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def visit(self, file):
        """Another page in the same window, once it has loaded."""
        self.browser.events.clear()
        self.send("Page.navigate", url=address_of(file))
        self.browser.wait_for("Page.loadEventFired")

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def point_at(self, selector):
        """Move the mouse to an element, wherever it is on the page."""
        x, y = self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        return {"x": x, "y": y, "button": "left", "clickCount": 1}

    def click(self, selector):
        place = self.point_at(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, **place)

    def press(self, key):
        """Press a key, as a person does."""
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowRight": 39}
        number = (code | {"ArrowDown": 40}).get(key, ord(key[0].upper()))
        which = {"key": key, "code": key, "windowsVirtualKeyCode": number}
        self.send(
            "Input.dispatchKeyEvent", type="keyDown", **which, **({"text": text} if text else {})
        )
        self.send("Input.dispatchKeyEvent", type="keyUp", **which)

    def show_as(self, media="screen", scheme="light"):
        """Show the page on a screen or in print, in light or in dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", media=media, features=features)

    def errors(self):
        """Exceptions, and whatever the console was told beyond information."""
        told = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        found = [event["params"] for event in self.browser.events if event["method"] in told]
        levels = ("error", "warning")
        return [each for each in found if each.get("entry", {}).get("level", "error") in levels]

    def screenshot(self, path):
        answer = self.send("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(answer["data"]))


@contextmanager
def opened(chromium, page, width, profile):
    """The file in a browser window of that width, once it has loaded."""
    down_read, down_write = os.pipe()
    up_read, up_write = os.pipe()

    def take_places():
        # Chromium listens at 3 and answers at 4. The copies above keep either from being lost.
        listen, answer = os.dup(down_read), os.dup(up_write)
        os.dup2(listen, 3)
        os.dup2(answer, 4)

    process = subprocess.Popen(
        [chromium, *FLAGS, f"--user-data-dir={profile}"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=take_places,
        close_fds=False,
    )
    browser = Browser(down_write, up_read)
    try:
        target = browser.send("Target.createTarget", url="about:blank")["targetId"]
        session = browser.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            browser.send(f"{domain}.enable", session)
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.send("Emulation.setDeviceMetricsOverride", session, **size)
        shown = Page(browser, session)
        shown.visit(page)
        yield shown
    finally:
        process.kill()
        process.wait()
        for handle in (down_read, down_write, up_read, up_write):
            os.close(handle)
