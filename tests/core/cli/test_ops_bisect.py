# SPDX-License-Identifier: Apache-2.0
"""`ops bisect`: its report on a model, and on one that cannot be compared."""

from pathlib import Path

import pytest

from core.base.processes import CommandResult
from core.sources import Checkout
from tests.support.cli import call
from tests.support.fake_python import use_fake_python
from tests.support.tree import LOADERS, write_checkout

CLEAN, FAULTY = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "org/name"))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    monkeypatch.setenv("TTMATRIX_HOME", str(tmp_path / "home"))
    use_fake_python(tmp_path / "home", tmp_path)
    return write_checkout(tmp_path / "tt-xla", LOADERS, {})


def test_the_op_its_place_and_its_case(checkout: Checkout, tmp_path: Path) -> None:
    called = call("ops", "bisect", FAULTY, "--backend", "inductor", "--repo", checkout.root)
    assert called.code == 1
    first, *lines = called.out.splitlines()
    assert first == "op: torch.sigmoid departs on inductor, at call 1 of 1"
    assert "  line     tiny/model.py:12  return gate" in lines
    assert "  module   gate" in lines
    assert any("relative error 0.02, of an element 0.024, PCC 1.000000" in line for line in lines)
    case = tmp_path / "home/state/bisect/alpha_pytorch-org_name-single_device-inference-inductor.yaml"
    assert f"  case     {case}, which fails alone" in lines
    assert "so far 0.00e+00" in called.err


def test_nothing_departs(checkout: Checkout, tmp_path: Path) -> None:
    called = call("ops", "bisect", CLEAN, "--backend", "eager", "--repo", checkout.root)
    assert (called.code, called.out.splitlines()[0]) == (0, "none: nothing departs on eager, 1 call compared")
    found = call("ops", "bisect", CLEAN, "--backend", "eager", "--json", "--repo", checkout.root).json
    assert (found["id"], found["verdict"], found["first"], found["case"]) == (CLEAN, "none", None, None)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "the process ended with 3"),
        ('TTMATRIX-BISECT {"problem": "torch cannot be imported"}', "torch cannot be imported"),
        ('TTMATRIX-BISECT {"verdict": "op"}', "its report cannot be read: Object missing required field"),
        ('TTMATRIX-BISECT {"verdi', "its report cannot be read: it is not JSON"),
    ],
)
def test_what_there_is_instead_of_a_report_is_said(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, written: str, said: str
) -> None:
    done = CommandResult((), 3, f"{written}\n", "at last\n")
    monkeypatch.setattr("core.ops.bisection.run_command", lambda *_, **__: done)
    called = call("ops", "bisect", CLEAN, "--backend", "eager", "--repo", checkout.root)
    assert called.code == 2 and "cannot be bisected" in called.err
    assert said in called.err and "at last" in called.err


def test_a_tolerance_is_a_number_from_0_on(checkout: Checkout) -> None:
    for text in ("-1", "nan", "x"):
        asked = ("ops", "bisect", CLEAN, "--backend", "eager", f"--rtol={text}", "--repo", checkout.root)
        assert call(*asked).code == 64


def test_jax_has_no_ops_of_torch(checkout: Checkout) -> None:
    jax = [id for id in call("list", "--format", "ids", "--repo", checkout.root).out.split() if "/jax" in id]
    assert jax
    called = call("ops", "bisect", jax[0], "--backend", "eager", "--repo", checkout.root)
    assert called.code == 64
    assert "JAX" in called.err


def test_as_a_run_in_the_background(checkout: Checkout) -> None:
    called = call("run", FAULTY, "--kind", "bisect", "--wait", "--json", "--repo", checkout.root)
    (run,) = called.json
    assert (called.code, run["kind"], run["outcome"]) == (1, "bisect", "fail")
    assert run["result"]["message"] == "op: torch.sigmoid in gate departs"
