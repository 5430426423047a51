# SPDX-License-Identifier: Apache-2.0
"""`capsule`: one archive of one ended run."""

import tarfile
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call

PASSES, HANGS = (f"alpha/pytorch-{name}-single_device-training" for name in ("tiny", "net-v1.5+aug"))


def test_a_capsule_goes_where_it_is_asked_to_or_here(
    runnable: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (done,) = call("run", PASSES, "--kind", "cpu", "--wait", "--json", "--repo", runnable.root).json
    monkeypatch.chdir(tmp_path)
    assert call("capsule", done["run"]).out == f"{done['run']}.tar.gz\n"
    named = call("capsule", done["run"][:-1], "-o", tmp_path / "x.tar.gz", "--json").json
    assert named == {"run": done["run"], "file": str(tmp_path / "x.tar.gz")}
    with tarfile.open(tmp_path / "x.tar.gz") as archive:
        assert {"capsule.json", "output.log", "provenance.json"} <= set(archive.getnames())
    monkeypatch.undo()


def test_a_run_that_goes_on_has_none_yet(runnable: Checkout) -> None:
    (going,) = call("run", HANGS, "--kind", "cpu", "--json", "--repo", runnable.root).json
    assert call("capsule", going["run"]).code == 64
    assert call("cancel", going["run"]).code == 0
