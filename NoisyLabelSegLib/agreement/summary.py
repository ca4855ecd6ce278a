"""A study's agreement as plain figures: what `agreement.json` holds, and every table and figure is made from."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.agreement.case import Comparison
from NoisyLabelSegLib.agreement.series import bounded, figures, flat, mean, number, of_class
from NoisyLabelSegLib.agreement.study import StudyAgreement
from NoisyLabelSegLib.metrics.reliability import LIMIT, Bounded, bland_altman, icc, loam, repeatability
from NoisyLabelSegLib.metrics.resampling import holm, paired_p_value
from NoisyLabelSegLib.words import counted

FORMAT = "noisylabelseg-agreement/1"
FEW_PATIENTS = 10


def summary(agreement: StudyAgreement) -> dict[str, Any]:
    """Everything as JSON would have it; figures that do not exist are None.

    The figures at the top are of the foreground: means over classes where there are several, with `by_class` below.
    """
    whole = _ClassSummary(agreement, None)
    several = len(agreement.classes) > 2
    return {
        "format": FORMAT,
        "version": __version__,
        "study": agreement.study,
        "cases": len(agreement.cases),
        "patients": len(set(agreement.patients)),
        "readers": list(agreement.readers),
        "classes": list(agreement.classes),
        "settings": {**vars(agreement.settings)},
        "unit": agreement.unit,
        "length_unit": agreement.length_unit,
        **whole.content(),
        "kappa": _kappa(agreement),
        "consensus_of_groups": _groups(agreement),
        "by_class": {
            name: _ClassSummary(agreement, label).content()
            for label, name in enumerate(agreement.classes[1:] if several else (), start=1)
        },
        "left_out": list(agreement.left_out),
        "remarks": remarks(agreement),
    }


class _ClassSummary:
    """The figures of one foreground class, or of all classes together for None."""

    def __init__(self, agreement: StudyAgreement, label: int | None) -> None:
        self._study, self._label = agreement, label
        self._bootstrap = agreement.bootstrap
        self._pairs = [
            pair
            for pair in itertools.combinations(agreement.readers, 2)
            if any(pair in case.pairs for case in agreement.cases)
        ]

    def content(self) -> dict[str, Any]:
        volumes = self._volumes()
        return {
            "overall": self._overall(),
            "pairs": [
                {"a": pair[0], "b": pair[1], **figures(self._series(pair), self._bootstrap)} for pair in self._pairs
            ],
            "leave_one_out": {name: self._against_others(name) for name in self._study.readers},
            "leave_one_out_tests": self._tests(),
            **self._reliability(volumes),
            "bland_altman": self._bland_altman(volumes),
            "within_readers": self._within(),
        }

    def _series(self, pair: tuple[str, str]) -> list[list[Comparison]]:
        return [[of_class(case.pairs[pair], self._label)] if pair in case.pairs else [] for case in self._study.cases]

    def _overall(self) -> dict[str, Any]:
        """All pairs of different readers; the pairs of a case are averaged first."""
        series = [[of_class(found, self._label) for found in case.pairs.values()] for case in self._study.cases]
        return figures(series, self._bootstrap)

    def _against_others(self, name: str) -> dict[str, Any]:
        series = [
            [of_class(case.leave_one_out[name], self._label)] if name in case.leave_one_out else []
            for case in self._study.cases
        ]
        differences = [items[0].difference if items else np.nan for items in series]
        return {**figures(series, self._bootstrap), **flat("difference", self._bootstrap.mean(differences))}

    def _tests(self) -> list[dict[str, Any]]:
        """Whether two readers differ in their Dice with the consensus of the others, p-values corrected by Holm."""
        dice = {
            name: np.array(
                [
                    of_class(case.leave_one_out[name], self._label).dice if name in case.leave_one_out else np.nan
                    for case in self._study.cases
                ]
            )
            for name in self._study.readers
        }
        rows = []
        for a, b in self._pairs:
            differences = dice[a] - dice[b]
            row = {"a": a, "b": b, "cases": int(np.isfinite(differences).sum())}
            row |= flat("difference", self._bootstrap.mean(differences))
            rows.append({**row, "p": paired_p_value(differences, self._study.patients)})
        return _with_holm(rows)

    def _volumes(self) -> NDArray[np.float64]:
        """(cases, readers): of the first reading, NaN where a reader did not label a case."""
        table = np.full((len(self._study.cases), len(self._study.readers)), np.nan)
        for row, case in enumerate(self._study.cases):
            for column, name in enumerate(self._study.readers):
                if name in case.volumes:
                    table[row, column] = self._volume(case.volumes[name][0])
        return table

    def _volume(self, by_class: tuple[float, ...]) -> float:
        return sum(by_class) if self._label is None else by_class[self._label - 1]

    def _reliability(self, volumes: NDArray[np.float64]) -> dict[str, Any]:
        """ICC and limits of agreement with the mean, on the cases that every reader labeled."""
        complete: NDArray[np.bool_] = np.asarray(np.isfinite(volumes).all(axis=1))
        table = np.where(complete[:, None], volumes, 0.0)
        found = icc(volumes[complete])
        result: dict[str, Any] = {}
        for key, figure in (("icc_2_1", found.icc_2_1), ("icc_3_1", found.icc_3_1)):
            if self._study.clustered and np.isfinite(figure.value):

                def drawn(places: NDArray[np.intp], key: str = key) -> float:
                    return float(getattr(icc(table[places[complete[places]]]), key).value)

                figure = Bounded(figure.value, *self._bootstrap.interval(drawn))
            result[key] = {**bounded(figure), "cases": int(complete.sum())}
        half = loam(volumes[complete])
        interval = self._bootstrap.interval(lambda places: loam(table[places[complete[places]]]))
        result["loam"] = {**bounded(Bounded(half, *interval)), "cases": int(complete.sum())}
        return result

    def _bland_altman(self, volumes: NDArray[np.float64]) -> list[dict[str, Any]]:
        rows = []
        for a, b in self._pairs:
            first, second = (volumes[:, self._study.readers.index(name)] for name in (a, b))
            found = bland_altman(second - first)
            row: dict[str, Any] = {"a": a, "b": b, "cases": found.cases, "spread": number(found.spread)}
            for key in ("bias", "lower", "upper"):
                row |= flat(key, self._clustered(getattr(found, key), second - first, key))
            both = np.isfinite(first) & np.isfinite(second)
            row["points"] = np.stack([(first + second)[both] / 2, (second - first)[both]], axis=1).tolist()
            row["p"] = paired_p_value(second - first, self._study.patients)
            rows.append(row)
        return _with_holm(rows)

    def _clustered(self, figure: Bounded, differences: NDArray[np.float64], key: str) -> Bounded:
        """A figure of Bland and Altman; its interval is from the bootstrap where patients have several cases."""
        if not self._study.clustered or not np.isfinite(figure.value):
            return figure

        def drawn(places: NDArray[np.intp]) -> float:
            known = differences[places]
            known = known[np.isfinite(known)]
            if known.size < 2:
                return np.nan
            shift = {"bias": 0.0, "lower": -LIMIT, "upper": LIMIT}[key]
            return float(known.mean() + shift * known.std(ddof=1))

        return Bounded(figure.value, *self._bootstrap.interval(drawn))

    def _within(self) -> dict[str, Any] | None:
        """Of readers who read cases more than once, each and all together; None where nobody did."""
        repeated = self._study.repeated
        if not repeated:
            return None
        result: dict[str, Any] = {"readers": {}}
        for name in repeated:
            series = [
                [of_class(found, self._label) for found in case.within.get(name, ())] for case in self._study.cases
            ]
            result["readers"][name] = {
                **figures(series, self._bootstrap),
                "repeatability": number(repeatability(self._repeated_volumes(name))),
            }
        series = [
            [of_class(found, self._label) for name in repeated for found in case.within.get(name, ())]
            for case in self._study.cases
        ]
        everyone = [values for name in repeated for values in self._repeated_volumes(name)]
        result["overall"] = {
            **figures(series, self._bootstrap),
            "repeatability": number(repeatability(everyone)),
        }
        return result

    def _repeated_volumes(self, name: str) -> list[list[float]]:
        return [
            [self._volume(by_class) for by_class in case.volumes[name]]
            for case in self._study.cases
            if name in case.within
        ]


def _with_holm(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with their p-values corrected over all of them."""
    adjusted = holm([row["p"] for row in rows]).tolist()
    return [{**row, "p": number(row["p"]), "p_holm": number(p)} for row, p in zip(rows, adjusted, strict=True)]


def _kappa(agreement: StudyAgreement) -> dict[str, Any]:
    """Means over cases of chance-corrected agreement, on the region and on the whole image."""
    result = {}
    for place in ("region", "whole_image"):
        found = [getattr(case, place) for case in agreement.cases]
        cohen = [mean(list(item.cohen.values())) if item else np.nan for item in found]
        fleiss = [item.fleiss if item else np.nan for item in found]
        alpha = [item.krippendorff if item else np.nan for item in found]
        result[place] = {
            "cohen": bounded(agreement.bootstrap.mean(cohen)),
            "fleiss": bounded(agreement.bootstrap.mean(fleiss)),
            "krippendorff": bounded(agreement.bootstrap.mean(alpha)),
            "cases": int(np.isfinite(fleiss).sum()),
        }
    return result


def _groups(agreement: StudyAgreement) -> list[dict[str, Any]]:
    """The consensus of 1, 2, ... readers, on the cases that the most readers labeled."""
    most = max((len(case.groups) for case in agreement.cases), default=0)
    rows = []
    for size in range(1, most + 1):
        found = [case.groups[size] if len(case.groups) == most else None for case in agreement.cases]
        row: dict[str, Any] = {"readers": size, "cases": sum(item is not None for item in found)}
        for key in ("with_left_out", "with_all"):
            values = [getattr(item, key) if item else np.nan for item in found]
            row |= flat(key, agreement.bootstrap.mean(values))
        rows.append(row)
    return rows


def remarks(agreement: StudyAgreement) -> list[str]:
    """Sentences about what limits the figures."""
    found = []
    patients, readers = len(set(agreement.patients)), len(agreement.readers)
    if agreement.left_out:
        found.append(
            f"{counted(len(agreement.left_out), 'case was', 'cases were')} read fewer than two times: left out."
        )
    if patients < 2:
        found.append("All cases are of one patient, so there are no intervals and no tests.")
    elif patients < FEW_PATIENTS:
        found.append(f"With {counted(patients, 'patient')} the bootstrap intervals are too narrow.")
    largest_edge = max(case.smallest_edge for case in agreement.cases)
    if agreement.settings.tolerance_mm < largest_edge:
        found.append(
            f"The tolerance of {agreement.settings.tolerance_mm:g} mm is below the voxel edge of {largest_edge:.3g} mm "
            "of some cases, where surface Dice counts identical border voxels only."
        )
    if readers == 3:
        found.append("With three readers the consensus of the others is made of two, who cannot outvote each other.")
    if readers > 1 and not any(set(agreement.readers) <= set(case.volumes) for case in agreement.cases):
        found.append(
            "No case was labeled by every reader, so there are no ICC and no limits of agreement with the mean."
        )
    if _differences_grow(agreement):
        word = agreement.size_word
        found.append(
            f"Differences in {word} grow with {word}: limits of agreement are too wide for small structures and too "
            "narrow for large ones."
        )
    return found


def _differences_grow(agreement: StudyAgreement) -> bool:
    """Whether readers differ more where their mean is larger, by rank correlation over the cases."""
    from scipy.stats import spearmanr

    means, spreads = [], []
    for case in agreement.cases:
        sizes = [sum(readings[0]) for readings in case.volumes.values()]
        if len(sizes) > 1:
            means.append(float(np.mean(sizes)))
            spreads.append(float(np.std(sizes)))
    if len(means) < FEW_PATIENTS or np.ptp(means) == 0 or np.ptp(spreads) == 0:
        return False
    return float(spearmanr(means, spreads).statistic) > 0.5
