"""Risks that literal runs, or exact reductions, have on ordinary data: what predictions are held against."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from dprepro.algorithms import Algorithm
from dprepro.budget import Budget
from dprepro.dispatch import dispatch
from dprepro.practice.ordinary import FAMILIES, AdviceQuestion
from dprepro.problems import Problem
from dprepro.problems.problem_data import FloatArray
from dprepro.reductions import solver


@lru_cache(maxsize=8)
def judge(asked: AdviceQuestion, kind: str) -> Problem:
    """The data of a kind without repetitions: the mean risk is the same, and the certified minimum is found once."""
    once = replace(asked, n=float(asked.rows), budget=Budget(1.0, 0.0, asked.budget.neighbours))
    return once.family(kind).build(once.point, 0.0)


def simulated(algorithm: Algorithm, asked: AdviceQuestion, draws: int, seed: int) -> FloatArray:
    """Excess risks of ``draws`` runs on every kind of data, shape (kinds, draws).

    Raises:
        DpreproError: the algorithm refuses the point, or the data.
    """
    found = []
    for index, kind in enumerate(FAMILIES):
        backend = dispatch(algorithm, asked.family(kind), asked.point, asked.budget).backend
        runs, problem = solver(backend, algorithm), asked.family(kind).build(asked.point, 0.0)
        rngs = [np.random.default_rng([seed, index, draw]) for draw in range(draws)]
        answers = [runs.solve(problem, asked.budget, rng) for rng in rngs]
        found.append([judge(asked, kind).excess_risk(answer.theta) for answer in answers])
    return np.array(found)
