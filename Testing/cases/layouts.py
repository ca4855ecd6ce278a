"""Folders as people have them: for each the files and the options for `import folder`.

layouts.txt beside this file holds what the command must print about each.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import SimpleITK as sitk

from NoisyLabelSegLib.cases import Geometry, Image, write_image
from NoisyLabelSegLib.cases.seg_nrrd import write_seg_nrrd
from NoisyLabelSegLib.cases.segments import Segmentation

SHAPE = (3, 6, 7)
GRID = Geometry.plain(SHAPE, (0.7, 0.7, 2.5))


@dataclass(frozen=True)
class Layout:
    """`files` are paths; those of images hold gray values, `values` gives the label of the others where it is not 1."""

    images: str
    labels: str
    options: tuple[str, ...] = ()
    values: dict[str, int] = field(default_factory=dict)
    segments: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    channels: int = 1
    source: str = ""

    def make(self, folder: Path) -> Path:
        for name in self.images.split():
            _put_image(folder / name, self.channels)
        for name in self.labels.split():
            _put_labels(folder / name, self.values.get(name, self.values.get("", 1)), self.segments.get(name))
        for name, text in self.texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        return folder / self.source


def _put_image(path: Path, channels: int) -> None:
    array = np.arange(np.prod(SHAPE), dtype=np.int16).reshape(SHAPE)
    if channels == 1:
        flat = path.suffix == ".png"
        write_image(path, Image(array[0].astype(np.uint8), Geometry.plain(SHAPE[1:])) if flat else Image(array, GRID))
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    four = sitk.JoinSeries([sitk.GetImageFromArray(array + number) for number in range(channels)])
    four.SetSpacing((0.7, 0.7, 2.5, 1.0))
    sitk.WriteImage(four, str(path))


def _put_labels(path: Path, value: int, segment: str | None) -> None:
    flat = path.suffix == ".png"
    geometry = Geometry.plain(SHAPE[1:]) if flat else GRID
    array = np.zeros(geometry.shape, np.uint8 if value < 256 else np.uint16)
    array.flat[:5] = value
    if segment is None:
        write_image(path, Image(array, geometry))
    else:
        names = ["background", *(f"other {number}" for number in range(1, value)), segment]
        whole = Segmentation.from_labels(Image(array, geometry), names)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_seg_nrrd(path, Segmentation(whole.geometry, whole.layers, whole.segments[-1:]))


_V2 = json.dumps({"channel_names": {"0": "CT"}, "labels": {"background": 0, "liver": 1}, "file_ending": ".nii.gz"})
_DECATHLON = json.dumps({"name": "BRATS", "modality": {"0": "FLAIR"}, "labels": {"0": "background", "1": "edema"}})
_BIDS = json.dumps({"Name": "Lesions", "BIDSVersion": "1.10.0", "DatasetType": "derivative"})
_WIDE = (
    "case,image,anna,bert,truth,split\np1,i/1.nrrd,l/a1.nrrd,l/b1.nrrd,l/t1.nrrd,train\np2,i/2.nrrd,l/a2.nrrd,,,test\n"
)
_LONG = "case;image;reader;labels\np1;i/1.nrrd;anna;l/a1.nrrd\np1;i/1.nrrd;bert;l/b1.nrrd\n"

LAYOUTS = {
    "a folder per case": Layout("p1/image.nrrd p2/image.nrrd", "p1/anna.nrrd p1/bert.nrrd p2/anna.nrrd"),
    "a folder per case with a reference": Layout("p1/ct.nrrd", "p1/anna.nrrd p1/bert.mha p1/truth.nrrd"),
    "channels in a folder per case": Layout("p1/t1.nii.gz p1/flair.nii.gz", "p1/anna.nii.gz p1/bert.nii.gz"),
    "the word mask in a folder per case": Layout("p1/ct.nrrd", "p1/reader1_mask.nrrd p1/reader2_mask.nrrd"),
    "repeated readings": Layout("p1/image.nrrd", "p1/anna.nrrd p1/anna_repeat.nrrd p1/bert.nrrd"),
    "the folder is the case": Layout("image.nrrd", "anna.nrrd bert.nrrd"),
    "a folder per annotator": Layout(
        "images/a.png images/b.png", "masks/anna/a.png masks/bert/a.png", values={"": 255}
    ),
    "a folder per annotator beside the images": Layout("images/a.png", "anna/a.png bert/a.png gt/a.png"),
    "annotators in the names of masks": Layout("images/a.png", "masks/a_anna.png masks/a_bert.png"),
    "masks with a suffix": Layout("images/a.png", "anna/a_segmentation.png bert/a_mask.png"),
    "nested folders": Layout("x/n1/images/s.png x/n2/images/s.png", "x/n1/anna/s.png x/n2/anna/s.png x/n2/bert/s.png"),
    "names in one folder": Layout(
        "sub-01_ct.nii.gz sub-02_ct.nii.gz",
        "sub-01_reader1_mask.nii.gz sub-01_reader2_mask.nii.gz sub-02_reader1_mask.nii.gz",
    ),
    "names of images without a suffix": Layout("p1.nrrd p2.nrrd", "p1_anna.nrrd p1_bert.nrrd p2_anna.nrrd"),
    "readers before cases in the names": Layout(
        "case01.nii.gz case02.nii.gz", "reader1_case01.nii.gz reader2_case01.nii.gz reader1_case02.nii.gz"
    ),
    "names in a folder per case": Layout(
        "B1/B1_flair.nii.gz B1/B1_t1.nii.gz", "B1/B1_seg_anna.nii.gz B1/B1_seg_bert.nii.gz B1/B1_gt.nii.gz"
    ),
    "a file that belongs to nothing": Layout("p1_ct.nrrd", "p1_anna_mask.nrrd p1_bert_mask.nrrd other.nrrd"),
    "labels alone by name": Layout("", "p1_anna_mask.nrrd p1_bert_mask.nrrd p2_anna_mask.nrrd"),
    "labels alone in a folder per case": Layout("", "case1/anna.nrrd case1/bert.nrrd case2/anna.nrrd"),
    "labels alone in a folder per reader": Layout("", "reader1/x.nrrd reader2/x.nrrd reader2/y.nrrd"),
    "labels alone in one folder": Layout("", "anna.nrrd bert.nrrd"),
    "one scan and segmentations of Slicer": Layout(
        "CTChest.nrrd", "anna.seg.nrrd bert.seg.nrrd", segments={"anna.seg.nrrd": "Edema", "bert.seg.nrrd": "oedema"}
    ),
    "segments of one name and another value": Layout(
        "ct.nrrd",
        "anna.seg.nrrd bert.seg.nrrd",
        values={"bert.seg.nrrd": 7},
        segments={"anna.seg.nrrd": "Liver", "bert.seg.nrrd": "Liver"},
    ),
    "ivadomed": Layout(
        "sub-01/anat/sub-01_T2w.nii.gz sub-01/anat/sub-01_T1w.nii.gz sub-02/anat/sub-02_T2w.nii.gz",
        "derivatives/labels/sub-01/anat/sub-01_T2w_lesion-manual-rater1.nii.gz "
        "derivatives/labels/sub-01/anat/sub-01_T2w_lesion-manual-rater2.nii.gz "
        "derivatives/labels/sub-02/anat/sub-02_T2w_lesion-manual-rater1.nii.gz",
    ),
    "ivadomed with a folder per reader": Layout(
        "sub-01/ses-1/anat/sub-01_ses-1_acq-ax_T2w.nii.gz",
        "derivatives/labels_anna/sub-01/ses-1/anat/sub-01_ses-1_acq-ax_T2w_seg-manual.nii.gz "
        "derivatives/labels_bert/sub-01/ses-1/anat/sub-01_ses-1_acq-ax_T2w_seg-manual.nii.gz",
    ),
    "ivadomed with several structures and contrasts": Layout(
        "sub-01/anat/sub-01_T2w.nii.gz sub-01/anat/sub-01_T1w.nii.gz",
        "derivatives/labels/sub-01/anat/sub-01_T2w_gmseg-rater1.nii.gz "
        "derivatives/labels/sub-01/anat/sub-01_T2w_gmseg-rater2.nii.gz "
        "derivatives/labels/sub-01/anat/sub-01_T1w_label-SC_seg.nii.gz",
    ),
    "nnU-Net": Layout(
        "imagesTr/a_0000.nii.gz imagesTr/a_0001.nii.gz imagesTs/t_0000.nii.gz",
        "labelsTr/a.nii.gz",
        texts={"dataset.json": _V2},
    ),
    "nnU-Net with readers": Layout(
        "imagesTr/a_0000.nii.gz",
        "labelsTr/a.nii.gz labelsTr_anna/a.nii.gz labelsTr_bert/a.nii.gz",
        texts={"dataset.json": _V2},
    ),
    "Decathlon": Layout(
        "imagesTr/B_001.nii.gz", "labelsTr/B_001.nii.gz", texts={"dataset.json": _DECATHLON}, channels=4
    ),
    "BIDS derivatives": Layout(
        "sub-01/anat/sub-01_T1w.nii.gz",
        "sub-01/anat/sub-01_desc-anna_dseg.nii.gz sub-01/anat/sub-01_desc-bert_dseg.nii.gz",
        texts={"dataset_description.json": _BIDS, "dseg.tsv": "index\tname\n0\tbackground\n1\tlesion\n"},
    ),
    "BIDS with raters and sessions": Layout(
        "sub-01/ses-1/anat/sub-01_ses-1_FLAIR.nii.gz",
        "derivatives/manual/sub-01/ses-1/anat/sub-01_ses-1_rater-1_label-lesion_mask.nii.gz "
        "derivatives/manual/sub-01/ses-1/anat/sub-01_ses-1_rater-2_label-lesion_mask.nii.gz",
    ),
    "BIDS with a folder per reader": Layout(
        "sub-01/anat/sub-01_T1w.nii.gz",
        "derivatives/anna/sub-01/anat/sub-01_dseg.nii.gz derivatives/bert/sub-01/anat/sub-01_dseg.nii.gz",
    ),
    "masks of 65535": Layout("p1/image.nrrd", "p1/anna.nrrd p1/bert.nrrd", values={"": 65535}),
    "masks of 1000 and of 1": Layout("p1/image.nrrd", "p1/anna.nrrd p1/bert.nrrd", values={"p1/anna.nrrd": 1000}),
    "a layout that is described": Layout(
        "scans/p1.nrrd",
        "drawn/p1-by-anna.nrrd drawn/p1-by-bert.nrrd",
        options=("--layout", "scans/{case}.nrrd", "drawn/{case}-by-{reader}.nrrd"),
    ),
    "a table with a row per case": Layout(
        "i/1.nrrd i/2.nrrd", "l/a1.nrrd l/b1.nrrd l/t1.nrrd l/a2.nrrd", texts={"cases.csv": _WIDE}, source="cases.csv"
    ),
    "a table with a row per file": Layout(
        "i/1.nrrd", "l/a1.nrrd l/b1.nrrd", texts={"cases.csv": _LONG}, source="cases.csv"
    ),
    "values that differ between readers": Layout(
        "p1/image.nrrd", "p1/anna.nrrd p1/bert.nrrd", values={"p1/bert.nrrd": 7}
    ),
    "values made the same": Layout(
        "p1/image.nrrd", "p1/anna.nrrd p1/bert.nrrd", values={"p1/bert.nrrd": 7}, options=("--relabel", "bert:7=1")
    ),
    "an empty label": Layout("p1/image.nrrd", "p1/anna.nrrd p1/bert.nrrd", values={"p1/bert.nrrd": 0}),
    "one reader": Layout("p1/image.nrrd", "p1/anna.nrrd"),
}
