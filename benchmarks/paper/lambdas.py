"""The paper's figure of validation accuracy during training, for several weights of the trace."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.paper.outcome import Outcome
from benchmarks.paper.studies import TITLES, Wanted, differences
from benchmarks.paper.trainings import QUICK_SAYS, Training, Trainings

LAMBDAS = (0.001, 0.01, 0.1, 0.4, 0.7, 0.9)
LABELS = {"dense": "all labels", "one": "one label per image"}


def run(_name: str, trainings: Trainings) -> Outcome:
    rows, curves = [], {}
    wanted = {
        (labels, trace): [
            Training(Wanted("mnist", labels, 0, trainings.quick), "coupled", (f"trace={trace}",), curve=True)
        ]
        for labels in LABELS
        for trace in LAMBDAS
    }
    for (labels, trace), (record,) in trainings.groups(wanted).items():
        curve = curves[labels, trace] = record["curve"]
        best = max(range(len(curve)), key=curve.__getitem__)
        numbers = [f"{100 * value:.2f}" for value in (curve[-1], curve[best], record["dice"])]
        rows.append([LABELS[labels], f"{trace:g}", numbers[0], f"{numbers[1]} (epoch {best + 1})", numbers[2]])
    columns = ["labels", "lambda", "Dice (%), last epoch", "Dice (%), best epoch", "Dice (%), test"]
    says = [
        differences("mnist", quick=trainings.quick, data=trainings.data),
        "The paper shows curves without numbers, so there is no row of it to print; it uses lambda = 0.7 on MNIST.",
        "One seed. Dice is of p against the truth of validation cases, which no training uses.",
        *([QUICK_SAYS] if trainings.quick else []),
    ]
    return Outcome(f"{TITLES['mnist']}: Dice over epochs, by lambda", columns, rows, says, {"": _figure(curves)})


def _figure(curves: dict[tuple[str, float], list[float]]) -> Figure:
    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, labels in zip(figure.subplots(1, 2, sharey=True), LABELS, strict=True):
        for trace in LAMBDAS:
            curve = curves[labels, trace]
            axes.plot(range(1, len(curve) + 1), curve, label=f"lambda {trace:g}")
        axes.set(title=LABELS[labels], xlabel="epoch", ylim=(0, 1))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("Dice on validation cases")
    figure.axes[0].legend(fontsize=8)
    return figure
