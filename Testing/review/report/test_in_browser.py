"""The report in Chromium, as people use it: scroll, sort, filter, click, grade; hostile names do nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, read_labels, write_image, write_labels
from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.review import write_review
from Testing.browser import BrowserPage, browser, chromium

pytestmark = pytest.mark.skipif(chromium() is None, reason="needs Chromium (.ci/system-packages)")

HOSTILE = "<img src=x onerror=alert(1)>"
SHOWN = "document.getElementById('where').textContent"
ROWS = "[...document.querySelectorAll('#errors tbody tr')]"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrowserPage]:
    with browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def opened(page: BrowserPage, report: Path, **size: int) -> BrowserPage:
    page.messages.clear()
    page.requests.clear()
    page.open(report, **size)
    settle(page)
    return page


def settle(page: BrowserPage) -> None:
    """Waits until the viewer shows what was asked for."""
    page.wait_until("document.getElementById('viewer').getAttribute('aria-busy') === 'false'")


@pytest.fixture
def report(small_study: Study, tmp_path: Path) -> Path:
    write_review(small_study, "study", tmp_path / "out", identify=True)
    return tmp_path / "out" / "report.html"


def first(page: BrowserPage, column: int) -> list[str]:
    texts: list[str] = page.value(f"{ROWS}.map(row => row.cells[{column}].textContent)")
    return texts


@pytest.mark.parametrize(("width", "height"), [(1400, 900), (390, 844)])
def test_nothing_is_loaded_nothing_fails_and_nothing_is_wider_than_the_window(
    page: BrowserPage, report: Path, width: int, height: int
) -> None:
    opened(page, report, width=width, height=height)
    page.click("label[for=paper]")
    page.press("n", "o", "e", "Escape")
    settle(page)
    assert page.messages == []
    assert [url for url in page.requests if not url.startswith("data:")] == [report.as_uri()]
    assert page.value("document.documentElement.scrollWidth <= window.innerWidth")


def test_slices_scroll_by_wheel_keys_and_slider(page: BrowserPage, report: Path) -> None:
    opened(page, report)
    page.click("#slice")
    begun = page.value(SHOWN)
    page.press("ArrowDown")
    assert page.value(SHOWN) != begun
    page.press("ArrowUp")
    assert page.value(SHOWN) == begun
    page.wheel("#slice", 120)
    page.wait_until(f"{SHOWN} !== {json.dumps(begun)}")
    page.choose("#slices", "0")
    assert page.value(SHOWN).startswith("PATIENT-")
    assert page.value("document.getElementById('slices').value") == "0"


def colors(page: BrowserPage, rows: int, columns: int) -> NDArray[np.int64]:
    """The colors of the canvas (rows, columns, 3) in the middle of every pixel of the label maps."""
    found = page.value(
        f"""(() => {{ const canvas = document.getElementById('slice');
        const all = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const found = [];
        for (let row = 0; row < {rows}; row += 1) for (let column = 0; column < {columns}; column += 1) {{
          const [x, y] = [(column + 0.5) * canvas.width / {columns}, (row + 0.5) * canvas.height / {rows}];
          const place = 4 * (Math.floor(y) * canvas.width + Math.floor(x));
          found.push(...all.slice(place, place + 3)); }}
        return found; }})()"""
    )
    return np.array(found).reshape(rows, columns, 3)


def test_errors_are_drawn_where_the_error_map_has_them_until_overlays_are_off(page: BrowserPage, report: Path) -> None:
    opened(page, report)
    page.choose("#reader-filter", "1")  # wide
    page.click("#errors tbody tr")
    settle(page)
    page.value(
        "document.getElementById('outlines').querySelectorAll('input').forEach(box => box.checked && box.click())"
    )
    page.value("document.getElementById('truth').click()")
    case, words = page.value(SHOWN).split(", slice ")
    z = int(words.split()[0]) - 1
    data = json.loads(report.read_text("utf-8").partition('id="data">')[2].partition("</script>")[0])
    pack = next(item["slices"] for item in data["cases"] if item["name"] == case)
    rows, columns = np.indices((pack["rows"], pack["columns"]))
    inputs = np.stack([columns, rows, np.full_like(rows, z), np.ones_like(rows)], axis=-1)
    right, front, up = np.moveaxis(inputs @ np.array(pack["ras"]).T, -1, 0)
    study = Study.read(report.parents[1] / "study")
    indices = study.case(case).geometry.indices(np.stack([-right, -front, up], axis=-1))
    np.testing.assert_allclose(indices, np.rint(indices), atol=1e-4)
    codes = read_labels(report.parent / case / "errors_wide.nrrd").array[
        tuple(np.rint(indices).astype(int).reshape(-1, 3).T)
    ]
    too_much = codes.reshape(rows.shape) == 3
    assert too_much.any()
    red, green, blue = np.moveaxis(colors(page, *rows.shape), -1, 0)
    orange = (red > 100) & (green < 0.7 * red) & (blue < 0.45 * red)
    assert (orange == too_much).mean() > 0.97  # but for the ring
    page.press("o")
    red, green, blue = np.moveaxis(colors(page, *rows.shape), -1, 0)
    assert not ((red > 100) & (green < 0.7 * red) & (blue < 0.45 * red)).any()


def test_errors_are_filtered_and_sorted_and_stepped_through(page: BrowserPage, report: Path) -> None:
    opened(page, report)
    everything = first(page, 0)
    page.choose("#kind-filter", "missed object")
    assert set(first(page, 2)) == {"missed object"}
    assert set(first(page, 1)) == {"blank"}
    page.choose("#kind-filter", "")
    page.click("th[data-key=case] button")
    assert first(page, 0) == sorted(everything)
    page.click("th[data-key=case] button")
    assert first(page, 0) == sorted(everything, reverse=True)
    page.choose("#size-filter", "1000")
    large = first(page, 0)
    assert 0 < len(large) < len(everything)
    assert all("ml" in text for text in first(page, 3))
    hidden = page.value("[...document.querySelectorAll('table.cases tbody tr')].filter(row => row.hidden).length")
    assert hidden == 4 - len(set(large))
    marked = "[...document.querySelectorAll('#errors tr[aria-current]')].map(row => row.dataset.error)"
    page.press("n")
    begun = page.value(marked)
    page.press("n")
    assert page.value(marked) != begun
    page.press("p")
    assert page.value(marked) == begun


def test_tables_sort_and_a_case_opens_from_its_table(page: BrowserPage, report: Path) -> None:
    opened(page, report)
    cells = "[...document.querySelectorAll('table.cases tbody tr')].map(row => Number(row.cells[2].textContent))"
    page.click("table.cases thead th:nth-child(3) button")
    assert page.value(cells) == sorted(page.value(cells))
    page.click("table.cases thead th:nth-child(3) button")
    assert page.value(cells) == sorted(page.value(cells), reverse=True)
    page.click("table.cases tbody tr[data-case='2'] button")
    page.wait_until(f"{SHOWN}.startsWith('PATIENT-2')")


def test_pictures_are_enlarged_by_click_and_key(page: BrowserPage, report: Path) -> None:
    opened(page, report)
    page.click("figure .slice")
    page.wait_until("document.querySelector('dialog[open] figure') !== null")
    assert page.value(
        "document.querySelector('dialog .slice').clientWidth > document.querySelector('main figure').clientWidth"
    )
    page.press("Escape")
    page.wait_until("document.querySelector('dialog[open]') === null")
    page.value("document.querySelector('figure .slice').focus()")
    page.press("Enter")
    page.wait_until("document.querySelector('dialog[open]') !== null")


def test_grades_are_saved_as_decisions_that_can_be_read(page: BrowserPage, report: Path, tmp_path: Path) -> None:
    opened(page, report)
    page.press("n", "1", "n", "2", "c")
    page.press(*"too strict", "Enter", "Escape")
    page.press("n", "3")
    page.choose("#grader", "Dr. Ü")
    page.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    page.click("#save")
    page.wait_until("document.getElementById('graded').textContent.endsWith('graded.')")
    file = tmp_path / "decisions.json"
    for _ in range(1000):
        if file.exists():
            break
        page.value("new Promise(done => setTimeout(done, 10))")
    decisions = Decisions.read(file)
    assert [item.grade for item in decisions.decisions] == ["agree", "disagree", "unclear"]
    assert [item.comment for item in decisions.decisions] == ["", "too strict", ""]
    assert {item.by for item in decisions.decisions} == {"Dr. Ü"}
    study = Study.read(tmp_path / "study")
    for item in decisions.decisions:
        case = study.case(item.case)
        x, y, z = item.region.center_ras
        index = tuple(np.rint(case.geometry.indices((-x, -y, z))).astype(int))
        assert read_labels(report.parent / case.id / f"errors_{item.error_of}.nrrd").array[index] >= 2
        assert item.region.voxels
    opened(page, report)  # opened again, the page still has the grades
    assert page.value("document.getElementById('graded').textContent").startswith("3 of")


def test_without_names_of_cases_the_grades_go_by_number(page: BrowserPage, small_study: Study, tmp_path: Path) -> None:
    write_review(small_study, "study", tmp_path / "out")
    opened(page, tmp_path / "out" / "report.html")
    assert "PATIENT" not in page.value("document.documentElement.outerHTML")


def test_it_prints_without_controls(page: BrowserPage, report: Path) -> None:
    opened(page, report)
    page.call("Emulation.setEmulatedMedia", media="print")
    try:
        assert page.value("getComputedStyle(document.getElementById('work')).display") == "none"
        assert page.value("document.querySelector('table.cases').getBoundingClientRect().height") > 50
        assert page.pdf().startswith(b"%PDF")
    finally:
        page.call("Emulation.setEmulatedMedia", media="")


def test_hostile_names_everywhere_do_nothing(page: BrowserPage, tmp_path: Path) -> None:
    write_review(hostile_study(tmp_path / "study"), "study", tmp_path / "out", identify=True, truth_name=HOSTILE)
    for report in sorted((tmp_path / "out").glob("report*.html")):
        opened(page, report)
        page.press("n", "1", "n", "p", "o")
        page.choose("#size-filter", "1")
        settle(page)
        assert page.messages == []
        assert [url for url in page.requests if not url.startswith("data:")] == [report.as_uri()]
        assert page.value("document.querySelectorAll('img:not([src^=\"data:\"])').length") == 0
        assert page.value("document.querySelectorAll('script').length") == 2
        assert page.value("document.title").startswith("Review of")


def hostile_study(folder: Path) -> Study:
    """Names that would break out of text, attributes, JSON, scripts, style sheets and templates if they were let."""
    geometry = Geometry.plain((3, 12, 12))
    truth = np.zeros(geometry.shape, np.uint8)
    truth[1, 3:9, 3:9], truth[1, 6:9, 3:9] = 1, 2
    drawn = np.roll(truth, 2, axis=2)
    classes = ("background", f"</script><script>alert(2)</script>{HOSTILE}", "'\"; --x:{{0}} {case} </style><!--\u2028")
    annotators = ("'); alert(3); ('", "&lt;b&gt; {annotator} ${7*7} [a](javascript_alert(4))", "%s=1+1\u202e")
    write_image(folder / "image.nrrd", Image(drawn.astype(np.float32), geometry))
    write_labels(folder / "truth.nrrd", truth, geometry)
    write_labels(folder / "drawn.nrrd", drawn, geometry)
    origin = {"method": HOSTILE, "annotators": [HOSTILE], "signed_off_by": HOSTILE}
    annotations = {name: Annotation(folder / "drawn.nrrd") for name in annotators[:2]}
    annotations[annotators[1]] = replace(annotations[annotators[1]], date="2026-03-01")
    case = Case(
        "'); alert(5) {0} &amp; ${8*8}", (folder / "image.nrrd",), annotations, folder / "truth.nrrd", classes=3
    )
    return Study(HOSTILE, classes, annotators[:2], (replace(case, provenance=origin),), folder)
