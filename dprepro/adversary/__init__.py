"""A search for data on which an algorithm loses most: what it finds is the worst that is known, never the worst."""

from dprepro.adversary.box_search import Found, search
from dprepro.adversary.game import GAIN, GameResult, play
from dprepro.adversary.space import SPACES, Range, Space, space_of

__all__ = ["GAIN", "SPACES", "Found", "GameResult", "Range", "Space", "play", "search", "space_of"]
