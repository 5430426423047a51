# SPDX-License-Identifier: Apache-2.0
"""Tests that are neither of models nor op cases have results, history and an area as far as their reports go."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.ci_night import Night, nightly
from tests.support.cli import call
from tests.support.github_server import GitHub, reached
from tests.support.sample import sample_checkout

hub = pytest.fixture(reached)
VLLM = "tests/integrations/vllm_plugin/test_generation.py::test_opt"
EXAMPLE = "tests/examples/test_examples.py::test_example[pytorch/resnet.py]"
UNIT = "pjrt::ClientTest::Compiles"
JOB = "nightly_tests / test nightly and single_device ({}, {}, {})"


def case(classname: str, name: str, bad: bool) -> str:
    inner = '<failure message="boom">boom</failure>' if bad else ""
    return f'<testcase classname="{classname}" name="{name}" time="1">{inner}</testcase>'


def left(night: Night, runner: str, row: str, index: int, cases: str, head: str = "") -> None:
    """A job with a report."""
    job = night.job(JOB.format(runner, row, index), "failure" if "boom" in cases else "success")
    when = f"2026-11-{night.number:02}T01:00:00+00:00"
    data = f'<testsuites><testsuite name="x" timestamp="{when}" hostname="h">{cases}</testsuite></testsuites>'
    name = head or f"test-reports-a1b2-1.{index}-{runner}-nightly_and_single_device"
    night.server.add_artefact(night.run, job * 10, f"{name}-{job}", {f"report_{job}.xml": data.encode()})


def laid_out(hub: GitHub, checkout: Checkout) -> None:
    for path in (VLLM, EXAMPLE):
        file = checkout.root / path.partition("::")[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "import pytest\ndef test_opt(): ...\n@pytest.mark.parametrize('x', ['pytorch/resnet.py'])\ndef test_example(x): ...\n"
        )
    for number in (20, 21):
        night, bad = Night(hub, number), number == 21
        left(night, "n150", "run_vllm", 0, case("tests.integrations.vllm_plugin.test_generation", "test_opt", bad))
        left(
            night,
            "n150",
            "run_examples",
            1,
            case("tests.examples.test_examples", "test_example[pytorch/resnet.py]", bad),
        )
        unit = case("ClientTest", "Compiles", bad)
        left(night, "n150", "run_pjrt", 2, unit, head="test-reports-pjrt-unit-tests-1")


def test_each_is_in_the_nightly_with_its_area_and_has_a_history(hub: GitHub, tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "tt-xla")
    laid_out(hub, checkout)
    found = nightly(checkout, "--json").json["failures"]
    assert {(one["area"], one["kind"], one["tests"][0]["id"]) for one in found} == {
        ("vLLM", "new", VLLM), ("examples", "new", EXAMPLE), ("PJRT unit tests", "new", UNIT)
    }  # fmt: skip
    assert all("/job/" in one["tests"][0]["url"] for one in found)
    for id in (VLLM, EXAMPLE):
        shown = call("show", id, "--json", "--repo", checkout.root)
        assert shown.code == 0, shown.err
        assert [row["ending"] for row in shown.json["evidence"]] == ["failed", "passed"]
