"""The host does what the application was seen to do, where plain Qt and a plain scene do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import slicer
from PySide6.QtWidgets import QTableWidget, QTableWidgetItem
from slicerhost import Host
from slicerhost.fixtures import module, no_main_window  # noqa: F401
from slicerhost.mrml_widgets import qMRMLNodeComboBox


@pytest.fixture
def volumes(host: Host) -> list[Any]:
    assert host.scene is slicer.mrmlScene
    return [slicer.util.addVolumeFromArray(np.zeros((2, 3, 4)), name=name) for name in ("first", "second")]


@pytest.fixture
def selector(host: Host, volumes: list[Any]) -> qMRMLNodeComboBox:
    assert volumes
    box = qMRMLNodeComboBox()
    box.noneEnabled = True
    box.nodeTypes = ["vtkMRMLScalarVolumeNode"]
    box.setMRMLScene(host.scene)
    return box


def test_the_offset_of_a_new_slice_view_goes_to_zero_in_the_first_event_loop(host: Host) -> None:
    node = slicer.vtkMRMLSliceNode()
    node.SetSingletonTag("New")
    node = host.scene.AddNode(node)
    node.SetSliceOffset(12)
    host.qt_application.processEvents()
    assert node.GetSliceOffset() == 0
    node.SetSliceOffset(12)
    host.qt_application.processEvents()
    assert node.GetSliceOffset() == 12, "only the first time"
    host.scene.RemoveNode(node)


def test_binding_parameters_announces_their_node_before_it_returns(
    host: Host, selector: qMRMLNodeComboBox, volumes: list[Any]
) -> None:
    from PySide6.QtWidgets import QVBoxLayout, QWidget
    from slicer.parameterNodeWrapper import parameterNodeWrapper

    assert host is not None
    parameters = type("Parameters", (), {"__annotations__": {"volume": slicer.vtkMRMLScalarVolumeNode}})
    node = slicer.vtkMRMLScriptedModuleNode()
    slicer.mrmlScene.AddNode(node)
    wrapper = parameterNodeWrapper(parameters)(node)
    wrapper.volume = volumes[1]
    form, seen = QWidget(), []
    QVBoxLayout(form).addWidget(selector)
    selector.setProperty("SlicerParameterName", "volume")
    selector.currentNodeChanged.connect(seen.append)
    tag = wrapper.connectGui(form)
    assert seen == [volumes[1]]
    wrapper.disconnectGui(tag)


def test_when_the_chosen_volume_is_removed_the_selector_takes_another_although_none_is_allowed(
    host: Host, selector: qMRMLNodeComboBox, volumes: list[Any]
) -> None:
    selector.setCurrentNode(volumes[1])
    host.scene.RemoveNode(volumes[1])
    assert selector.currentNode() is volumes[0]


def test_tool_tips_read_back_as_rich_text(module: Any) -> None:  # noqa: F811
    button = module.panel.exportSection._ui.exportButton
    assert button.property("toolTip") == "<p>Estimate the truth first.</p>"
    button.setToolTip("less < more")
    assert button.property("toolTip") == "<p>less &lt; more</p>"


def test_fitting_the_columns_undoes_a_stretched_one(host: Host) -> None:
    table = QTableWidget(1, 2)
    table.resize(400, 100)
    table.horizontalHeader().setStretchLastSection(True)
    table.setItem(0, 1, QTableWidgetItem("short"))
    table.show()
    host.qt_application.processEvents()
    assert table.columnWidth(1) > 200
    table.resizeColumnsToContents()
    assert table.columnWidth(1) < 100
    table.close()


def test_the_panel_is_as_narrow_as_in_slicer_and_the_views_are_drawn_at_their_size(
    host: Host,
    module: Any,  # noqa: F811
    volumes: list[Any],
) -> None:
    from slicerhost.window import PANEL_WIDTH, Window

    slicer.util.setSliceViewerLayers(background=volumes[0])
    window = Window(module)
    window.show()
    host.qt_application.processEvents()
    assert window.scroll.width() == pytest.approx(PANEL_WIDTH, abs=10)
    window.views.redraw()
    view = window.views._views["Red"].view
    assert view.pixmap().size() == view.size()
    assert view.width() > 1.1 * view.height(), "wide as in the application, where legends overlapped"
    window.views.close_views()
    module.parent.setParent(None)  # it outlives the window
    window.close()


def test_without_a_main_window_there_is_no_layout_manager_and_no_view(
    host: Host,
    no_main_window: None,  # noqa: F811
) -> None:
    assert no_main_window is None
    assert slicer.util.mainWindow() is None
    assert slicer.app.layoutManager() is None
    assert slicer.app.testingEnabled()
    for name in ("vtkMRMLLayoutNode", "vtkMRMLSliceNode", "vtkMRMLSliceCompositeNode"):
        assert host.scene.GetFirstNodeByClass(name) is None
    host.close_scene()
    assert host.scene.GetFirstNodeByClass("vtkMRMLLayoutNode") is None


def test_the_main_window_comes_back_with_its_views(host: Host) -> None:
    host.application.use_main_window(used=False)
    host.application.use_main_window(used=True)
    assert host.scene.GetNodeByID("vtkMRMLSliceNodeRed") is not None
    assert slicer.app.layoutManager() is not None
