# SPDX-License-Identifier: Apache-2.0
"""Tests under several profiles: medians, spread, and what counts as a difference."""

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.base.processes import ProcessIdentity
from core.domain.model import Function
from core.evidence.analysis import Metric, Shift, profile_table
from core.evidence.analysis.profile_comparison import measured
from core.runs import Outcome, RunSpec
from core.runs.store import Finished, Queued, RunRecord, Started
from core.runs.store.record import fold

TEST = "alpha/pytorch-tiny-single_device-inference"


def run(
    profile: str, seconds: float | None, number: int = 0, outcome: Outcome = Outcome.PASS, pcc: float = 0.99
) -> RunRecord:
    spec = RunSpec(
        f"20261121-073215-{number:06x}", TEST, Function.TORCH, "device", None, ("python",), MappingProxyType({}),
        Path("/"), 0.0, "", "", "device", 1, profile=profile,
    )  # fmt: skip
    said = {"compile_s": 2.0, "run_s": seconds, "samples_per_s": None, "peak_bytes": 3 * 2**20}
    result: dict[str, Any] = {"tags": {"pcc": pcc, "atol": "inf"}, "performance": json.dumps(said)}
    events = (
        Queued(1.0, "host", "boot"),
        Started(2.0, ProcessIdentity(1, 1.0), ("python",)),
        Finished(3.0, outcome, 1.0, 0, result=result, peak_memory=2**20),
    )
    return fold(spec, Path("/runs"), events)


def test_the_numbers_are_those_of_the_runs_own_report() -> None:
    assert measured(run("", 0.5)) == {Metric.PCC: 0.99, Metric.COMPILE: 2.0, Metric.RUN: 0.5, Metric.PEAK: 3.0}


def test_another_runner_says_nothing_but_its_memory_is_seen() -> None:
    other = run("", None)
    assert other.result is not None
    bare = {name: value for name, value in other.result.items() if name == "tags"}
    from dataclasses import replace

    assert measured(replace(other, result=bare)) == {Metric.PCC: 0.99, Metric.PEAK: 1.0}


def test_a_table_has_each_profile_of_each_test() -> None:
    runs = [run("", 1.0, 1), run("", 3.0, 2, Outcome.FAIL), run("fast", 2.0, 3), run("other", 9.0, 4)]
    table = profile_table(runs, ["", "fast", "slow"])
    plain, fast, slow = table.rows[TEST].values()
    assert (plain.outcome, fast.outcome, slow.outcome) == ("1 fail, 1 pass", "pass", "")
    assert (plain.numbers[Metric.RUN].median, plain.numbers[Metric.RUN].spread) == (2.0, 2.0)
    assert slow.numbers[Metric.RUN].median is None
    assert table.difference(TEST, "fast", Metric.RUN) is Shift.UNKNOWN


def test_a_run_that_this_machine_could_not_do_has_no_numbers() -> None:
    table = profile_table([run("", 1.0, 1, Outcome.ERROR)], [""])
    assert table.rows[TEST][""].numbers[Metric.RUN].values == ()


def test_a_pcc_that_falls_below_a_limit_is_a_difference_and_its_fourth_digit_is_none() -> None:
    pccs = {"": 0.9991, "near": 0.9987, "worse": 0.985}
    runs = [run(name, 1.0, number, pcc=pcc) for name, pcc in pccs.items() for number in range(3)]
    table = profile_table(runs, list(pccs))
    assert str(table.change(TEST, "near", Metric.PCC)) == "="
    assert str(table.change(TEST, "worse", Metric.PCC)) == "-1.4%"
