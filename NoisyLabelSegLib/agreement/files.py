"""A study's agreement as a folder: JSON, CSV, tables for a manuscript, a methods paragraph and figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.agreement.figures import plots
from NoisyLabelSegLib.agreement.methods_text import methods_text
from NoisyLabelSegLib.agreement.plot_files import PLOTS, plots_text
from NoisyLabelSegLib.agreement.plots import Plot
from NoisyLabelSegLib.agreement.settings import AgreementSettings
from NoisyLabelSegLib.agreement.study import StudyAgreement, agree_study
from NoisyLabelSegLib.agreement.summary import summary
from NoisyLabelSegLib.agreement.svg import svg_text
from NoisyLabelSegLib.agreement.tables import csv_files, latex, manuscript_tables, markdown
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.finished_cases import remembering, run_key
from NoisyLabelSegLib.failures import Failures
from NoisyLabelSegLib.output import FINISHED, csv_text, output_folder, write_text
from NoisyLabelSegLib.progress import Map, Report, silent

Draw = Callable[[Plot, Path], None]
"""Draws a plot into a file, such as the command line's PNG writer."""


def write_agreement(
    study: Study,
    out: str | Path,
    settings: AgreementSettings | None = None,
    *,
    run: Map = map,
    failures: Failures | None = None,
    draw: Draw | None = None,
    force: bool = False,
    report: Report = silent,
) -> dict[str, Any]:
    """Compares the readers of a study and writes everything to `out`, all of it or nothing.

    A run that was killed or interrupted is gone on with by the same one.

    Parameters
    ----------
    study
        The study.
    out, force
        The folder for `agreement.json`, CSV files, `tables.md`, `tables.tex`, `methods.md` and `figures/`, and whether
        files of the same name there are replaced.
    settings, run, failures, report
        As for `agree_study`.
    draw
        Draws each plot as a PNG file beside its SVG file; None for SVG only.

    Returns
    -------
    dict
        What `agreement.json` holds.
    """
    failures = failures or Failures()
    key = run_key(study, "agree", settings, failures.keep_going)
    with output_folder(out, force=force, key=key) as folder:
        run = remembering(run, folder / FINISHED)
        agreement = agree_study(study, settings, run=run, failures=failures, report=report)
        content = {**summary(agreement), "failed": [asdict(failure) for failure in failures.found]}
        write_text(folder / "agreement.json", json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
        _write_tables(folder, agreement, content)
        drawn = plots(agreement, content)
        write_text(folder / "figures" / PLOTS, plots_text(drawn))
        for plot in drawn:
            write_text(folder / "figures" / f"{plot.name}.svg", svg_text(plot))
            if draw is not None:
                draw(plot, folder / "figures" / f"{plot.name}.png")
    return content


def _write_tables(folder: Path, agreement: StudyAgreement, content: dict[str, Any]) -> None:
    for name, rows in csv_files(agreement, content).items():
        write_text(folder / name, csv_text(rows))
    tables = manuscript_tables(agreement, content)
    write_text(folder / "tables.md", markdown(tables))
    write_text(folder / "tables.tex", latex(tables))
    write_text(folder / "methods.md", methods_text(agreement, content))
