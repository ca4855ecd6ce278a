"""The panel on a screen of 150 %, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

AT_150_PERCENT = """
from pathlib import Path
from slicerhost import start
from slicerhost.looks import look
from slicerhost.settings import keep_settings_in
from slicerhost.stage import Stage
host = start()
look(host.qt_application, dark=False)
keep_settings_in(Path.cwd())
stage = Stage(host, Path.cwd())
panel, ui = stage._panel, stage._panel.annotatorsSection._ui
panel.caseSection._ui.demoButton.click()
host.wait_for(lambda: panel.annotators.review is not None)
stage._choose("majority")
ui.statisticsTable.selectRow(2)
ui.nextButton.click()
stage._picture("annotators", "annotatorsSection")
print(ui.errorTabs.size().height() - ui.errorTabs.minimumSizeHint().height())
"""


def test_13_at_150_percent_no_table_lies_over_what_is_below_it(host, tmp_path):
    assert host is not None
    folders = [str(Path(__file__).resolve().parents[2] / name) for name in ("Testing/Host", ".")]
    surroundings = {"QT_SCALE_FACTOR": "1.5", "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": os.pathsep.join(folders)}
    done = subprocess.run(
        [sys.executable, "-c", AT_150_PERCENT],
        env={**os.environ, **surroundings},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout.split()[-1]) >= 0
