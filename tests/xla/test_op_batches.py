# SPDX-License-Identifier: Apache-2.0
"""Op cases on torch-xla's CPU device, through the queue: compared with the reference as on any other backend."""

from pathlib import Path

import pytest

from core.base.errors import EXIT_FINDINGS
from core.sources import Checkout
from tests.support.cli import call
from tests.support.models import xla_python
from tests.support.tree import LOADERS, write_checkout

pytestmark = [pytest.mark.xla, pytest.mark.timeout(900)]

MANIFEST = """\
model: one
defaults: {dtype: fp32}
cases:
  - {name: product, op: torch.matmul, inputs: [{tensor: {shape: [4, 8], init: randn}}, {tensor: {shape: [8, 2]}}]}
  - {name: same, op: torch.matmul, inputs: [{tensor: {shape: [4, 8], init: randn}}, {tensor: {shape: [8, 2]}}]}
  - {name: in_place, op: torch.Tensor.add_, inputs: [{tensor: {shape: [3]}}, {value: 2.0}]}
  - {name: not_here, op: torch.neg, skip_if: cfg.test_device.type == 'xla', inputs: [{tensor: {shape: [3]}}]}
  - {name: no_reference, op: torch.mm, inputs: [{tensor: {shape: [2]}}, {tensor: {shape: [2]}}]}
"""


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    (own_home / "config").mkdir(parents=True, exist_ok=True)
    (own_home / "config/settings.toml").write_text(f'python = "{xla_python()}"\n')
    found = write_checkout(tmp_path / "tt-xla", LOADERS, {})
    (found.root / "tests/op_manifests").mkdir(parents=True)
    (found.root / "tests/op_manifests/one.yaml").write_text(MANIFEST)
    return found


def test_op_cases_run_on_the_cpu_device_of_torch_xla(checkout: Checkout) -> None:
    called = call("ops", "run", "--backend", "xla", "--wait", "--json", "--repo", checkout.root)
    found = {one["id"]: one for one in called.json}
    assert called.code == EXIT_FINDINGS, "a reference that cannot run is to be looked at"
    assert {id: one["status"] for id, one in found.items()} == {
        "one::product": "pass",
        "one::same": "dup",
        "one::in_place": "pass",
        "one::not_here": "skip",
        "one::no_reference": "error(ref)",
    }
    assert found["one::product"]["pcc"] == pytest.approx(1.0, abs=1e-4)
    results = call("ops", "results", "--json", "--repo", checkout.root).json
    assert {one["backend"] for one in results} == {"xla"}
    (run,) = call("runs", "--json", "--repo", checkout.root).json
    assert (run["result"]["device"], run["arch"]) == ("xla", "xla")
