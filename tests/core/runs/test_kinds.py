# SPDX-License-Identifier: Apache-2.0
"""core.runs.kinds: what each kind asks of the machine; the commands are tested where they are planned."""

import os

import pytest

from core.runs.kinds import CPU_PAYLOAD, KINDS
from core.settings import Settings


@pytest.mark.parametrize(
    ("value", "devices"), [(None, ("*",)), ("", ("*",)), ("0", ("0",)), (" 1, 3 ", ("1", "3")), (",", ("*",))]
)
def test_a_device_run_wants_what_is_visible_to_it(value: str | None, devices: tuple[str, ...]) -> None:
    environ = {} if value is None else {"TT_VISIBLE_DEVICES": value}
    assert KINDS["device"].devices(environ) == devices
    assert KINDS["cpu"].devices(environ) == ()


def test_repros_stay_within_the_cores() -> None:
    cores = os.cpu_count() or 1
    count = KINDS["cpu"].slot_count
    assert [count(Settings(cpu_slots=slots)) for slots in (0, 1, 10_000)] == [1, 1, cores]
    assert KINDS["device"].slot_count(Settings()) == 0
    assert KINDS["cpu"].memory(Settings(cpu_memory=0.5)) == 2**29


def test_the_payload_is_there() -> None:
    assert CPU_PAYLOAD.is_file()
