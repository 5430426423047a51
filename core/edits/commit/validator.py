# SPDX-License-Identifier: Apache-2.0
"""Upstream's own check of the expectation files, run in a child process as a person would run it."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.base.errors import TTMatrixError
from core.base.processes import CommandRunner, run_command
from core.sources import Checkout

VALIDATOR = Path("tests/runner/validate_test_config.py")

_SECONDS = 180.0
_INTERPRETERS = ("venv/bin/python", ".venv/bin/python")
_LEAST_LINES = 40
_CANNOT_RUN = ("ModuleNotFoundError", "ImportError")


class Answer(StrEnum):
    """The result of the check."""

    PASSED = "passed"
    FAILED = "failed"
    ABSENT = "absent"
    UNABLE = "unable"


@dataclass(frozen=True, slots=True)
class Validation:
    """The validator's answer for the files in the work tree."""

    answer: Answer
    detail: str = ""
    """The validator's complaint, or why it could not run."""


def validate(checkout: Checkout, python: str = "", runner: CommandRunner = run_command) -> Validation:
    """Run the checkout's validator with `python`, else the checkout's interpreter, else ours; never longer than 180 s.

    Older checkouts have no validator. If it cannot run, for example because a module is not installed, that says
    nothing about the files.
    """
    if not (checkout.root / VALIDATOR).is_file():
        return Validation(Answer.ABSENT)
    missing = ""
    for interpreter in _interpreters(checkout, python):
        try:
            done = runner(
                [interpreter, "-B", str(VALIDATOR)], cwd=checkout.root, env={"PYTHONUTF8": "1"}, timeout=_SECONDS
            )
        except TTMatrixError as error:
            return Validation(Answer.UNABLE, f"{error.title}. {error.detail}")
        last = (done.stderr.strip().splitlines() or [""])[-1]
        if done.returncode == 0:
            return Validation(Answer.PASSED)
        if not last.startswith(_CANNOT_RUN):
            return Validation(Answer.FAILED, _complaint(done.stdout, done.stderr))
        missing = missing or f"{interpreter}: {last}"
    return Validation(Answer.UNABLE, missing)


class ValidatorRefused(TTMatrixError):
    """The validator complains about the files; a person may commit without it."""


def refuse_complaint(validation: Validation) -> None:
    """Raise ValidatorRefused if the validator complains."""
    if validation.answer is Answer.FAILED:
        hint = "Fix it, or commit without this check."
        raise ValidatorRefused(f"{VALIDATOR.name} rejects the files", validation.detail, hint)


def _interpreters(checkout: Checkout, python: str) -> Sequence[str]:
    if python:
        return [python]
    own = (str(path) for name in _INTERPRETERS if (path := checkout.root / name).is_file())
    return [*own, sys.executable]


def _complaint(stdout: str, stderr: str) -> str:
    """The validator's output, without the thousands of lines about tests that have no entry: they are no complaint."""
    complaints: list[str] = []
    listing = False
    for line in stdout.splitlines():
        listing = line.startswith("WARNING") or (listing and bool(line.strip()))
        if not listing and line.strip(" =") and not line.startswith("VALIDATING"):
            complaints.append(line)
    shown = complaints[-_LEAST_LINES:] + stderr.strip().splitlines()[-_LEAST_LINES:]
    return "\n".join(shown) or "It ended with an error and said nothing."
