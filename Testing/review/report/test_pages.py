"""The report stands alone, keeps identities to itself, and shows the errors where they are."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
import SimpleITK as sitk

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.review import annotator_report, study_report, write_review

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


class Page(HTMLParser):
    """Collects tags and attributes, and checks that tags are closed in order."""

    VOID = frozenset({"meta", "img", "input", "br", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attributes}))
        if tag not in self.VOID and not self.get_starttag_text().endswith("/>"):  # type: ignore[union-attr]
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def out(small_study: Study, tmp_path: Path) -> Path:
    write_review(small_study, "study", tmp_path / "out")
    return tmp_path / "out"


def test_the_report_needs_nothing_but_itself(out: Path) -> None:
    for path in out.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        page = Page(text)
        assert all(image["src"].startswith("data:image/png;base64,") for image in page.all("img"))
        assert {link["href"].split("_")[0].split(".")[0] for link in page.all("a")} <= {"report"}
        assert not page.all("script") + page.all("link")
        assert not re.search(r"https?://|@import|url\(", text)


def test_every_picture_is_described_and_can_be_opened(out: Path, tmp_path: Path) -> None:
    page = Page((out / "report.html").read_text(encoding="utf-8"))
    assert page.all("img")
    for number, image in enumerate(page.all("img")):
        assert image["alt"].startswith("Case ")
        path = tmp_path / f"{number}.png"
        path.write_bytes(base64.b64decode(image["src"].split(",")[1]))
        assert sitk.ReadImage(str(path)).GetSize()[0] > 10
    assert all(svg.get("aria-label") or svg.get("aria-hidden") == "true" for svg in page.all("svg"))


def test_no_identity_is_shown_unless_asked_for(small_study: Study, out: Path, tmp_path: Path) -> None:
    for path in out.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "PATIENT" not in text
        assert "secret" not in text
        assert str(tmp_path) not in text
    write_review(small_study, "study", tmp_path / "named", identify=True)
    named = (tmp_path / "named" / "report.html").read_text(encoding="utf-8")
    assert "PATIENT-0" in named
    assert "secret study" in named


def test_names_cannot_break_the_page(small_study: Study, tmp_path: Path) -> None:
    from dataclasses import replace

    study = replace(small_study, classes=("background", "<script>alert(1)</script>"))
    write_review(study, "study", tmp_path / "out")
    Page((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    assert "<script" not in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_the_whole_report_can_be_translated(small_study: Study, tmp_path: Path) -> None:
    review = write_review(small_study, "study", tmp_path / "out")

    def shout(template: str) -> str:
        return re.sub(r"(?<![{\w])[a-zA-Z]+(?![}\w])", lambda word: word[0].upper(), template)

    text = study_report(review, translate=shout) + annotator_report(review, "wide", translate=shout)
    body = re.sub(r"<style>.*?</style>|<dl.*?</dl>|<[^>]*>", " ", text, flags=re.S)
    allowed = {"careful", "wide", "blank", "background", "lesion", "mm", "ml", "px", "case"}
    assert set(re.findall(r"[a-z]{2,}", body)) <= allowed


def test_headless_chromium_opens_it_without_error_or_request(out: Path) -> None:
    if not CHROMIUM.exists():
        pytest.skip("needs Chromium")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        page = browser.new_page(viewport={"width": 1000, "height": 900})
        messages: list[str] = []
        requests: list[str] = []
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto((out / "report.html").as_uri())
        fill = "() => getComputedStyle(document.querySelector('.slice path.code3')).fill"
        safe = page.evaluate(fill)
        page.click("label[for=paper]")
        paper = page.evaluate(fill)
        wide = page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
        browser.close()
    assert messages == []
    assert [url for url in requests if not url.startswith("data:")] == [(out / "report.html").as_uri()]
    assert (paper, safe) == ("rgb(255, 0, 0)", "rgb(204, 56, 0)")
    assert wide
