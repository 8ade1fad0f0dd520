"""The page that opens files, in a real browser: as people use it, with a mouse or by keyboard."""

import json
import shutil
import subprocess
import time

import pytest
from chromium import WIDER, find_chromium, opened
from files.test_recognising import KINDS, spss
from matplotlib.image import imread

pytestmark = pytest.mark.slow

PATIENCE = 120
DONE = "document.querySelector('#content-{} .tools-of') !== null"
SURVEY = "StartDate,Q2,Q5_1,Q5_2,Q5_3\nStart,Town,Best? - toro,Best? - uni,Best? - ika\n" + (
    '"{""ImportId"":""a""}","{""ImportId"":""b""}","{""ImportId"":""c""}",x,y\n'
    + "1/2/24,Kobe,1,2,3\n1/2/24,Nara,3,2,1\n1/3/24,Kobe,1,3,2\n1/3/24,Nara,2,3,1\n" * 6
)
HOSTILE = '<script>alert(1)</script>,"x""><img src=x onerror=alert(1)>",c\n' + "1,2,3\n3,1,2\n" * 5


def until(page, expression):
    """Wait until something holds on the page."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(f"Boolean({expression})"):
        assert time.monotonic() < end, page.evaluate("document.body.innerText")[:2000]
        time.sleep(0.05)


def drop(page, name, content):
    """Drop a file on the page."""
    data = list(content.encode() if isinstance(content, str) else content)
    page.evaluate(
        f"(() => {{ const moved = new DataTransfer(); moved.items.add(new File([new Uint8Array("
        f"{json.dumps(data)})], {json.dumps(name)})); document.dispatchEvent(new DragEvent('drop', "
        "{ dataTransfer: moved, bubbles: true, cancelable: true })); })()"
    )


def forget(client):
    for file in client.read("/state")["files"]:
        client.read(f"/files/{file['id']}", "DELETE")


@pytest.fixture(params=[(390, "dark"), (390, "light"), (1280, "dark"), (1280, "light")], ids=str)
def page(request, client, tmp_path):
    """The page in a window, which asks nothing of any other place."""
    if find_chromium() is None:
        pytest.skip("Chromium is not installed")
    width, scheme = request.param
    forget(client)
    with opened(find_chromium(), client.address, width, tmp_path / "profile") as page:
        page.show_as(scheme=scheme)
        page.send("Network.enable")
        until(page, "document.querySelector('#examples button')")
        yield page
        assert page.errors() == []
        asked = [event for event in page.browser.events if event["method"].endswith("WillBeSent")]
        home = client.address.partition("#")[0]
        assert {
            event["params"]["request"]["url"].startswith((home, "blob:")) for event in asked
        } == {True}


def test_from_a_survey_to_a_picture(page, tmp_path):
    where = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.browser.send("Browser.setDownloadBehavior", **where)
    drop(page, "survey.csv", SURVEY)
    until(page, DONE.format("consensus"))
    said = page.evaluate("document.querySelector('#reading .says').textContent")
    assert said.startswith("Read as a Qualtrics rank-order question: 3 items, 24 respondents")
    assert page.evaluate("[...document.querySelectorAll('.rows th')].map((h) => h.className)") == [
        *("", "item", "item", "item", "other", "other")
    ]
    page.click("#by-0")
    until(page, DONE.format("compare"))
    assert page.evaluate("document.querySelectorAll('.rows td.group').length") == 8
    assert "Groups differ" in page.evaluate("document.getElementById('card-compare').textContent")
    page.click("#content-compare .tools-of button:nth-child(2)")
    end = time.monotonic() + PATIENCE
    while not list(tmp_path.glob("*.png")) and time.monotonic() < end:
        time.sleep(0.05)
    (picture,) = tmp_path.glob("*.png")
    assert picture.name == "survey-compare.png"
    # The same on the clipboard, for a slide.
    allowed = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    page.browser.send("Browser.grantPermissions", permissions=allowed)
    page.click("#content-compare .tools-of button")
    until(page, "document.getElementById('heard').textContent === 'Copied the picture'")
    copied = page.evaluate(
        "navigator.clipboard.read().then(([item]) => item.getType('image/png'))"
        ".then(createImageBitmap).then((drawn) => [drawn.height, drawn.width])"
    )
    assert copied == list(imread(picture).shape[:2])
    assert page.evaluate(WIDER) <= 0
    # What was chosen is still there when the page is loaded again.
    page.send("Page.reload")
    until(page, DONE.format("compare"))
    assert page.evaluate("document.querySelectorAll('.rows td.group').length") == 8


def test_a_role_is_changed_by_keyboard(page):
    drop(page, "survey.csv", SURVEY)
    until(page, DONE.format("consensus"))
    page.evaluate("document.getElementById('role-4').focus()")
    page.press("ArrowDown")
    until(page, "document.querySelectorAll('.rows th.item').length === 2")
    until(page, DONE.format("consensus"))
    assert page.evaluate("document.activeElement.id") == "role-4"
    assert "2 items" in page.evaluate("document.querySelector('#reading .says').textContent")


def test_all_can_be_reached_by_keyboard(page):
    for _ in range(3):
        page.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "lunch:top-k"
    page.press("Enter")
    until(page, DONE.format("pairs"))
    seen = set()
    for _ in range(60):
        page.press("Tab")
        seen.add(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert {"method", "by-0", "Copy picture", "Save PNG", "unranked"} <= seen


def test_long_questions_fit_a_narrow_page(page):
    first, second = (f"Please rank what matters when you {what} coffee" for what in ("buy", "make"))
    names = [f"{question} [{item}]" for question in (first, second) for item in "ab"]
    drop(page, "two.csv", f"{','.join(names)}\n" + "1,2,2,1\n2,1,1,2\n" * 5)
    until(page, "document.getElementById('question')")
    assert page.evaluate(WIDER) <= 0


def test_hostile_names_are_shown_and_nothing_else(page):
    drop(page, "<b>hostile</b>.csv", HOSTILE)
    until(page, DONE.format("pairs"))
    text = page.evaluate("document.getElementById('view').innerText")
    assert "<script>alert(1)</script>" in text
    assert page.evaluate("document.querySelectorAll('#view script, #view img').length") == 0
    assert page.evaluate(WIDER) <= 0


def test_what_is_wrong_is_marked_and_mended_by_a_click(page):
    drop(page, "votes.csv", "a,b,c\n1,2,5\n2,1,x\n1,2,4\n2,1,6\n")
    until(page, "document.querySelector('.mistake button')")
    assert page.evaluate("document.querySelector('td.wrong').textContent").startswith("x")
    page.click(".mistake button")
    until(page, DONE.format("consensus"))


def test_each_kind_of_file_can_be_dropped(client, tmp_path):
    if find_chromium() is None:
        pytest.skip("Chromium is not installed")
    forget(client)
    with opened(find_chromium(), client.address, 1280, tmp_path / "profile") as page:
        until(page, "document.querySelector('#examples button')")
        for kind, (name, content, what, *_) in KINDS.items():
            content = spss(tmp_path) if name.endswith(".sav") else content
            drop(page, name, content() if callable(content) else content)
            shown = "document.querySelector('#reading .says, #reading .mistake')"
            until(page, f"document.querySelector('.tab.on') && {shown}")
            said = page.evaluate(f"{shown}.textContent")
            assert what in said or "higher is better" in said, (kind, said)
            page.click(".tab.on button:last-child")
            until(page, "!document.querySelector('.tab')")
        assert page.errors() == []


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """The source of axe-core."""
    npm, folder = shutil.which("npm"), tmp_path_factory.mktemp("axe")
    if npm is None:
        pytest.skip("npm is not installed")
    made = subprocess.run([npm, "pack", "axe-core@4"], cwd=folder, capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"npm cannot get axe-core: {made.stderr[-200:]}")
    subprocess.run(["tar", "xzf", made.stdout.split()[-1]], cwd=folder, check=True)
    return (folder / "package" / "axe.min.js").read_text(encoding="utf-8")


def test_axe_finds_nothing_serious(page, axe):
    for key in ("", "by-0"):
        if key:
            page.click("#examples button")
            until(page, DONE.format("blocs"))
            page.click(f"#{key}")
            until(page, DONE.format("compare"))
        page.evaluate(axe + "; 1")
        found = page.evaluate(
            "axe.run().then((found) => found.violations.filter((each) => "
            "['serious', 'critical'].includes(each.impact)).map((each) => "
            "[each.id, each.nodes.length, each.nodes[0].html, each.nodes[0].failureSummary]))"
        )
        assert found == []
