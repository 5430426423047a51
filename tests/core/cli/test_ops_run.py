# SPDX-License-Identifier: Apache-2.0
"""`ops run`: cases of a checkout, in its interpreter."""

from pathlib import Path

import pytest

from core.base.errors import EXIT_FINDINGS, EXIT_OK, EXIT_USAGE
from core.sources import Checkout
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


MISTAKE = "  - {name: d, op: torch.add, inputs: [{tensor: {shap: [2]}}]}\n"


@pytest.mark.slow("ops run")
def test_cases_with_mistakes_are_named_and_count(checkout: Checkout) -> None:
    file = checkout.root / "tests/op_manifests/one.yaml"
    file.write_text(ONE.partition("  - {name: c")[0] + MISTAKE)
    called = call("ops", "run", "--backend", "eager", "--json", "--repo", checkout.root)
    found = {one["id"]: one for one in called.json}
    assert (called.code, found["one::a"]["status"], found["one::d"]["status"]) == (EXIT_FINDINGS, "pass", "invalid")
    assert "tests/op_manifests/one.yaml:5: unknown key 'shap'" in found["one::d"]["message"]
    assert "not run: tests/op_manifests/one.yaml:5: unknown key 'shap'" in called.err
    started = call("ops", "run", "--backend", "eager", "--repo", checkout.root)
    assert (started.code, "not run: " in started.err) == (EXIT_FINDINGS, True)
    alone = call("ops", "run", "one::a", "--backend", "eager", "--wait", "--repo", checkout.root)
    assert (alone.code, "not run: " in alone.err) == (EXIT_OK, False)


def test_a_case_with_a_mistake_is_refused_with_the_mistake(checkout: Checkout) -> None:
    (checkout.root / "tests/op_manifests/one.yaml").write_text(ONE + MISTAKE)
    called = call("ops", "run", "one::d", "--repo", checkout.root)
    assert called.code == EXIT_USAGE
    assert "one::d has a mistake" in called.err and "unknown key 'shap'" in called.err


@pytest.mark.slow("ops run")
def test_the_backend_of_the_environment_is_the_default(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_COMPILE_BACKEND", "eager")
    called = call("ops", "run", "one::a", "--wait", "--repo", checkout.root)
    assert (called.code, "on eager" in called.err) == (EXIT_OK, True)
    assert (
        "on aot_eager" in call("ops", "run", "one::a", "--backend", "aot_eager", "--wait", "--repo", checkout.root).err
    )
