# SPDX-License-Identifier: Apache-2.0
"""Only what passed on a device, and passed last, proves anything of a cell."""

from dataclasses import replace
from pathlib import Path

from core.runs.events import Finished
from core.runs.outcome import Outcome
from core.runs.proven import passed_cells
from core.runs.record import RunRecord, fold

from .test_record import SPEC


def _ended(number: int, outcome: Outcome, devices: tuple[str, ...] = ("0",), arch: str | None = "n150") -> RunRecord:
    spec = replace(SPEC, run_id=f"20261121-00000{number}-abcdef", kind="device", devices=devices, arch=arch)
    return fold(spec, Path("/"), [Finished(1.0, outcome, 1.0)])


def test_a_pass_on_a_device_counts_until_the_next_result() -> None:
    cell = (SPEC.test_id, "n150")
    assert passed_cells([_ended(1, Outcome.PASS)]) == {cell}
    assert passed_cells([_ended(2, Outcome.PASS), _ended(1, Outcome.FAIL)]) == {cell}
    assert passed_cells([_ended(1, Outcome.PASS), _ended(2, Outcome.CRASH)]) == frozenset()
    assert passed_cells([_ended(1, Outcome.PASS), _ended(2, Outcome.CANCELLED)]) == {cell}


def test_what_is_no_evidence() -> None:
    others = [_ended(1, Outcome.PASS, devices=()), _ended(2, Outcome.PASS, arch=None), _ended(3, Outcome.XFAIL)]
    assert passed_cells([*others, fold(replace(SPEC, kind="device"), Path("/"), [])]) == frozenset()
