# SPDX-License-Identifier: Apache-2.0
"""core.runs.execution.placement: slots, devices and memory are never promised twice."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from core.runs import EVERYTHING, RunSpec
from core.runs.execution.placement import HERE, Going, next_start
from tests.core.runs.store.test_record import SPEC

GIB = 2**30


def next_run(waiting: Iterable[RunSpec], going: Sequence[Going], free_memory: int) -> RunSpec | None:
    """The run that starts on this machine."""
    found = next_start(waiting, going, free_memory, [HERE])
    return found.spec if found else None


def cpu(name: str = "x", slot_count: int = 2, memory: int = 0) -> RunSpec:
    return replace(SPEC, run_id=name, slots="cpu", slot_count=slot_count, memory=memory)


def device(*names: str) -> RunSpec:
    return replace(SPEC, run_id="-".join(names), slots="device", slot_count=0, devices=names)


def test_the_first_that_fits_goes_first() -> None:
    assert next_run([], [], 0) is None
    first, second = cpu("a"), cpu("b")
    assert next_run([first, second], [], 0) is first
    assert next_run([first], [Going(second, 1.0)], 0) is first
    assert next_run([first], [Going(second, 1.0)] * 2, 0) is None


def test_full_slots_hold_up_no_other_kind() -> None:
    waiting = device("0")
    assert next_run([cpu("a", 1), waiting], [Going(cpu("b"), 1.0)], 0) is waiting


@pytest.mark.parametrize(
    ("wanted", "taken", "starts"),
    [
        (["0"], ["0"], False),
        (["0"], ["1"], True),
        (["0", "1"], ["1"], False),
        ([EVERYTHING], ["1"], False),
        (["1"], [EVERYTHING], False),
        ([EVERYTHING], [], True),
    ],
)
def test_a_device_has_one_run_at_a_time(wanted: list[str], taken: list[str], starts: bool) -> None:
    going = [Going(device(*taken), 1.0)] if taken else []
    assert (next_run([device(*wanted)], going, 0) is not None) == starts


def test_memory_that_young_runs_will_still_take_is_not_free() -> None:
    run = cpu("a", 9, memory=4 * GIB)
    assert next_run([run], [], 0) is run, "alone it may try its luck"
    young, grown = Going(cpu("b", 9, 4 * GIB), 1.0), Going(cpu("b", 9, 4 * GIB), 60.0)
    assert next_run([run], [young], 7 * GIB) is None
    assert next_run([run], [grown], 7 * GIB) is run
    assert next_run([run], [grown], 3 * GIB) is None


specs = st.builds(
    lambda name, slots, count, devices, memory: replace(
        SPEC, run_id=name, slots=slots, slot_count=count, devices=tuple(devices), memory=memory
    ),
    st.text("abc", min_size=1),
    st.sampled_from(["cpu", "device"]),
    st.integers(0, 3),
    st.lists(st.sampled_from(["0", "1", EVERYTHING]), max_size=2),
    st.integers(0, 4),
)


@given(st.lists(specs, max_size=8), st.integers(0, 8))
def test_whatever_is_started_no_device_and_no_slot_is_shared(waiting: list[RunSpec], memory: int) -> None:
    going: list[Going] = []
    while (spec := next_run(waiting, going, memory)) is not None:
        waiting.remove(spec)
        going.append(Going(spec, 0.0))
    for one in going:
        same = [other for other in going if other.spec.slots == one.spec.slots]
        largest = max(other.spec.slot_count for other in same)
        assert any(not other.spec.slot_count for other in same) or len(same) <= largest
    taken = [device for one in going for device in set(one.spec.devices)]
    assert len(taken) == len(set(taken))
    assert EVERYTHING not in taken or sum(bool(one.spec.devices) for one in going) == 1
