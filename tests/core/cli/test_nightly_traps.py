# SPDX-License-Identifier: Apache-2.0
"""What leads astray who reads a nightly: docs/nightly-procedures.md lists all of it, with the tests of the others."""

import json
from pathlib import Path

import pytest

from core.runs import UNHEARD
from core.sources import Checkout
from tests.support.ci_night import Night, nightly
from tests.support.github_server import GitHub, reached
from tests.support.tree import sample

IDS = tuple(f"model{at}/pytorch-tiny-single_device-inference" for at in range(20))
GOOD = dict.fromkeys(IDS, "pass")
OOM = "RuntimeError: TT_FATAL: Out of Memory: Not enough space to allocate 4096 B L1 buffer"

hub = pytest.fixture(reached)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def test_2_the_arch_of_a_job_is_that_of_its_machine_and_archs_whose_names_begin_alike_are_two(
    hub: GitHub, checkout: Checkout
) -> None:
    """Upstream's inspector reads the machine `n300-llmbox-n300` where a mark begins with `n300-llmbox`."""
    for number in (20, 21):
        night = Night(hub, number)
        for index, arch in enumerate(("n300", "n300-llmbox")):
            endings = GOOD | ({IDS[0]: OOM} if number == 21 and arch == "n300-llmbox" else {})
            night.models(arch, endings, index=index, machine=f"runner-{index}")
    found = nightly(checkout, "--json").json
    assert sorted(one["arch"] for one in found["jobs"]) == ["n300", "n300-llmbox"]
    assert [test["arch"] for one in found["failures"] for test in one["tests"]] == ["n300-llmbox"]


def test_12_last_night_is_the_newest_run_of_the_nightly_that_has_ended(hub: GitHub, checkout: Checkout) -> None:
    """Not a date: it may start at 00:40 and end at noon, and a weekly may end after it."""
    for number in (20, 21):
        Night(hub, number).models("n150", GOOD)
    hub.runs[0] |= {"created_at": "2026-11-21T00:40:00Z", "updated_at": "2026-11-22T12:30:00Z"}
    Night(hub, 23, workflow=2).models("n150", GOOD | {IDS[0]: OOM})
    found = nightly(checkout, "--json").json
    assert (found["run"], found["against"], found["failures"]) == ("nightly-21", "nightly-20", [])


def test_3_a_fallen_pcc_is_that_of_its_arch_and_no_word_of_a_reason_loses_a_test(
    hub: GitHub, checkout: Checkout
) -> None:
    """Upstream has one value for a test on all archs, and turns the tags to JSON by replacing text."""
    odd = "ValueError: it's nan, 'inf' or None: -inf {don't}"
    for number in (20, 21):
        night = Night(hub, number)
        night.models("n150", GOOD | {IDS[0]: "pass 0.999" if number == 20 else "pass 0.975", IDS[1]: odd})
        night.models("p150", GOOD | {IDS[0]: "pass 0.995"}, index=1)
    page = nightly(checkout).out
    drops = page.partition("PCC fell, without a new failure: 1")[2].partition("\n\n")[0]
    assert "pcc 0.999 -> 0.975" in drops and f"{IDS[0]} (n150)" in drops and "p150" not in drops
    found = nightly(checkout, "--json").json
    persisting = [one for one in found["failures"] if one["kind"] == "persisting"]
    assert [test["id"] for one in persisting for test in one["tests"]] == [IDS[1]]
    assert "it's nan, 'inf' or None" in persisting[0]["cause"]


def test_13_the_machine_is_the_runner_where_containers_have_a_new_name_each_time(
    hub: GitHub, checkout: Checkout
) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        for at in range(4):
            ids = IDS[at * 5 : at * 5 + 5]
            bad = dict.fromkeys(ids[:4], OOM) if number == 21 and at < 2 else {}
            machine = "n150-07" if at < 2 else "n150-08"
            endings = dict.fromkeys(ids, "pass") | bad
            night.models("n150", endings, index=at, machine=machine, host=f"{number}{at}ab3f9c")
    found = nightly(checkout, "--json").json
    assert found["machines"] == [{"name": "n150-07", "failed": 8, "ran": 10}]
    assert {test["machine"] for one in found["failures"] for test in one["tests"]} == {"n150-07"}


def test_14_crashed_with_signal_0_says_nothing_about_any_test(hub: GitHub, checkout: Checkout) -> None:
    """Neither new, nor fixed, nor missing; the next night is compared with what was known before."""
    Night(hub, 20).models("n150", GOOD | {IDS[0]: OOM})
    crash = ":-1: running the test CRASHED with signal 0"
    Night(hub, 21).models("n150", dict.fromkeys(IDS, crash))
    found = nightly(checkout, "--json").json
    assert not found["failures"] and found["reported"] == 1
    page = nightly(checkout).out
    assert "20 results of nothing: signal 0 of pytest-forked is no crash" in page and "0 new" in page
    assert UNHEARD not in page.partition("Could not be read")[0]
    Night(hub, 22).models("n150", GOOD | {IDS[0]: OOM})
    found = nightly(checkout, "--json").json
    assert [(one["kind"], [test["id"] for test in one["tests"]]) for one in found["failures"]] == [
        ("persisting", [IDS[0]])
    ]


AREAS = {
    "tests.torch.multi_host.test_mesh": "multi-host",
    "tests.torch.ops.test_add": "torch",
    "tests.jax.single_chip.ops.test_exp": "jax",
}


def test_hand_written_tests_have_their_areas_and_the_arch_of_their_job(hub: GitHub, checkout: Checkout) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        job = night.job("nightly_tests / test nightly and single_device (p150, run_torch, 0)", "failure")
        bad = '<failure message="ValueError: no">ValueError: no</failure>' if number == 21 else ""
        cases = "".join(f'<testcase classname="{place}" name="test_it" time="1">{bad}</testcase>' for place in AREAS)
        when = f"2026-11-{number}T01:00:00+00:00"
        xml = f'<testsuites><testsuite name="pytest" timestamp="{when}" hostname="h">{cases}</testsuite></testsuites>'
        name = f"test-reports-a1b2-1.0-p150-nightly_and_single_device-{job}"
        hub.add_artefact(number, job * 10, name, {f"report_{job}.xml": xml.encode()})
    found = nightly(checkout, "--json").json
    new = [one for one in found["failures"] if one["kind"] == "new"]
    assert sorted(one["area"] for one in new) == sorted(AREAS.values())
    assert {test["arch"] for one in new for test in one["tests"]} == {"p150"}


def test_a_benchmark_that_measures_no_more_is_said_and_benchmark_jobs_are_counted(
    hub: GitHub, checkout: Checkout
) -> None:
    for number in (20, 21):
        night = Night(hub, number)
        night.models("n150", GOOD)
        night.benchmark("resnet", "n150-perf", 100.0)
        if number == 20:
            night.benchmark("bert", "p150-perf", 10.0)
    page = nightly(checkout).out
    assert "no number any more: bert (p150)" in page and "1 of 1 benchmark job passed" in page


def test_times_of_model_tests_are_among_the_numbers(hub: GitHub, checkout: Checkout) -> None:
    """Upstream's model runner reports them, and no step of CI compares them."""
    for number in range(15, 22):
        night = Night(hub, number)
        job = night.models("n150", GOOD)
        seconds = 2.0 + number % 3 / 100 if number < 21 else 2.6
        rows = {"total_samples": 8, "total_time": seconds}
        report = {
            "model": "alpha",
            "config": {"model_info": "alpha"},
            "device_info": {"device_arch": "n150"},
            "measurements": [
                {"step_name": "e2e_perf", "measurement_name": key, "value": one} for key, one in rows.items()
            ],
        }
        name = f"perf-reports-a1b2-1.0-n150-x-{job}"
        hub.add_artefact(number, job * 10 + 1, name, {f"report_perf_alpha_{job}.json": json.dumps(report).encode()})
    found = nightly(checkout, "--json").json["performance"]
    regressed = [(one["arch"], one["metric"]) for one in found if one["trend"] == "regressed"]
    assert ("n150", "samples/s") in regressed
