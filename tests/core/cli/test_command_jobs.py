# SPDX-License-Identifier: Apache-2.0
"""`jobs`: what CI runs, and what runs one test."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.sample import sample_checkout
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"
RUNNER = "./tests/runner/test_models.py"
PRESET = [
    {
        "runs-on": "n150",
        "name": "torch",
        "dir": f"{RUNNER}::test_all_models_torch",
        "test-mark": "n150 and expected_passing",
        "forge-models": True,
    },
    {
        "runs-on": "p150",
        "name": "torch",
        "dir": f"{RUNNER}::test_all_models_torch",
        "test-mark": "p150 and expected_passing",
        "forge-models": True,
        "parallel-groups": 4,
    },
    {"runs-on": "n150", "name": "ops", "dir": "./tests/torch", "test-mark": "push"},
    {"runs-on": "n150", "name": "broken", "dir": RUNNER, "test-mark": "push and \x1b[31m"},
]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = sample(tmp_path)
    checkout.presets.mkdir(parents=True)
    (checkout.presets / "model-test-push.json").write_text(json.dumps(PRESET))
    return checkout


def _json(checkout: Checkout, *argv: str) -> Any:
    called = call("jobs", *argv, "--json", "--repo", checkout.root)
    assert called.code == 0
    return called.json


def test_every_job_with_what_it_selects(checkout: Checkout) -> None:
    jobs = _json(checkout)
    assert [(job["index"], job["runs_on"], job["arch"], job["selected"]) for job in jobs] == [
        (0, "n150", "n150", 1),
        (1, "p150", "p150", 1),
        (2, "n150", None, None),
        (3, "n150", None, 0),
    ]
    assert [one["cadence"] for one in jobs[0]["triggers"]] == ["push", "push"]
    assert [bool(job["problem"]) for job in jobs] == [False, False, False, True]


def test_the_table_is_safe_and_names_what_is_wrong(checkout: Checkout) -> None:
    called = call("jobs", "--repo", checkout.root)
    lines = called.out.splitlines()
    assert lines[0].split() == ["file", "name", "runs-on", "cadence", "tests", "mark"]
    assert lines[1].split()[:5] == ["model-test-push.json", "torch", "n150", "push", "1"]
    assert lines[3].split()[4] == "-"
    assert "\x1b" not in called.out + called.err
    assert "object 3: pytest would reject its expressions" in called.err


def test_the_jobs_of_one_test_by_arch(checkout: Checkout) -> None:
    found = _json(checkout, TINY)
    assert found["id"] == TINY
    assert list(found["archs"]) == ["n150", "p150"]
    (job,) = found["archs"]["p150"]
    assert (job["file"], job["index"], job["function"]) == ("model-test-push.json", 1, "test_all_models_torch")
    assert (job["group"], job["parallel_groups"], job["runs"], job["skipped"]) == (1, 4, True, None)


def test_one_arch_only(checkout: Checkout) -> None:
    assert list(_json(checkout, TINY, "--arch", "n150")["archs"]) == ["n150"]
    assert [job["index"] for job in _json(checkout, "--arch", "p150")] == [1]
    assert call("jobs", "--arch", "n15", "--repo", checkout.root).code == 64


def test_text_of_one_test(checkout: Checkout) -> None:
    lines = call("jobs", TINY, "--repo", checkout.root).out.splitlines()
    assert lines[0] == TINY
    assert lines[2].split()[:7] == [
        "n150",
        "push",
        "model-test-push.json",
        "torch",
        "test_all_models_torch",
        "1/1",
        "runs",
    ]


def test_no_job_is_an_answer_and_an_unknown_id_is_not(checkout: Checkout) -> None:
    id = "delta/pytorch-single_device-inference"
    called = call("jobs", id, "--repo", checkout.root)
    assert (called.code, "No job selects it." in called.out) == (0, True)
    assert _json(checkout, id)["archs"] == {}
    assert call("jobs", "nothing like it", "--repo", checkout.root).code == 64


def test_findings_are_said_beside_the_result(checkout: Checkout) -> None:
    (checkout.presets / "bad.json").write_text("[")
    called = call("jobs", "--json", "--repo", checkout.root)
    assert len(called.json) == 4
    assert "broken-preset" in called.err


def test_groups_of_the_sample_checkout_decide_the_schedule(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    jobs = _json(checkout)
    for mark in ("nightly and inference and expected_passing", "weekly and expected_passing and not large"):
        assert any(all(word in job["mark"] for word in mark.split()) and job["selected"] for job in jobs), mark
    assert not any(job["problem"] for job in jobs)
    assert {one["cadence"] for job in jobs for one in job["triggers"]} == {"push", "nightly", "weekly"}
