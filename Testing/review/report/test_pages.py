"""The report stands alone, keeps identities to itself, and shows the errors where they are."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import SimpleITK as sitk

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.review import annotator_report, study_report, write_review


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
        assert not page.all("link")
        assert page.all("script") == [{"type": "application/json", "id": "data"}, {}]
        assert not re.search(r"https?://|@import|url\(", text)
        (policy,) = (item["content"] for item in page.all("meta") if "http-equiv" in item)
        code = text.partition("<script>")[2].partition("</script>")[0]
        digest = base64.b64encode(hashlib.sha256(code.encode("utf-8")).digest()).decode("ascii")
        assert policy.startswith(
            f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
        )


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


def test_the_page_reads_the_same_without_scripts(out: Path) -> None:
    text = (out / "report.html").read_text(encoding="utf-8")
    still = re.sub(r"<script.*?</script>", "", text, flags=re.S)
    for words in ("Review of 4 cases", "marks nothing", "Case 4, slice", "The largest errors", "Place (RAS, mm)"):
        assert words in still
    assert "hidden" in next(item for item in Page(still).all("section") if item["id"] == "work")


def test_the_reference_is_described_with_method_annotators_editor_and_signature(
    small_study: Study, tmp_path: Path
) -> None:
    origin = {
        "method": "adjudicated staple",
        "annotators": ["careful", "wide"],
        "edited": True,
        "signed_off_by": "Dr. <b>",
    }
    cases = (replace(small_study.cases[0], provenance=origin), *small_study.cases[1:])
    write_review(replace(small_study, cases=cases), "study", tmp_path / "out")
    text = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text))
    assert facts["Reference"] == "the truth that the study names"
    assert facts["Method"] == "adjudicated staple"
    assert facts["Made from the labels of"] == "careful, wide"
    assert facts["Edited by hand"] == "1 of 4 cases"
    assert facts["Signed off"] == "1 of 4 cases (Dr. &lt;b&gt;)"


def test_trends_need_dates(small_study: Study, tmp_path: Path) -> None:
    write_review(small_study, "study", tmp_path / "undated")
    days = ("2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04")
    cases = [
        replace(case, annotations={name: replace(item, date=day) for name, item in case.annotations.items()})
        for case, day in zip(small_study.cases, days, strict=True)
    ]
    write_review(replace(small_study, cases=tuple(cases)), "study", tmp_path / "dated")
    undated, dated = ((tmp_path / name / "report_wide.html").read_text("utf-8") for name in ("undated", "dated"))
    assert "in the order they were drawn" not in undated
    assert "in the order they were drawn" in dated


def test_an_own_report_holds_no_labels_and_on_request_no_names_of_others(small_study: Study, tmp_path: Path) -> None:
    write_review(small_study, "majority", tmp_path / "out", pseudonyms=True)
    text = (tmp_path / "out" / "report_wide.html").read_text(encoding="utf-8")
    assert "careful" not in text
    assert "blank" not in text.replace("_blank", "")
    assert "another annotator (1)" in text
    assert "report.html" not in text
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert data["readers"] == [None, "wide", None]
    assert all(set(case["slices"]["labels"]) == {"1"} for case in data["cases"])
    assert {error["reader"] for error in data["errors"]} == {1}


def test_the_whole_report_can_be_translated(small_study: Study, tmp_path: Path) -> None:
    review = write_review(small_study, "study", tmp_path / "out")

    def shout(template: str) -> str:
        return re.sub(r"(?<![{\w])[a-zA-Z]+(?![}\w])", lambda word: word[0].upper(), template)

    text = study_report(review, translate=shout) + annotator_report(review, "wide", translate=shout)
    body = re.sub(r"<style>.*?</style>|<script.*?</script>|<kbd>.*?</kbd>|<dl.*?</dl>|<[^>]*>", " ", text, flags=re.S)
    allowed = {"careful", "wide", "blank", "background", "lesion", "mm", "ml", "px", "case"}
    assert set(re.findall(r"[a-z]{2,}", body)) <= allowed
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    spoken = [*data["words"].values(), *data["kinds"].values(), *data["grades"].values()]
    assert not re.search(r"[a-z]{2,}", re.sub(r"\{\w+\}", "", " ".join(spoken)))
