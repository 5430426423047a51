# SPDX-License-Identifier: Apache-2.0
"""core.edits.checks: thousands of operations on one entry, and numbers that no float holds, are planned soon."""

import json
import time
from pathlib import Path

import pytest

from tests.support.cli import call
from tests.support.evidence import TEST_ID
from tests.support.tree import sample


def applied(tmp_path: Path, *operations: object) -> tuple[int, str]:
    checkout = sample(tmp_path / "tt-xla")
    file = tmp_path / "operations.json"
    file.write_text(json.dumps(operations))
    done = call("edit", "--apply", file, "--repo", checkout.root)
    return done.code, done.err + done.out


def test_many_operations_on_one_entry_are_planned_soon(tmp_path: Path) -> None:
    one = {"op": "set", "id": TEST_ID, "path": ["reason"], "value": "x"}
    begun = time.process_time()
    code, said = applied(tmp_path, *[one] * 2_000)
    # It took the square of their number: minutes.
    assert time.process_time() - begun < 20
    assert (code, 'reason: "x"' in said or "reason: x" in said) == (0, True)


@pytest.mark.parametrize("number", [10**400, -(10**400), 10**4000])
def test_a_number_that_no_float_holds_is_refused_or_planned(tmp_path: Path, number: int) -> None:
    code, said = applied(tmp_path, {"op": "set", "id": TEST_ID, "path": ["required_pcc"], "value": number})
    assert code in (0, 1, 2, 64)
    assert "required_pcc" in said
