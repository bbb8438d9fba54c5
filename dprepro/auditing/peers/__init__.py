"""Private functions of other libraries as subjects of an audit: ``diffprivlib:mean``, ``opendp:laplace_mean``, ...

What is public about the data (bounds, norms) is given to a library as its own arguments, so that no bound is read off
the data. Functions lie in files, one for each library, and are called by what their signatures ask for: see `peer`.
"""

from dprepro.auditing.peers.found import LibraryFunction, is_peer, peer, peers, warned

__all__ = ["LibraryFunction", "is_peer", "peer", "peers", "warned"]
