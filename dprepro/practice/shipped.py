"""Public tables that ship with statsmodels or scikit-learn, as data sets."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from dprepro.errors import MissingDependency, unknown
from dprepro.practice.reading import RawTable, of_frame
from dprepro.practice.table import Table

DPREPRO_IMPORTS = ()  # a table's content is in its fingerprint

SHIPPED = {
    **dict.fromkeys(
        [
            "anes96",
            "cancer",
            "ccard",
            "committee",
            "copper",
            "cpunish",
            "danish_data",
            "elnino",
            "engel",
            "fair",
            "grunfeld",
            "heart",
            "interest_inflation",
            "longley",
            "macrodata",
            "modechoice",
            "nile",
            "randhie",
            "scotland",
            "spector",
            "stackloss",
            "star98",
            "statecrime",
            "strikes",
            "sunspots",
        ],
        "statsmodels",
    ),
    **dict.fromkeys(["breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine"], "sklearn"),
}
"""Tables by name, with the package that they ship with."""


@dataclass(frozen=True)
class Shipped(Table):
    """A public table that ships with statsmodels or scikit-learn.

    Attributes:
        name: of the data set in ``statsmodels.datasets`` or ``sklearn.datasets``; its target is the column ``target``
            in the latter.
    """

    name: str = "randhie"

    def __post_init__(self) -> None:
        if self.name not in SHIPPED:
            raise unknown("table", self.name, SHIPPED)
        super().__post_init__()

    def source(self) -> tuple[str, str]:
        return f"the table {self.name}", SHIPPED[self.name]

    def read(self) -> RawTable:
        """The table; raises MissingDependency without the package that has it."""
        package = SHIPPED[self.name]
        try:
            datasets = importlib.import_module(f"{package}.datasets")
            if package == "sklearn":
                found = getattr(datasets, f"load_{self.name}")(as_frame=True).frame
            else:
                found = getattr(datasets, self.name).load_pandas().data
        except ImportError as error:
            raise MissingDependency(f"this data set needs {package}: pip install 'dprepro[data]'") from error
        return of_frame(found)


@dataclass(frozen=True)
class RandHealth(Shipped):
    """RAND Health Insurance Experiment, 20190 person-years, as shipped with statsmodels: outpatient visits and health.

    Bounds are set by what the columns can be (shares, indicator variables, logarithms of dollar amounts), not by what
    the sample holds; visits are capped at 20.
    """
