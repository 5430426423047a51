# SPDX-License-Identifier: Apache-2.0
"""The checkout's own validator, run in a child."""

import sys
from pathlib import Path

import pytest

from core.edits.commit import Answer, Validation, ValidatorRefused
from core.edits.commit.validator import VALIDATOR, refuse_complaint, validate
from core.sources import Checkout

COMPLAINT = """
print('=' * 60)
print('VALIDATING TEST CONFIGURATIONS')
print('WARNING: The following tests are missing from test_config yaml files:')
for number in range(20000):
    print(f'  - test {number}')
print()
print('ERROR: test_config yaml files contain entries not found in discovered tests.')
print('  - alpha/pytorch-gone')
raise SystemExit(1)
"""


def validator(root: Path, code: str) -> Checkout:
    path = root / VALIDATOR
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(code)
    return Checkout(root)


def test_passed(tmp_path: Path) -> None:
    assert validate(validator(tmp_path, "print('fine')")) == Validation(Answer.PASSED)
    assert list(tmp_path.rglob("__pycache__")) == []


def test_its_complaint_without_the_warnings(tmp_path: Path) -> None:
    found = validate(validator(tmp_path, COMPLAINT))
    assert found.answer is Answer.FAILED
    assert found.detail.splitlines() == [
        "ERROR: test_config yaml files contain entries not found in discovered tests.",
        "  - alpha/pytorch-gone",
    ]
    with pytest.raises(ValidatorRefused, match="rejects the files") as caught:
        refuse_complaint(found)
    assert "alpha/pytorch-gone" in caught.value.detail


def test_a_crash_is_a_complaint(tmp_path: Path) -> None:
    found = validate(validator(tmp_path, "raise KeyError('status')"))
    assert found.answer is Answer.FAILED
    assert "KeyError: 'status'" in found.detail


def test_what_keeps_it_from_running_says_nothing_of_the_files(tmp_path: Path) -> None:
    found = validate(validator(tmp_path, "import no_such_module"))
    assert found.answer is Answer.UNABLE
    assert "no_such_module" in found.detail
    refuse_complaint(found)
    assert validate(Checkout(tmp_path), "/no/such/python").answer is Answer.UNABLE
    assert validate(Checkout(tmp_path / "elsewhere")) == Validation(Answer.ABSENT)


def test_the_checkouts_interpreter_comes_first(tmp_path: Path) -> None:
    checkout = validator(tmp_path, "print('fine')")
    own = tmp_path / "venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.write_text(f'#!/bin/sh\ntouch {tmp_path}/asked\nexec {sys.executable} "$@"\n')
    own.chmod(0o755)
    assert validate(checkout).answer is Answer.PASSED
    assert (tmp_path / "asked").exists()
