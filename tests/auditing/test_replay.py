"""Noise that is recorded and replayed: faults get their names, and losses are known."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from helpers import replayed_functions as functions
from helpers.scripts import shown_again

from dprepro import audit
from dprepro.auditing import replay as replays
from dprepro.auditing.data import Data
from dprepro.auditing.forms import Form, Ledger, combined, form_of, noisy
from dprepro.auditing.neighbours import NeighbourPair
from dprepro.auditing.recording import Recorder, RecordingGenerator, recording
from dprepro.auditing.replay import call, replay, replayed
from dprepro.auditing.subject import Subject
from dprepro.budget import Budget, Neighbours
from dprepro.privacy.worst_pairs import gaussian_epsilon

FILE = Path(functions.__file__)
PAIR = NeighbourPair("one", Data(np.array([1.0, 0.5])), Data(np.array([0.0, 0.5])))
PURE = Budget(1.0, 0.0, Neighbours.REPLACE_ONE)
QUICK = (functions.whole_epsilon_for_each, functions.one_draw_for_two, functions.range_of_the_data)


@pytest.fixture(autouse=True)
def few_calls(request, monkeypatch):
    """Fewer calls than usual, except where a test says how long it takes."""
    if "slow" not in request.keywords:
        monkeypatch.setattr(replays, "COUNTED", 60)
        monkeypatch.setattr(replays, "CALLS", 120)


def audited(function, draws=4000, seed=0):
    return audit(
        function, 1.0, functions.delta_of(function), domain="n=10", draws=draws, seed=seed, replay=True,
        target=f"{FILE}:{function.__name__}",
    )  # fmt: skip


@pytest.mark.parametrize("function", QUICK)
def test_a_fault_is_named_by_its_noise(function):
    verdict = audited(function, 2000)
    assert verdict.violates
    assert verdict.faults[0] == functions.WRONG[function]


@pytest.mark.slow
@pytest.mark.parametrize("function", functions.WRONG)
def test_every_fault_is_named_and_its_script_shows_it_in_a_process_of_its_own(function):
    verdict = audited(function)
    assert verdict.violates
    assert verdict.faults[0] == functions.WRONG[function]
    assert len(verdict.script.strip().splitlines()) <= 10
    assert shown_again(verdict) > 1


@pytest.mark.slow
@pytest.mark.parametrize("function", functions.RIGHT)
def test_no_right_function_is_accused(function):
    # what is known of noise is certain; what is counted errs with probability 0.01 at most, once in 5 by 5%
    verdicts = [audited(function, seed=seed) for seed in range(5)]
    assert sum(verdict.violates for verdict in verdicts) <= 1
    assert not any(verdict.faults for verdict in verdicts if not verdict.violates)


def test_known_losses_give_the_whole_epsilon_of_a_right_function_and_count_nothing_of_it():
    verdict = audited(functions.mean, 2000)
    assert math.isclose(verdict.epsilon, 1.0, rel_tol=1e-9)
    assert verdict.verdict == "not contradicted"
    assert verdict.noticed == 1.05


def test_of_gaussian_noise_the_whole_epsilon_is_known_at_a_delta_that_no_draws_see():
    found = replayed(Subject(functions.gaussian, 1.0, 1e-6), [PAIR], Budget(1.0, 1e-6, Neighbours.REPLACE_ONE))
    assert math.isclose(found.epsilon, gaussian_epsilon(1 / functions.SIGMA, 1e-6), rel_tol=1e-6)


def test_the_noise_that_is_found_gives_the_same_answer_on_the_neighbour_however_steps_depend_on_earlier_ones():
    subject = Subject(functions.descent, 1.0, functions.OFTEN)
    found = replay(subject, PAIR.first, PAIR.second, 3)
    assert found.unknown == ""
    again = call(subject, PAIR.second, 3, found.noise)
    assert np.allclose(again.answer, found.first.answer, rtol=1e-9)
    # the loss: three Gaussian densities, of the noise that was drawn and of that which was found
    assert math.isclose(found.loss, float(np.sum(found.noise**2 - found.first.noise**2) / 2), rel_tol=1e-9)
    assert found.loss != 0


def test_noise_of_another_scale_is_less_dense_by_its_ratio():
    def wider(values, rng):
        return values.sum() + (1 + values[0]) * rng.laplace()

    found = replay(Subject(wider, 1.0, 0.0), PAIR.first, PAIR.second, 5)
    noise = found.first.noise[0]
    expected = -abs(noise) - math.log(2) + abs(1.5 + 2 * noise - 0.5)
    assert math.isclose(found.loss, expected, rel_tol=1e-9)


def test_what_a_hidden_draw_decides_or_an_answer_hides_is_left_to_counts():
    def sampled(values, rng):
        return values[rng.random(len(values)) < 0.5].sum() + rng.laplace()

    def rounded(values, rng):
        return np.round(values.sum() + rng.laplace(), 2)

    def secret(values, rng):
        import os

        return values.sum() + rng.laplace() + float(int.from_bytes(os.urandom(4), "big"))

    for function, said in ((sampled, "other random numbers"), (rounded, "not all of its noise")):
        found = replayed(Subject(function, 1.0, 0.0), [PAIR], PURE)
        assert found.epsilon == 0
        assert said in found.unknown
    assert replayed(Subject(secret, 1.0, 0.0), [PAIR], PURE).epsilon == 0


def test_an_answer_without_noise_beside_one_with_it_is_named():
    def bare(values, epsilon, rng):
        return values.sum() + rng.laplace(scale=1 / epsilon), values.max()

    found = replayed(Subject(bare, 1.0, 0.0), [PAIR], PURE)
    assert found.violates
    assert [fault.name for fault in found.faults] == ["no noise"]


def test_generators_are_as_they_were_after_a_recording():
    before = np.random.default_rng, np.random.normal, random.gauss, np.random.get_state()[1].tolist(), random.getstate()
    call(Subject(functions.gaussian, 1.0, 1e-6), PAIR.first, 1)
    call(Subject(functions.mean_of_one_fewer, 1.0, 0.0), PAIR.first, 1)
    after = np.random.default_rng, np.random.normal, random.gauss, np.random.get_state()[1].tolist(), random.getstate()
    assert before == after


def test_a_recorded_generator_draws_what_the_plain_one_does():
    with recording(None, 1, np.empty(0)) as recorder:
        ours = RecordingGenerator(np.random.PCG64(4))
        plain = np.random.Generator.__mro__[1](np.random.PCG64(4))
        for name in ("laplace", "normal", "gumbel", "logistic"):
            assert np.allclose(getattr(ours, name)(1.5, 2.0, size=3), getattr(plain, name)(1.5, 2.0, size=3))
        assert np.allclose(ours.exponential(2.0, 4), plain.exponential(2.0, 4))
        assert ours.integers(1000) == plain.integers(1000)
    assert recorder.hidden == 1
    assert len(recorder.ledger.noise) == 16


def test_sums_and_products_are_followed_and_nothing_else_is():
    with recording(None, 1, np.empty(0)) as recorder:
        noise = RecordingGenerator(np.random.PCG64(4)).laplace(size=4)
        form = form_of((3.0 - 2 * (noise[1:] + np.arange(3.0)) / 4).reshape(3, 1))
        assert form.tags.tolist() == [[1], [2], [3]]
        assert np.allclose(form.offsets.ravel(), 3 - np.arange(3.0) / 2)
        assert np.allclose(form.factors, -0.5)
        assert form_of(np.exp(noise)) is None
        assert form_of(noise * noise) is None
        assert form_of(1 / noise) is None
        assert form_of(noise - noise) is None
        noise[0] = 5.0
        assert form_of(noise) is None
    assert not recorder.ledger.full


def test_of_two_noises_in_a_sum_the_later_is_kept():
    ledger = Ledger()
    ledger.noise = [0.25, 0.5]
    one, other = (
        noisy(ledger, np.array([value]), Form(np.array([tag]), np.zeros(1), np.ones(1)))
        for tag, value in enumerate(ledger.noise)
    )
    found = combined("add", (np.asarray(one), one.form), (np.asarray(other), other.form))
    assert found.tags.tolist() == [1]
    assert found.offsets.tolist() == [0.25]


def test_torchs_noise_is_followed_too():
    torch = pytest.importorskip("torch")

    def right(values, epsilon):
        total = torch.as_tensor(values, dtype=torch.float32).sum()
        return (total + torch.distributions.Laplace(0.0, 1 / epsilon).sample()).reshape(1)[0] / len(values)

    def half(values, epsilon):
        return torch.as_tensor(values).sum().add_(0.5 * torch.distributions.Laplace(0.0, 1 / epsilon).sample()).item()

    def reused(values, delta):
        noise = 4 * torch.randn(1)
        return torch.as_tensor(values).sum() + noise, torch.as_tensor(values).square().sum() + noise

    state = torch.get_rng_state()
    assert math.isclose(replayed(Subject(right, 1.0, 0.0), [PAIR], PURE).epsilon, 1.0, rel_tol=1e-3)
    assert replayed(Subject(half, 1.0, 0.0), [PAIR], PURE).faults[0].name == "sensitivity"
    pair = NeighbourPair("half", Data(np.array([0.5, 1.0])), Data(np.array([0.0, 1.0])))
    found = replayed(Subject(reused, 1.0, 0.1), [pair], Budget(1.0, 0.1, Neighbours.REPLACE_ONE))
    assert found.violates
    assert found.faults[0].name == "noise reused"
    assert torch.equal(state, torch.get_rng_state())


def test_the_rounding_of_large_numbers_is_no_violation():
    # the mean of 20 numbers near 10^7 is off by 10^-9: more than its noise of scale 1/20 allows, over the reals
    def mean(values, epsilon, rng):
        return values.mean() + rng.laplace(scale=1 / (epsilon * len(values)))

    far = [Data(np.append(1e7 + place, np.full(19, 1e7))) for place in (0.0, 1.0)]
    found = replayed(Subject(mean, 1.0, 0.0), [NeighbourPair("far", *far)], PURE)
    assert 0.999 < found.epsilon <= 1
    assert not found.violates
    assert not found.faults


def clipped_at(most, delta):
    """Gaussian noise on a sum of numbers in 0..1, clipped to a public range: no answer shows what lies beyond."""

    def clipped(values, rng):
        return np.clip(values.sum() + 2 * rng.standard_normal(), -most, most)

    return replayed(Subject(clipped, 1.0, delta), [PAIR], Budget(1.0, delta, Neighbours.REPLACE_ONE))


def test_answers_that_are_clipped_where_no_call_came_do_not_spend_what_lies_beyond():
    assert clipped_at(1e6, 1e-6).epsilon == pytest.approx(gaussian_epsilon(0.5, 1e-6))
    # beyond 4 scales there is a single answer, of loss below that of Gaussian noise at 10^-6
    assert clipped_at(8.0, 1e-6).epsilon < 0.9 * gaussian_epsilon(0.5, 1e-6)
    assert clipped_at(1e6, 0.0).epsilon == pytest.approx(64)
    assert clipped_at(8.0, 0.0).epsilon < math.log(0.5 * math.erfc(3.5 / 2**0.5) / (0.5 * math.erfc(4 / 2**0.5))) + 1


def test_numbers_of_single_precision_that_are_met_twice_by_chance_are_no_noise_that_is_reused():
    recorder = Recorder()
    _, form = recorder.noise("normal", np.array([0.25, 0.5, 0.25]), 0.0, 1.0, rough=True)
    assert form.tags.tolist() == [0, 1, 2]
    _, form = recorder.noise("normal", np.array([0.25, 0.5, 0.25]), 0.0, 1.0, rough=True)
    assert form.tags.tolist() == [0, 1, 2]  # a whole array: the generator was started anew
    assert recorder.aliases == {3, 4, 5}
    assert not recorder.hidden
    for _ in range(2):
        recorder.noise("normal", np.array([0.75]), 0.0, 1.0, rough=True)
    assert recorder.hidden == 1  # of a single number it cannot be told: losses are not known
    _, form = Recorder().noise("normal", np.array([0.25, 0.5, 0.25]), 0.0, 1.0)
    assert form.tags.tolist() == [0, 1, 0]
