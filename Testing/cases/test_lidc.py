"""LIDC outlines become masks: inside only, holes cut, marks left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases.lidc import fill_outline, read_lidc
from NoisyLabelSegLib.errors import UserError

SQUARE = [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (5, 2), (5, 3), (5, 4), (5, 5)]
SQUARE += [(4, 5), (3, 5), (2, 5), (1, 5), (1, 4), (1, 3), (1, 2)]


def roi(uid: str, points: list[tuple[int, int]], inclusion: str = "TRUE") -> str:
    edges = "".join(f"<edgeMap><xCoord>{x}</xCoord><yCoord>{y}</yCoord></edgeMap>" for x, y in points)
    return f"<roi><imageSOP_UID>{uid}</imageSOP_UID><inclusion>{inclusion}</inclusion>{edges}</roi>"


def session(*nodules: str) -> str:
    items = "".join(f"<unblindedReadNodule><noduleID>N</noduleID>{rois}</unblindedReadNodule>" for rois in nodules)
    return f"<readingSession>{items}</readingSession>"


def lidc_xml(path: Path, *sessions: str, series: str = "1.2.3.4") -> Path:
    header = f"<ResponseHeader><SeriesInstanceUid>{series}</SeriesInstanceUid></ResponseHeader>"
    path.write_text(f'<LidcReadMessage xmlns="http://www.nih.gov">{header}{"".join(sessions)}</LidcReadMessage>')
    return path


def test_the_inside_of_an_outline_is_filled_and_the_outline_is_not():
    filled = fill_outline(np.array(SQUARE), (7, 8))
    expected = np.zeros((7, 8), bool)
    expected[2:5, 2:5] = True
    np.testing.assert_array_equal(filled, expected)


def test_points_that_are_not_neighbors_are_joined_by_straight_lines():
    corners = np.array([(1, 1), (5, 1), (5, 5), (1, 5)])
    np.testing.assert_array_equal(fill_outline(corners, (7, 8)), fill_outline(np.array(SQUARE), (7, 8)))
    diamond = fill_outline(np.array([(3, 0), (6, 3), (3, 6), (0, 3)]), (7, 7))
    assert diamond.sum(axis=1).tolist() == [0, 1, 3, 5, 3, 1, 0]


def test_a_bay_that_the_outline_nearly_closes_is_not_filled():
    # A C-shape whose ends touch diagonally: what it surrounds lies outside of it.
    outer = [(0, 0), (6, 0), (6, 2), (4, 2), (4, 1), (2, 1), (2, 5), (4, 5), (4, 3), (6, 3), (6, 7), (0, 7)]
    filled = fill_outline(np.array(outer), (8, 8))
    assert not filled[3, 3]
    assert filled[3, 1]


def test_sessions_are_readers_in_file_order_even_those_who_outlined_nothing(tmp_path: Path):
    path = lidc_xml(tmp_path / "a.xml", session(roi("s2", SQUARE)), session(), session(roi("s1", SQUARE)))
    file = read_lidc(path)
    assert file.series_uid == "1.2.3.4"
    masks = [file.mask(number, {"s1": 0, "s2": 1}, (2, 7, 8)) for number in range(3)]
    assert [mask.sum(axis=(1, 2)).tolist() for mask in masks] == [[0, 9], [0, 0], [9, 0]]
    assert masks[0].dtype == np.uint8


def test_an_outline_without_inclusion_cuts_a_hole_wherever_it_stands_in_the_file(tmp_path: Path):
    outer, inner = [(0, 0), (8, 0), (8, 8), (0, 8)], [(2, 2), (6, 2), (6, 6), (2, 6)]
    for order in ([roi("s", outer), roi("s", inner, "FALSE")], [roi("s", inner, "FALSE"), roi("s", outer)]):
        file = read_lidc(lidc_xml(tmp_path / "a.xml", session("".join(order))))
        mask = file.mask(0, {"s": 0}, (1, 9, 9))[0]
        assert mask.sum() == 7 * 7 - 3 * 3
        assert not mask[3:6, 3:6].any()


def test_a_hole_of_one_nodule_does_not_cut_another(tmp_path: Path):
    hole = roi("s", [(0, 0), (8, 0), (8, 8), (0, 8)], "FALSE")
    file = read_lidc(lidc_xml(tmp_path / "a.xml", session(roi("s", SQUARE), hole)))
    assert file.mask(0, {"s": 0}, (1, 9, 9)).sum() == 9


def test_single_points_are_marks_and_not_outlines(tmp_path: Path):
    file = read_lidc(lidc_xml(tmp_path / "a.xml", session(roi("s", [(3, 3)]), roi("s", SQUARE))))
    assert [nodule.is_mark for nodule in file.sessions[0]] == [True, False]
    assert file.mask(0, {"s": 0}, (1, 9, 9)).sum() == 9


def test_outlines_on_slices_that_are_not_there_are_counted(tmp_path: Path):
    nodule = roi("s", SQUARE) + roi("elsewhere", SQUARE) + roi("nowhere", SQUARE)
    file = read_lidc(lidc_xml(tmp_path / "a.xml", session(nodule, roi("far", [(3, 3)]))))
    assert file.absent(0, {"s": 0}) == 2
    assert file.mask(0, {"s": 0}, (1, 9, 9)).sum() == 9


def test_an_outline_outside_the_image_is_refused(tmp_path: Path):
    file = read_lidc(lidc_xml(tmp_path / "a.xml", session(roi("s", SQUARE))))
    with pytest.raises(UserError, match=r"a\.xml: outlines N outside the image of 5 x 5 pixels"):
        file.mask(0, {"s": 0}, (1, 5, 5))


LAUGHS = '<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><LidcReadMessage>&c;</LidcReadMessage>'


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is not XML"),
        ("<LidcReadMessage><readingSession>", "is not XML"),
        (LAUGHS, "is not XML that can be read"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><LidcReadMessage/>', "is not XML that can be read"),
        ("<note>hello</note>", "is not an LIDC annotation file"),
        ("<IdriReadMessage><CXRreadingSession/></IdriReadMessage>", "is not an LIDC annotation file"),
        ("<LidcReadMessage/>", "is not an LIDC annotation file"),
        (
            f"<LidcReadMessage>{session(roi('s', [(1, 1)]).replace('>1<', '>x<'))}</LidcReadMessage>",
            "cannot be used",
        ),
        (
            f"<LidcReadMessage>{session(roi('s', [(1, 1)]).replace('>1<', '>nan<'))}</LidcReadMessage>",
            "not a usable number",
        ),
        (f"<LidcReadMessage>{session(roi('s', []))}</LidcReadMessage>", "no points"),
    ],
)
def test_files_that_are_not_lidc_are_refused_by_name(tmp_path: Path, content: str, sentence: str):
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(UserError, match=sentence) as caught:
        read_lidc(path)
    assert caught.value.file == path


def test_entities_are_refused_in_any_encoding(tmp_path: Path):
    path = tmp_path / "a.xml"
    path.write_bytes(f'<?xml version="1.0" encoding="utf-16"?>{LAUGHS}'.encode("utf-16"))
    with pytest.raises(UserError, match="is not XML"):
        read_lidc(path)
