"""What tests read and choose in the table of annotators."""

from __future__ import annotations


def ui_of(panel):
    return panel.annotatorsSection._ui


def text(widget):
    return widget.property("text")


def cell(panel, annotator, column):
    table = ui_of(panel).statisticsTable
    rows = {table.item(row, 0).text(): row for row in range(table.model().rowCount())}
    titles = [table.horizontalHeaderItem(place).text() for place in range(table.model().columnCount())]
    return table.item(rows[annotator], titles.index(column)).text()


def select(panel, annotator):
    table = ui_of(panel).statisticsTable
    rows = {table.item(row, 0).text(): row for row in range(table.model().rowCount())}
    table.selectRow(rows[annotator])
