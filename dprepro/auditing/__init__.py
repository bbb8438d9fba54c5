"""A referee for private code of others: any function that answers on data, held against the privacy that it claims.

The function is called as it stands (a black box). Data sets that are neighbours are chosen and searched for by the
answers on them, and those of further draws give a lower limit of what it spends (`dprepro.privacy.audit`). Where its
noise can be recorded, it is replayed on the neighbour, and losses are known (`replay`).
"""

from dprepro.auditing.data import Data, DataDomain
from dprepro.auditing.neighbours import NeighbourPair
from dprepro.auditing.replay import Replayed, replayed
from dprepro.auditing.search import audit
from dprepro.auditing.subject import Subject
from dprepro.auditing.verdict import Verdict
from dprepro.privacy.audit import lower_limit
from dprepro.privacy.outcomes import as_row

__all__ = [
    "Data", "DataDomain", "NeighbourPair", "Replayed", "Subject", "Verdict", "as_row", "audit", "lower_limit",
    "replayed",
]  # fmt: skip
