"""DICOM codes of a class: those that the study names, or those of the standard's code lists that bear its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from NoisyLabelSegLib.errors import UserError

LESION_TYPES = "cid7159"
"""DICOM's context group of lesion types; what is in it is a morphologically abnormal structure."""

_REMEDY = 'write {"category": ["49755003", "SCT", "Morphologically Abnormal Structure"], "type": [...]}'
SYNONYMS = {"Tumor": "Neoplasm", "Tumour": "Neoplasm", "Oedema": "Edema", "Haemorrhage": "Hemorrhage"}


def segment_codes(name: str, given: Mapping[str, Any] | None = None) -> tuple[Any, Any]:
    """Category and type of a segment as pydicom codes.

    Parameters
    ----------
    name
        The class; "Lung nodules" is looked up as "LungNodules", "LungNodule" and then by its last word, "Nodule".
    given
        `codes[name]` of a study: `{"category": CODE, "type": CODE}`, where CODE is `{"value": "64033007", "scheme":
        "SCT", "meaning": "Kidney"}` or the same three as a list.

    Returns
    -------
    tuple
        Of the class name's entry in the standard's lists, or Tissue, Tissue where it has none.
    """
    from pydicom.sr.codedict import codes

    if given is not None:
        return _code(given.get("category"), name), _code(given.get("type"), name)
    lesions = set(getattr(codes, LESION_TYPES).dir())
    for keyword in _keywords(name):
        if keyword in lesions and keyword != "Background":
            return codes.SCT.MorphologicallyAbnormalStructure, getattr(codes.SCT, keyword)
        if hasattr(codes.SCT, keyword):
            return codes.SCT.AnatomicalStructure, getattr(codes.SCT, keyword)
    return codes.SCT.Tissue, codes.SCT.Tissue


def require_codes(codes: Any, classes: Sequence[str]) -> None:
    """Refuses the `codes` of a study that are not DICOM codes of its classes."""
    if not isinstance(codes, Mapping):
        raise UserError("The study's codes are not an object of classes", remedy=_REMEDY)
    for name, given in codes.items():
        if name not in classes:
            raise UserError(
                f"The study has codes for {name}, which is not one of its classes", remedy="correct the name"
            )
        segment_codes(name, given if isinstance(given, Mapping) else {})


def _keywords(name: str) -> list[str]:
    """The keywords of the code lists that a class name may stand for, most specific first."""
    words = [word.capitalize() for word in re.findall(r"[A-Za-z]+", name)]
    if not words:
        return []
    found = []
    for phrase in (words, words[-1:]):
        for last in (phrase[-1], phrase[-1].removesuffix("s")):
            keyword = "".join([*phrase[:-1], last])
            found += [keyword, SYNONYMS.get(keyword, keyword)]
    return list(dict.fromkeys(found))


def _code(value: Any, name: str) -> Any:
    from pydicom.sr.coding import Code

    parts = [value.get(key) for key in ("value", "scheme", "meaning")] if isinstance(value, Mapping) else value
    if not isinstance(parts, (list, tuple)) or len(parts) != 3 or not all(isinstance(part, str) for part in parts):
        raise UserError(
            f"The study's codes of the class {name} are not DICOM codes",
            remedy=_REMEDY,
        )
    return Code(*parts)
