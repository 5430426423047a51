# SPDX-License-Identifier: Apache-2.0
"""Levels of a number: what is planted among noise is found, and noise is not."""

import math
import random
from collections.abc import Callable, Sequence

import pytest
from hypothesis import example, given, strategies as st

from core.evidence.analysis import ChangeKind, ChangePoint, better, levels_of

SERIES = 200
STEP, GRADUAL, NEW = ChangeKind.STEP, ChangeKind.GRADUAL, ChangeKind.NEW
Level = Callable[[int], float]


def share(count: int, level: Level, good: Callable[[Sequence[ChangePoint]], bool], noise: float, normal: bool) -> float:
    """In which part of series, each with noise of its own, the changes are as wanted."""
    found = 0
    for seed in range(SERIES):
        chance = random.Random(seed)
        off = [chance.gauss(0, noise) if normal else chance.uniform(-noise, noise) for _ in range(count)]
        found += good(levels_of([100 * level(at) * (1 + one) for at, one in enumerate(off)]).changes)
    return found / SERIES


def flat(_: int) -> float:
    return 1.0


def stepped(first: int, part: float = 0.88) -> Level:
    return lambda at: part if at >= first else 1.0


@pytest.mark.parametrize("count", [2, 4, 8, 30, 90])
@pytest.mark.parametrize("normal", [True, False])
def test_noise_is_no_change(count: int, normal: bool) -> None:
    assert share(count, flat, bool, 0.04, normal) <= 0.06


@pytest.mark.parametrize(("nights", "least"), [(1, 0.9), (2, 0.9), (3, 0.9), (10, 0.95), (40, 0.95)])
def test_a_drop_of_12_percent_among_noise_within_4_percent_is_found_from_the_first_night_on(
    nights: int, least: float
) -> None:
    def is_it(found: Sequence[ChangePoint]) -> bool:
        return len(found) == 1 and abs(found[0].first - 30) <= 1 and -0.17 < found[0].change < -0.07

    assert share(30 + nights, stepped(30), is_it, 0.04, normal=False) >= least


@pytest.mark.parametrize(("nights", "least"), [(1, 0.55), (2, 0.78), (10, 0.95)])
def test_a_drop_of_three_times_the_noise_is_found_at_or_next_to_its_night(nights: int, least: float) -> None:
    def is_it(found: Sequence[ChangePoint]) -> bool:
        return any(abs(one.first - 30) <= 1 for one in found)

    assert share(30 + nights, stepped(30), is_it, 0.04, normal=True) >= least


_FACTORS = st.sampled_from((0.3, 0.5, 0.7, 1.4, 2.0, 5.0))


@given(st.data(), st.integers(4, 40), st.integers(1, 12), _FACTORS)
def test_the_night_that_is_named_is_the_first_after_the_jump(
    data: st.DataObject, before: int, after: int, factor: float
) -> None:
    noise = data.draw(st.lists(st.floats(-0.01, 0.01), min_size=before + after, max_size=before + after))
    values = [100 * (factor if at >= before else 1) * (1 + one) for at, one in enumerate(noise)]
    (found,) = levels_of(values).changes
    assert (found.last, found.first) == (before - 1, before)
    assert found.kind is (NEW if after < 3 else STEP)
    assert abs(found.before - 100) <= 1 and abs(found.after / (100 * factor) - 1) <= 0.02


@given(st.integers(), st.integers(8, 40), st.integers(1, 12), st.sampled_from((0.5, 1.6)))
def test_so_it_is_among_normal_noise(seed: int, before: int, after: int, factor: float) -> None:
    chance = random.Random(seed)
    values = [100 * (factor if at >= before else 1) * (1 + chance.gauss(0, 0.02)) for at in range(before + after)]
    named = [one.first for one in levels_of(values).changes if abs(one.change) > 0.25]
    assert named == [before]


@given(st.lists(st.floats(-0.02, 0.02), max_size=60))
def test_noise_within_two_percent_is_never_a_change(noise: Sequence[float]) -> None:
    assert levels_of([100 * (1 + one) for one in noise]) == ((), False)


def test_normal_noise_of_4_percent_takes_some_nights() -> None:
    assert share(40, stepped(30), lambda found: [one.kind for one in found] == [STEP], 0.04, normal=True) >= 0.85


@pytest.mark.parametrize("places", [(15,), (15, 16), (5, 20), (0,), (3, 10, 17, 24)])
def test_single_nights_that_are_far_off_are_no_change(places: Sequence[int]) -> None:
    assert share(30, lambda at: 0.6 if at in places else 1.0, bool, 0.04, normal=False) <= 0.05


def test_one_step_hides_no_other_and_both_ways_are_seen() -> None:
    def level(at: int) -> float:
        return 0.85 if 20 <= at < 40 else 1.0

    def is_it(found: Sequence[ChangePoint]) -> bool:
        return [(one.kind, one.change < 0) for one in found] == [(STEP, True), (STEP, False)]

    assert share(60, level, is_it, 0.03, normal=True) >= 0.9
    twice = share(60, lambda at: (1.0, 0.9, 0.8)[at // 20], lambda found: len(found) == 2, 0.03, normal=True)
    assert twice >= 0.9


def test_a_gradual_change_is_one_with_its_whole_range() -> None:
    def is_it(found: Sequence[ChangePoint]) -> bool:
        return (
            len(found) == 1
            and found[0].kind is GRADUAL
            and found[0].last <= 25
            and found[0].first >= 35
            and -0.25 < found[0].change < -0.15
        )

    assert share(60, lambda at: 1 - 0.2 * min(1, max(0, (at - 15) / 30)), is_it, 0.02, normal=True) >= 0.9


def test_a_step_is_not_gradual() -> None:
    assert share(60, stepped(30), lambda found: [one.kind for one in found] == [STEP], 0.02, normal=True) >= 0.95


def test_numbers_without_noise() -> None:
    assert levels_of([100.0] * 30) == ((), False)
    assert levels_of([0.0] * 30) == ((), False)
    assert levels_of([]) == ((), False)
    assert levels_of([8.2, 0.0, 0.5, 940.0, 0.0, 0.0]) == ((), False), "without the outlier, the level is 0"
    (new,) = levels_of([100.0] * 10 + [88.0]).changes
    assert (new.kind, new.last, new.first, new.before, new.after) == (NEW, 9, 10, 100.0, 88.0)
    (step,) = levels_of([100.0] * 10 + [88.0] * 3).changes
    assert (step.kind, step.first) == (STEP, 10)


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0, 1e300, -1e300, 1e-300, 1e50]),
        max_size=14,
    )
)
@example([1e300] * 4 + [1e308] * 4)
@example([0.0, 0.0, 1e-300, 1.0])
@example([1e49] * 6 + [-1e-49] * 5)
def test_numbers_of_any_size_give_levels_that_are_numbers(values: Sequence[float]) -> None:
    changes = levels_of(values).changes
    assert all(math.isfinite(one.before) and math.isfinite(one.after) for one in changes)
    assert not changes or max(map(abs, values)) <= 1e50


def test_less_than_5_percent_is_no_change_however_little_noise_there_is() -> None:
    assert levels_of([100.0] * 20 + [96.0] * 20).changes == ()


def test_of_few_values_nothing_is_known() -> None:
    assert levels_of([100.0]) == ((), False)
    assert levels_of([100.0, 99.0]) == ((), False)
    assert levels_of([100.0, 85.0]) == ((), True)
    assert levels_of([100.0, 101.0, 85.0]) == ((), True)
    assert [one.kind for one in levels_of([100.0, 101.0, 99.0, 85.0]).changes] == [NEW]


@pytest.mark.parametrize(
    ("metric", "way"),
    [
        ("samples_per_s", 1), ("images_per_second", 1), ("decode_tokens_per_second", 1), ("top1_accuracy_mean", 1),
        ("ttft", -1), ("run_s", -1), ("decode_step_mean_s", -1), ("device_fw_duration", -1), ("peak_mb", -1),
        ("compile_s", -1), ("cpu_overhead_s", -1), ("forward_pass_time_ms", -1), ("num_frames", 0), ("what", 0),
        ("total_samples", 0),
    ],
)  # fmt: skip
def test_which_way_is_better(metric: str, way: int) -> None:
    assert better(metric) == way
