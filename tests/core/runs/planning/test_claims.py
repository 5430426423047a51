# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.plan: runs of tt-xla's own runner take turns in a checkout and in an environment."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.settings import Settings
from core.domain.model import TEST_MODULE
from core.runs import RunSpec
from core.runs.execution.placement import HERE, Going, next_start
from core.sources import Checkout
from tests.core.runs.planning.test_plan import ID, plan


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    found = Checkout(tmp_path / "tt-xla")
    for file in (found.models / "qwen/vl/pytorch/loader.py", found.root / TEST_MODULE):
        file.parent.mkdir(parents=True)
        file.touch()
    return found


def own_python(root: Path) -> str:
    (root / "env/bin").mkdir(parents=True)
    (root / "env/bin/python").symlink_to("/bin/sh")
    return str(root / "env/bin/python")


def test_the_file_with_the_stage_and_the_environment_are_for_one_run(checkout: Checkout, tmp_path: Path) -> None:
    spec = plan(checkout, ID, Settings(python=own_python(tmp_path)), kind="device")
    root = checkout.root.absolute()
    assert spec.claims == (f"{root}/._bringup_stage.txt", os.path.realpath(tmp_path / "env"))
    assert spec.requirements == ()
    place = checkout.models / "qwen/vl/pytorch"
    (place / "requirements.txt").write_text("x\n")
    assert plan(checkout, ID, kind="device").requirements == (str(place.absolute()),)


def test_where_nothing_is_installed_no_environment_is_claimed(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TT_XLA_DISABLE_MODEL_REQS", "1")
    (checkout.models / "qwen/vl/pytorch" / "requirements.txt").write_text("x\n")
    spec = plan(checkout, ID, kind="device")
    assert (spec.claims, spec.requirements) == ((f"{checkout.root.absolute()}/._bringup_stage.txt",), ())


def test_other_runs_claim_nothing(checkout: Checkout) -> None:
    assert plan(checkout, ID).claims == ()
    (checkout.root / TEST_MODULE).unlink()
    assert plan(checkout, ID, kind="device").claims == ()


def test_two_devices_do_not_bring_two_such_runs_together(checkout: Checkout) -> None:
    first, second = (replace(plan(checkout, ID, kind="device"), devices=(one,)) for one in "01")
    assert _starts(second, first) is None
    assert _starts(replace(second, claims=("/elsewhere",)), first)
    assert _starts(replace(second, claims=(), kind="cpu", slots="cpu", devices=()), first)


def _starts(spec: RunSpec, going: RunSpec) -> object:
    return next_start([spec], [Going(going, 100.0)], 2**40, [HERE])
