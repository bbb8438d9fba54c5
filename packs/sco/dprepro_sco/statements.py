"""What phased ERM and phased SGD are stated to do: derived here, after papers whose texts were not at hand."""

from __future__ import annotations

from collections.abc import Mapping

from dprepro.constructions import AxisPopulation, CoinPopulation
from dprepro.refute import Attack, Axis, Sides, axis
from dprepro.statements.statement import Says, Statement
from dprepro_sco.attacks import SampledRisks
from dprepro_sco.phased import Phased, PhasedERM, PhasedSGD
from dprepro_sco.stream import DirectionStream

_BOUNDS = "dprepro_sco.bounds."
_PAIRS = "dprepro_sco.neighbours."
_DRAWS = "n independent draws from any population, one pass"
_LOSS = "each record's loss is convex and L-Lipschitz on K"
_START = r"K is convex and within D of $w_0$; all is written for the ball about $w_0$, D its radius"
_PHASES = "phases are a partition that does not look at the records"
_SMOOTH = r"each record's loss is $\beta$-smooth, $\eta_1 \le 2/\beta$ (the algorithm refuses else)"
_AFTER = "Derived here, after Feldman, Koren and Talwar 2020, whose constants were not at hand."
_NUMBERS = ["n >= 2", "delta > 0"]

STATEMENTS = (
    Statement(
        item="Phased ERM, sensitivity",
        kind="inequality",
        says=Says(
            text=(
                r"A record of a phase moves its minimum by $L \eta_i$ at most, smooth losses or not; linear losses "
                "attain it."
            ),
            latex=r"|\bar w_i - \bar w_i'| \le L \eta_i",
            premise=["size >= 1"],
            assumes=[_LOSS, "a record is replaced", "exact minima"],
            quantifiers=["for all data"],
            direction="at_most",
        ),
        note=_AFTER,
    ),
    Statement(
        item="Phased ERM, privacy",
        kind="privacy",
        says=Says(
            text=(
                r"Phased ERM with noise $L \eta_i/\mu$ is $\mu$-Gaussian differentially private in all, also where "
                "every $w_i$ and the partition are published."
            ),
            premise=["algorithm is PhasedERM", *_NUMBERS],
            assumes=[_LOSS, _PHASES, "exact minima"],
        ),
        note="Derived here: a record is in one phase, so that nothing composes.",
    ),
    Statement(
        item="Phased ERM, risk",
        kind="rate",
        says=Says(
            text=(
                r"The population risk of phased ERM is at most $LD (3.266/\sqrt n + 16 \sqrt d/(\mu n))$ for n a power "
                "of 2, up to lower order, and the sum of the bound for any n; no smoothness is needed."
            ),
            latex=r"\mathbb E F(w) - F(w^*) \le L D \left(\frac{3.266}{\sqrt n} + \frac{16 \sqrt d}{\mu n}\right)",
            premise=["algorithm is PhasedERM", "algorithm.phases is halving", *_NUMBERS],
            assumes=[_LOSS, _START, _DRAWS],
            quantifiers=["for all data", "in expectation"],
            direction="at_most",
            rate=f"{_BOUNDS}erm",
            bound=f"{_BOUNDS}erm",
        ),
        note=f"{_AFTER} Worst seen: .23 of it, on linear losses.",
    ),
    Statement(
        item="Phased SGD, sensitivity",
        kind="inequality",
        says=Says(
            text=(
                r"A record of a phase moves the mean of its points by $2 L \eta_i$ at most where losses are smooth and "
                r"$\eta_i \le 2/\beta$; linear losses attain $2 L \eta_i (T - 1)/T$."
            ),
            latex=r"|\bar w_i - \bar w_i'| \le 2 L \eta_i",
            premise=["size >= 1", "bend <= 2"],
            assumes=[_LOSS, r"$\beta$-smooth, bend = $\eta_i \beta$", "a record is replaced"],
            quantifiers=["for all data"],
            direction="at_most",
        ),
        note=_AFTER,
    ),
    Statement(
        item="Smoothness is needed",
        kind="comparison",
        says=Says(
            text=(
                r"Without smoothness phased SGD leaks: absolute losses in T dimensions move the mean of a phase by "
                r"about $\sqrt{T/3}$ times the $2 L \eta_i$ that its noise is made for."
            ),
            premise=["size >= 8"],
            assumes=["unit records", "as many dimensions as records in the phase"],
            quantifiers=["for some data"],
            direction="none",
        ),
        note="Derived here: each record pushes both points apart, across what they differ by already.",
    ),
    Statement(
        item="Phased SGD, privacy",
        kind="privacy",
        says=Says(
            text=(
                r"Phased SGD with noise $2 L \eta_i/\mu$ is $\mu$-Gaussian differentially private in all, also where "
                "every $w_i$ and the partition are published."
            ),
            premise=["algorithm is PhasedSGD", *_NUMBERS],
            assumes=[_LOSS, _SMOOTH, _PHASES],
        ),
        note="Derived here: a record is in one phase, so that nothing composes.",
    ),
    Statement(
        item="Phased SGD, risk",
        kind="rate",
        says=Says(
            text=(
                r"The population risk of phased SGD, n gradients in all, is at most $LD (1.633/\sqrt n + 16 \sqrt "
                r"d/(\mu n))$ for n a power of 2, up to lower order, and the sum of the bound for any n."
            ),
            latex=r"\mathbb E F(w) - F(w^*) \le L D \left(\frac{1.633}{\sqrt n} + \frac{16 \sqrt d}{\mu n}\right)",
            premise=["algorithm is PhasedSGD", "algorithm.phases is halving", *_NUMBERS],
            assumes=[_LOSS, _SMOOTH, _START, _DRAWS],
            quantifiers=["for all data", "in expectation"],
            direction="at_most",
            rate=f"{_BOUNDS}sgd",
            bound=f"{_BOUNDS}sgd",
        ),
        note=f"{_AFTER} Nearly attained at n = 2, where the answer is noise alone.",
    ),
    Statement(
        item="Crossing",
        kind="comparison",
        says=Says(
            text=(
                r"Both terms of the bound are equal at $n^* = 24 d/\mu^2$ (ERM) and $96 d/\mu^2$ (SGD): there the "
                r"bound is $\sqrt 2$ times either, and privacy is free far above."
            ),
            premise=["p >= mu^2*500"],
            assumes=["$n^*$ in the thousands at least, where floors do not matter"],
            quantifiers=["for all data"],
            direction="at_most",
        ),
        note="Derived here; the bound's exponent is -3/4 there, and the measured risk keeps its slope on both sides.",
    ),
    Statement(
        item="Halves and quarters",
        kind="inequality",
        says=Says(
            text=(
                r"Where phases shrink by r and steps by q the private term has the constant $2/((1 - r) \sqrt{q (r - "
                r"q)})$, which is least, 16, at r = 1/2, q = 1/4."
            ),
            latex=r"\frac{2}{(1-r)\sqrt{q(r-q)}} \ge 16",
            premise=["step_ratio < size_ratio"],
            direction="at_least",
        ),
        note="Derived here.",
    ),
    Statement(
        item="One phase",
        kind="rate",
        says=Says(
            text=(
                r"A single phase of ERM at its best step has a bound of exponent -1/2 in n at every size, $2 LD "
                r"\sqrt{(1 + \sqrt d/\mu)/T}$: phases are what buys the 1/n."
            ),
            latex=r"2 L D \sqrt{(1 + \sqrt d/\mu)/T}",
            premise=["algorithm is PhasedERM", "algorithm.phases is one", *_NUMBERS],
            assumes=[_LOSS, _START, _DRAWS],
            quantifiers=["for all data", "in expectation"],
            direction="at_most",
            rate=f"{_BOUNDS}erm_one_phase",
            bound=f"{_BOUNDS}erm_one_phase",
            powers={"n": -0.5},
        ),
        note="Derived here: the control of the other rates, and a claim of its own.",
    ),
)

_SIZE = Axis(1, 1e6, usual=100, corners=(2, 3), whole=True)
_STEP = Axis(1e-6, 10, usual=0.1)
_PLACE = Axis(-1, 1, usual=0, log=False, corners=(0.5,))
_BUDGET = {"epsilon": axis("epsilon", low=0.01, high=20), "delta": axis("delta", low=1e-12, high=0.1)}
_ANY = _BUDGET | {"epsilon": axis("epsilon", low=0.01, high=1000, corners=(1000,))}
_RATIO = Axis(0.01, 0.99, usual=0.5, log=False, corners=(0.25,))
_SIGNALS = Axis(0.1, 30, usual=2, corners=(1, 5.6))


def _sampled(algorithm: Phased, most: float) -> tuple[Attack, ...]:
    """On records along a direction, in two coordinates; on axes and coins, record by record."""
    records = Axis(2, most, usual=1000, corners=(3, 15, 16, 4095), whole=True)
    few = Axis(2, 4096, usual=100, corners=(3, 15, 16), whole=True)
    smooth = isinstance(algorithm, PhasedSGD)
    coins = CoinPopulation(loss="half_squared_distance" if smooth else "absolute")
    return (
        SampledRisks(
            name="a direction", algorithm=algorithm,
            axes={"n": records, "p": Axis(2, 1e12, usual=100, whole=True), "size": _SIGNALS, **_ANY},
            family=DirectionStream(), reason="two records, just below a power of 2, no noise, much",
        ),
        SampledRisks(
            name="axes", algorithm=algorithm, family=AxisPopulation(), most=300,
            axes={"n": few, "p": Axis(1, 64, usual=4, whole=True), "size": Axis(0.1, 8, usual=1), **_ANY},
            reason="a sample that misses the mean all around",
        ),
        SampledRisks(
            name="coins", axes={"n": few, "size": Axis(0.1, 8, usual=1), **_ANY}, algorithm=algorithm,
            family=coins, reason="a curved loss, or one with a kink, in one dimension", most=300,
        ),
    )  # fmt: skip


ATTACKS: Mapping[str, tuple[Attack, ...]] = {
    "Phased ERM, sensitivity": (
        Sides(
            name="linear losses", left=f"{_PAIRS}erm_linear", reason="one record, ends of the set",
            axes={"size": _SIZE, "step_size": _STEP, "mean": _PLACE, "start": _PLACE},
        ),
        Sides(
            name="a kink", left=f"{_PAIRS}erm_kink", reason="most records at the kink, or none",
            axes={"size": _SIZE, "step_size": _STEP, "share": Axis(0, 1, usual=0.5, log=False), "place": _PLACE,
                  "start": _PLACE},
        ),
        Sides(
            name="quadratics", left=f"{_PAIRS}erm_quadratic", reason="flat ones",
            axes={"size": _SIZE, "step_size": _STEP, "bend": Axis(1e-6, 1e3, usual=1)},
        ),
    ),
    "Phased ERM, privacy": (
        Sides(
            name="linear losses", left=f"{_PAIRS}erm_released", reason="all that is released, at every budget",
            axes={"n": Axis(2, 1e9, usual=1e4, whole=True), "p": Axis(1, 1e9, usual=100, whole=True), **_BUDGET},
        ),
    ),
    "Phased ERM, risk": _sampled(PhasedERM(), 1e12),
    "Phased SGD, sensitivity": (
        Sides(
            name="losses across", left=f"{_PAIRS}sgd_pass", right="2 + 0*size", reason="eta beta = 2, no tilt, all",
            axes={"size": Axis(1, 100, usual=20, corners=(2, 3), whole=True),
                  "bend": Axis(0, 2, usual=1, log=False), "tilt": Axis(1e-6, 1, usual=0.1)},
        ),
    ),
    "Smoothness is needed": (
        Sides(
            name="fewer records", left=f"{_PAIRS}root_growth", right=f"{_PAIRS}sgd_rough",
            axes={"size": Axis(8, 200, usual=30, whole=True)}, reason="short phases",
        ),
    ),
    "Phased SGD, privacy": (
        Sides(
            name="linear losses", left=f"{_PAIRS}sgd_released", reason="all that is released, at every budget",
            axes={"n": Axis(2, 1e9, usual=1e4, whole=True), "p": Axis(1, 1e9, usual=100, whole=True), **_BUDGET},
        ),
    ),
    "Phased SGD, risk": (
        SampledRisks(
            name="two records", algorithm=PhasedSGD(), family=DirectionStream(),
            axes={"n": Axis(2, 8, usual=2, whole=True), "p": Axis(2, 100, usual=2, whole=True), "size": Axis(100, 100),
                  "epsilon": Axis(1, 1000, usual=1000), "delta": axis("delta", low=1e-6, high=0.1)},
            reason="a single gradient, whose point is the start: the answer is noise",
        ),
        *_sampled(PhasedSGD(), 4096),
    ),
    "Crossing": tuple(
        Sides(
            name=f"{name}, {side}", left=left, right=right, reason="small n*, floors",
            axes={"p": Axis(2, 1e9, usual=1e3), "mu": Axis(1e-3, 10, usual=0.5)},
        )
        for name in ("erm", "sgd")
        for side, left, right in (
            ("above", f"{_BOUNDS}{name}_at_crossing", "1.01 + 0*p"),
            ("below", "0.99 + 0*p", f"{_BOUNDS}{name}_at_crossing"),
        )
    ),
    "Halves and quarters": (
        Sides(
            name="other ratios", left="16 + 0*size_ratio", right=f"{_BOUNDS}stages", reason="near 1/2 and 1/4, and far",
            axes={"size_ratio": _RATIO, "step_ratio": Axis(0.001, 0.99, usual=0.25, log=False)},
        ),
    ),
    "One phase": (
        SampledRisks(
            name="a direction", algorithm=PhasedERM(phases="one"), family=DirectionStream(signal="one_phase"),
            axes={"n": Axis(2, 1e12, usual=1000, corners=(3, 16), whole=True),
                  "p": Axis(2, 1e12, usual=100, whole=True), "size": _SIGNALS, **_ANY},
            reason="two records, no noise, much",
        ),
        SampledRisks(
            name="coins", axes={"n": Axis(2, 4096, usual=100, whole=True), "size": Axis(0.1, 8, usual=1), **_BUDGET},
            algorithm=PhasedERM(phases="one"), family=CoinPopulation(), reason="a kink, in one dimension", most=300,
        ),
    ),
}  # fmt: skip
