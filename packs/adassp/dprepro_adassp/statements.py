"""What AdaSSP is stated to do, in our own words; constants are derived in `bounds`."""

from __future__ import annotations

from dprepro.statements.statement import Says, Statement

STATEMENTS = (
    Statement(
        item="Privacy",
        kind="privacy",
        says=Says(
            text=r"AdaSSP is $(\epsilon, \delta)$-private where a record comes or goes.",
            premise=["relation is add_or_remove_one"],
        ),
        note=(
            r"Where a record is replaced, the sensitivities are 1, $\sqrt{2}$ and 2 times as large, and the printed "
            r"noise no longer suffices for large $\epsilon$ and $\delta$ $(\epsilon = 10, \delta = 0.1)$, by the "
            "exact account."
        ),
    ),
    Statement(
        item="Privacy, release by release",
        kind="privacy",
        says=Says(
            text=(
                r"Each of the three releases keeps to $(\epsilon/3, \delta/3)$, with noise "
                r"$\sqrt{\ln(6/\delta)}/(\epsilon/3)$ times its sensitivity."
            )
        ),
        false=["Privacy, release by release"],
        note=(
            "Nothing has to hold in its place: the three together keep to the budget, since Gaussian noise composes "
            "better than the sum of three budgets."
        ),
    ),
    Statement(
        item="Risk, any data",
        kind="rate",
        says=Says(
            text=r"The mean risk is at most of order $\sqrt{p \ln(1/\delta) \ln p}/(n \epsilon)$ on any data.",
            direction="at_most",
            rate="dprepro_adassp.bounds.any_data_rate",
            bound="dprepro_adassp.bounds.per_instance_99",
        ),
        note=(
            "The power of $p$ is seen from $p = 50$ to 300 only, too narrow a range for an exponent; the bound is "
            "vacuous below."
        ),
    ),
    Statement(
        item="Risk, even spectrum",
        kind="rate",
        says=Says(
            text=(
                r"On an even spectrum, $n/p$ far above the threshold, it is of order $p^2 \ln(1/\delta)/(n "
                r"\epsilon)^2$; 18 times that for unit bounds."
            ),
            direction="equals",
            rate="dprepro_adassp.bounds.well_conditioned_rate",
            powers={"n": -2, "p": 2, "epsilon": -2, "delta": 1},
        ),
    ),
    Statement(
        item="Adaptivity",
        kind="comparison",
        says=Says(
            text=(
                "The ridge adapts: it is gone on an even spectrum with many records, where a full one costs 7 times "
                "the risk at $p = 100$, and protects where there are too few, where none is worse than answering "
                "zero."
            )
        ),
        note="The full ridge and none are the controls of these checks.",
    ),
)
