"""The tables of annotators and errors: other figures, and another order."""

from __future__ import annotations

from Testing.widget.annotator_table import cell, select, ui_of


def click_title(table, column):
    """What a click on a column's title does."""
    table.horizontalHeader().sectionClicked.emit(column)


def test_a_click_on_a_title_sorts_the_annotators_and_another_turns_the_order_around(opened):
    table = ui_of(opened).statisticsTable

    def names():
        return [table.item(row, 0).text() for row in range(table.model().rowCount())]

    assert names() == ["exact", "wide", "misses"]
    select(opened, "wide")
    click_title(table, 1)
    dice = [float(cell(opened, name, "Dice")) for name in names()]
    assert dice == sorted(dice)
    click_title(table, 1)
    assert names()[0] == "exact"
    assert opened.annotatorsSection.annotator == "wide"


def test_errors_are_sorted_by_their_size_and_next_follows_the_order(opened):
    select(opened, "wide")
    table = ui_of(opened).mistakesTable
    click_title(table, 1)
    listed = opened.annotatorsSection._mistakes.order
    assert [mistake.size for mistake in listed] == sorted(mistake.size for mistake in listed)
    ui_of(opened).nextButton.click()
    assert opened.annotators.mistake == listed[0]


def test_other_figures_take_the_place_of_the_overview(opened):
    ui = ui_of(opened)
    ui.figureSelector.setProperty("currentIndex", ui.figureSelector.findData("objects"))
    ui.figureSelector.activated.emit(2)
    assert (cell(opened, "misses", "Found"), cell(opened, "misses", "Missed"), cell(opened, "misses", "False")) == (
        "1",
        "1",
        "0",
    )
    ui.figureSelector.setProperty("currentIndex", ui.figureSelector.findData("borders"))
    ui.figureSelector.activated.emit(1)
    assert float(cell(opened, "wide", "HD95\nmm")) >= 1.0
    assert cell(opened, "exact", "HD95\nmm") == "0.0"
