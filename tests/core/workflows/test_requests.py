# SPDX-License-Identifier: Apache-2.0
"""core.workflows.requests: each describes its request in one line."""

import json

import pytest

from core.workflows import Ask
from core.workflows.requests import (
    Abort,
    EditLoader,
    Effect,
    End,
    FindUsers,
    Propose,
    RevertLoader,
    RunCpu,
    RunDevice,
    identity,
)
from tests.support.triage import LOADER, edit


@pytest.mark.parametrize(
    ("effect", "title"),
    [
        (RunCpu(("a",), "as it is"), "CPU repro, as it is: a"),
        (RunCpu(("a", "b"), "after"), "CPU repro, after: 2 tests"),
        (EditLoader(LOADER, edit("cast x")), f"edit {LOADER}: cast x"),
        (RevertLoader(LOADER, edit()), f"revert {LOADER}"),
        (FindUsers("MapOutput"), "look for loaders that return MapOutput"),
        (RunDevice(("a", "b"), True), "run on a device: 2 tests"),
        (Ask("which?", ("x",)), "ask: which?"),
        (Propose(()), "propose 0 operations"),
        (Abort("why"), "abort"),
    ],
)
def test_titles(effect: Effect | End, title: str) -> None:
    assert effect.title == title


def test_effects_are_distinguished_by_what_they_do_and_not_by_their_words() -> None:
    different: list[Effect] = [
        RunCpu(("a",), "as it is"),
        RunCpu(("a", "b"), "as it is"),
        RunDevice(("a",), True),
        EditLoader(LOADER, edit("cast x")),
        RevertLoader(LOADER, edit("cast x")),
        FindUsers("MapOutput"),
        Ask("which?", ("x", "y")),
    ]
    assert len({json.dumps(identity(one)) for one in different}) == len(different)
    assert identity(RunCpu(("a",), "as it is")) == identity(RunCpu(("a",), "in other words"))
    assert identity(Ask("which?", ("x",))) == identity(Ask("which one?", ("z",)))
