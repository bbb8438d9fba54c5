"""A referee for private code of others: any function that answers on data, held against the privacy that it claims.

The function is called as it stands (a black box). Data sets that are neighbours are chosen and searched for by the
answers on them, and those of further draws give a lower limit of what it spends (`dprepro.privacy.audit`).
"""

from dprepro.auditing.data import Data, DataDomain
from dprepro.auditing.search import audit
from dprepro.auditing.verdict import Verdict

__all__ = ["Data", "DataDomain", "Verdict", "audit"]
