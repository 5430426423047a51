# SPDX-License-Identifier: Apache-2.0
"""`check`: what a change adds, in the forms of people, hooks and code hosts."""

import json
from pathlib import Path

import pytest

from core.cli.findings_report import annotation
from core.domain.model import Finding
from core.sources import Checkout
from tests.support.cli import call
from tests.support.states import with_submodule, write
from tests.support.tree import INFERENCE

CONFIG = f"tests/runner/test_config/{INFERENCE}"
ID = "alpha/pytorch-tiny-single_device-inference"
BAD = f"test_config:\n  {ID}:\n    status: PASSING\n    required_pcc: 0.99\n"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A commit, and in the work tree an error and a note that it does not have."""
    checkout = with_submodule(tmp_path_factory.mktemp("check") / "tt-xla")
    write(checkout, {CONFIG: BAD})
    return checkout


def test_text_names_place_severity_and_kind(checkout: Checkout) -> None:
    done = call("check", "--base", "HEAD", "--repo", checkout.root)
    assert done.code == 1
    rows = {tuple(line.split()[:3]) for line in done.out.splitlines()[1:]}
    assert {(f"{CONFIG}:3", "error", "bad-value"), (f"{CONFIG}:4", "note", "redundant-default")} <= rows
    assert "new findings since" in done.err


def test_the_severity_decides_the_exit_code(checkout: Checkout) -> None:
    assert call("check", "--base", "HEAD", "--fail-on", "note", "--repo", checkout.root).code == 1
    write(checkout, {CONFIG: BAD.replace("PASSING", "EXPECTED_PASSING")})
    try:
        assert call("check", "--base", "HEAD", "--repo", checkout.root).code == 0
        assert call("check", "--base", "HEAD", "--fail-on", "note", "--repo", checkout.root).code == 1
    finally:
        write(checkout, {CONFIG: BAD})


def test_json(checkout: Checkout) -> None:
    found = call("check", "--base", "HEAD", "--json", "--repo", checkout.root).json
    assert found == call("check", "--base", "HEAD", "--format", "json", "--repo", checkout.root).json
    assert found["named"] == "HEAD" and len(found["base"]) == 40 and found["unknown"] == []
    assert {"bad-value", "redundant-default"} <= {one["kind"] for one in found["findings"]}


def test_sarif_has_the_severities(checkout: Checkout) -> None:
    log = json.loads(call("check", "--base", "HEAD", "--format", "sarif", "--repo", checkout.root).out)
    assert log["version"] == "2.1.0" and "sarif-schema-2.1.0" in log["$schema"]
    levels = {one["ruleId"]: one["level"] for one in log["runs"][0]["results"]}
    assert (levels["bad-value"], levels["redundant-default"]) == ("error", "note")


def test_annotations_of_github(checkout: Checkout) -> None:
    lines = call("check", "--base", "HEAD", "--format", "github", "--repo", checkout.root).out.splitlines()
    (line,) = [one for one in lines if "bad-value" in one]
    assert line.startswith(f"::error file={CONFIG},line=3,col=5,title=bad-value%3A {ID}::status is 'PASSING'")


def test_whatever_a_message_holds_an_annotation_is_one_line() -> None:
    hostile = Finding("bad-value", "100% of a,b:c\r\n::error::x", "a,b:c%/x.yaml", 3)
    assert annotation(hostile) == (
        "::error file=a%2Cb%3Ac%25/x.yaml,line=3,title=bad-value::100%25 of a,b:c%0D%0A::error::x"
    )


def test_two_forms_at_once_are_refused(checkout: Checkout, tmp_path: Path) -> None:
    done = call("check", "--json", "--format", "sarif", "--repo", checkout.root)
    assert done.code == 64
