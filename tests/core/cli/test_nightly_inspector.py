# SPDX-License-Identifier: Apache-2.0
"""What upstream's inspector looks for, on planted nights: PCC that fell, and failures that the night before had not."""

import math
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest

from core.sources import Checkout
from tests.support.ci_night import MARK, Night, nightly
from tests.support.cli import call
from tests.support.github_server import GitHub, reached
from tests.support.tree import sample

hub = pytest.fixture(reached)
OOM = "RuntimeError: TT_FATAL: Out of Memory"
LOW = "AssertionError: PCC comparison failed. Calculated: pcc={}. Required: pcc=0.99."


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def case(
    name: str,
    pcc: float | None,
    threshold: float = 0.99,
    *,
    checked: bool = True,
    xfail: bool = False,
    skip: bool = False,
) -> str:
    """A testcase of a model test: without a PCC it failed before it had one."""
    low = pcc is not None and not pcc >= threshold
    failed = pcc is None or (low and checked)
    tags = {
        "specific_test_case": f"test_all_models_torch[{name}/pytorch-tiny-single_device-inference]",
        "arch": "n150",
        "model_test_status": f"ModelTestStatus.{'KNOWN_FAILURE_XFAIL' if xfail else 'EXPECTED_PASSING'}",
        "bringup_status": "FAILED_RUNTIME" if pcc is None else "INCORRECT_RESULT" if low else "PASSED",
        "pcc": pcc,
        "pcc_threshold": threshold,
        "pcc_assertion_enabled": checked,
    }
    message = quoteattr(OOM if pcc is None else LOW.format(pcc))
    child = f"<failure message={message}/>" if failed else ""
    if xfail and failed:
        child = f'<skipped type="pytest.xfail" message={message}/>'
    if skip:
        child = '<skipped type="pytest.skip" message="not now"/>'
    properties = f'<properties><property name="tags" value={quoteattr(str(tags))}/></properties>'
    return f'<testcase classname="tests.runner.test_models" name="{tags["specific_test_case"]}">{properties}{child}</testcase>'


def nights(hub: GitHub, checkout: Checkout, *cases: list[str]) -> Any:
    """One job in each night; what the last one says."""
    for number, some in enumerate(cases, 20):
        night, mark = Night(hub, number), MARK.format("n150")
        job = night.job(f"test_forge_models_passing / test {mark} (n150, run_forge_models, 0)")
        passing = case("other", 0.999)
        data = f'<testsuites><testsuite timestamp="{night.day}T01:00:00">{"".join([*some, passing])}</testsuite></testsuites>'
        name = f"test-reports-a1b2c3-1.0-n150-{mark.replace(' ', '_')}-{job}"
        hub.add_artefact(night.run, job * 10, name, {f"report_{job}.xml": data.encode()})
    return nightly(checkout, "--json").json


def test_a_pcc_that_fell_is_named_whether_or_not_it_is_checked_and_also_where_a_failure_is_expected(
    hub: GitHub, checkout: Checkout
) -> None:
    before = [
        case("passes", 0.998, 0.97), case("unchecked", 0.95, checked=False), case("expected", 0.9, xfail=True),
        case("nan", 0.98, checked=False), case("fails", 0.95), case("margin", 0.99, 0.9), case("steady", 0.999),
        case("new", 0.998), case("little", 0.99, 0.9),
    ]  # fmt: skip
    after = [
        case("passes", 0.975, 0.97), case("unchecked", 0.3, checked=False), case("expected", 0.5, xfail=True),
        case("nan", math.nan, checked=False), case("fails", 0.6), case("margin", 0.98, 0.9), case("steady", 0.998),
        case("new", 0.936), case("little", 0.979, 0.9),
    ]  # fmt: skip
    found = nights(hub, checkout, before, after)
    told = [(one["id"].partition("/")[0], one["before"], one["after"], one["as_expected"]) for one in found["pcc"]]
    assert told == [
        ("nan", 0.98, None, True),
        ("unchecked", 0.95, 0.3, True),
        ("expected", 0.9, 0.5, True),
        ("fails", 0.95, 0.6, False),
        ("passes", 0.998, 0.975, True),
        ("little", 0.99, 0.979, True),
    ]
    page = call("nightly", "--repo", checkout.root).out
    lines = page.partition("PCC fell, without a new failure: 6")[2].partition("\n\n")[0]
    for words in (
        "0.95 -> 0.3, not checked",
        "0.9 -> 0.5, expected to fail",
        "0.98 -> no number, not checked",
        "0.6, fails as before",
    ):
        assert words in lines
    assert "pcc 0.998 -> 0.975\n" in lines
    new = [one for one in found["failures"] if one["kind"] == "new"]
    assert [test["id"].partition("/")[0] for one in new for test in one["tests"]] == ["new"]


def test_a_new_failure_says_whether_it_ever_ran_before(hub: GitHub, checkout: Checkout) -> None:
    before = [case("broke", 0.999), case("skipped", 0.999, skip=True)]
    after = [case("broke", None), case("skipped", None), case("added", None)]
    found = nights(hub, checkout, before, before, after)
    tests = {test["id"].partition("/")[0]: test["first"] for one in found["failures"] for test in one["tests"]}
    assert tests == {"added": True, "broke": False, "skipped": True}
    assert "2 of 3 cells without a result before" in call("nightly", "--repo", checkout.root).out
