# SPDX-License-Identifier: Apache-2.0
"""`ops run`: cases of a checkout, in its interpreter."""

from pathlib import Path

import pytest

from core.errors import EXIT_FINDINGS, EXIT_OK, EXIT_USAGE
from core.sources.checkout import Checkout
from tests.support.cli import call
from tests.support.tree import LOADERS, write_checkout
from tests.support.warm_python import use_python

ONE = """\
model: one
cases:
  - {name: a, op: torch.add, inputs: [{tensor: {shape: [2, 3]}}, {value: 1.0}]}
  - {name: b, op: torch.add, inputs: [{tensor: {shape: [2, 3]}}, {value: 1.0}]}
  - {name: c, op: torch.mm, inputs: [{tensor: {shape: [2]}}, {tensor: {shape: [2]}}]}
"""


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path, warm_torch: Path) -> Checkout:
    use_python(warm_torch, own_home)
    found = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    directory = found.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "one.yaml").write_text(ONE)
    # Settings of the checkout, which op tests must not use.
    (found.root / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (found.root / "tests/conftest.py").write_text("raise AssertionError\n")
    return found


@pytest.mark.slow("ops run")
def test_each_case_has_its_result(checkout: Checkout) -> None:
    called = call("ops", "run", "--backend", "eager", "--json", "--repo", checkout.root)
    found = {one["id"]: one for one in called.json}
    assert called.code == EXIT_FINDINGS, "a reference that cannot run is to be looked at"
    assert {id: one["status"] for id, one in found.items()} == {
        "one::a": "pass",
        "one::b": "dup",
        "one::c": "error(ref)",
    }
    assert found["one::b"]["message"] == "the same as one::a: pass"
    assert (found["one::a"]["max_abs"], found["one::a"]["pcc"]) == (0.0, 1.0)
    assert found["one::a"]["seconds"] > 0
    called = call("ops", "run", "one::b", "--backend", "eager", "--wait", "--repo", checkout.root)
    assert called.code == EXIT_OK
    assert "1 op case: 1 pass" in called.err
    assert called.out.splitlines()[1].split()[:2] == ["one::b", "pass"]


@pytest.mark.slow("ops run")
def test_a_name_is_never_an_option(checkout: Checkout) -> None:
    odd = "model: -c evil\ncases:\n  - {name: --help, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}\n"
    (checkout.root / "tests/op_manifests/one.yaml").write_text(odd)
    called = call("ops", "run", "--backend", "eager", "--json", "--repo", checkout.root, "--", "-c evil::--help")
    assert [(one["id"], one["status"]) for one in called.json] == [("-c evil::--help", "pass")]


def test_what_is_not_there_is_reported_before_anything_runs(checkout: Checkout) -> None:
    called = call("ops", "run", "one::aa", "--repo", checkout.root)
    assert called.code == EXIT_USAGE
    assert "Closest: one::a" in called.err


@pytest.mark.slow("torch is imported")
def test_a_backend_that_is_not_there_says_which_ones_are(checkout: Checkout) -> None:
    called = call("ops", "run", "one::a", "--backend", "nosuch", "--wait", "--repo", checkout.root)
    assert called.code == 2
    assert "there is no backend nosuch; there are" in called.err
