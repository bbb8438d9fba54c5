"""The register of constants: for each rate the least constant that is known, with its witness, and what is proved.

A witness is a data set, which shows that the constant is no smaller; a schedule or an algorithm, which loses less than
the record on all data known; or a place at which a statement fails. Of a lower bound the constant is the largest that
holds, and the witness a private algorithm, which loses little on the data of a proof. It is measured on fresh seeds,
and every measurement is kept: entries are appended, and none is changed.
"""

from dprepro.register.challenge_rules import Decision
from dprepro.register.constants_register import ConstantsRegister, RegisterEntry
from dprepro.register.submission import Submission

__all__ = ["ConstantsRegister", "Decision", "RegisterEntry", "Submission"]
