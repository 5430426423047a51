# SPDX-License-Identifier: Apache-2.0
"""`run`: plans, starts, waits; exit codes report the outcome."""

import shlex

import pytest

from core.runs.planning import KINDS, OP_RUNS, scale
from core.sources import Checkout
from tests.support.cli import call

PASSES, FAILS = (f"alpha/pytorch-{name}-single_device-training" for name in ("tiny", "org/name"))


def test_plan_starts_nothing(runnable: Checkout) -> None:
    called = call("run", PASSES, "--kind", "cpu", "--plan", "--repo", runnable.root)
    words = shlex.split(called.out)
    assert called.code == 0
    assert words[:3] == ["cd", str(runnable.root), "&&"]
    assert "--variant=tiny" in words
    assert call("runs", "--json").json == []


def test_wait_reports_each_and_fails_if_one_does(runnable: Checkout) -> None:
    called = call("run", PASSES, FAILS, "--kind", "cpu", "--wait", "--json", "--repo", runnable.root)
    assert called.code == 1
    assert [(one["id"], one["outcome"]) for one in called.json] == [(PASSES, "pass"), (FAILS, "fail")]
    assert "mat1 and mat2 must have the same dtype" in called.json[1]["summary"]
    assert called.json[0]["result"]["phases"][0]["ok"] is True


def test_all_passed_is_0_and_repeat_repeats(runnable: Checkout) -> None:
    called = call("run", PASSES, "--kind", "cpu", "--repeat", "2", "--wait", "--repo", runnable.root)
    assert called.code == 0
    assert called.out.count("pass ") == 2
    assert called.err.count("started ") == 2


def test_a_machine_that_cannot_run_is_2(runnable: Checkout) -> None:
    python = runnable.root.parent / "python"
    python.write_text("#!/bin/sh\nexit 3\n")
    called = call("run", PASSES, "--wait", "--json", "--repo", runnable.root)
    assert called.code == 2
    assert called.json[0]["outcome"] == "error"


@pytest.mark.parametrize(
    "argv",
    [
        ["--kind", "gpu"],
        ["--kind", "op"],
        ["--kind", "cpu", "--repeat", "0"],
        ["--kind", "cpu", "--repeat", "99999999999"],
        ["--kind", "cpu", "--timeout", "-1"],
    ],
)
def test_usage(runnable: Checkout, argv: list[str]) -> None:
    assert call("run", PASSES, *argv, "--repo", runnable.root).code == 64


def test_the_help_has_a_line_for_each_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    called = call("run", "--help")
    options, _, kinds = called.out.partition("\nkinds:\n")
    assert "--kind KIND" in options and "bisect" not in options
    assert [line.split()[0] for line in kinds.splitlines() if not line.startswith("   ")] == [*KINDS, OP_RUNS]
    assert max(map(len, called.out.splitlines())) <= 80


def test_jax_models_need_jax(runnable: Checkout) -> None:
    called = call("run", "gamma/jax-Base-single_device-training", "--kind", "cpu", "--repo", runnable.root)
    assert called.code == 2
    assert "cannot import jax" in called.err


def test_many_tests_start_only_after_a_yes_that_saw_the_numbers(
    runnable: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scale, "MANY", 1)
    many = ("run", PASSES, FAILS, "--kind", "cpu", "--repo", runnable.root)
    refused = call(*many)
    assert refused.code == 64
    assert "Tests      2" in refused.err and "Disk       about" in refused.err and "Downloads  none" in refused.err
    assert "add --yes" in refused.err
    assert call("runs", "--json").json == []
    assert call(*many, "--plan").code == 0
    assert call(*many, "--yes", "--wait").code == 1
    assert len(call("runs", "--json").json) == 2
