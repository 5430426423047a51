# SPDX-License-Identifier: Apache-2.0
"""`ops bisect` with torch-xla: a kernel that is planted on its side is named, and a clean one is not."""

from pathlib import Path

import pytest

from core.sources import Checkout
from tests.support.cli import call
from tests.support.models import xla_python
from tests.support.sample import sample_checkout

pytestmark = [pytest.mark.xla, pytest.mark.timeout(600)]

ID = "depth_unet/pytorch-Indoor-single_device-inference"
# torch-xla first: it registers its own kernels when it is imported.
WRONG = """\
import torch
import torch_xla

LIBRARY = torch.library.Library("aten", "IMPL")
LIBRARY.impl("sigmoid", lambda one: torch.reciprocal(torch.exp(-one) + 1) * 1.02, "XLA")
"""


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    home = tmp_path / "home/config"
    home.mkdir(parents=True)
    (home / "settings.toml").write_text(f'python = "{xla_python()}"\n')
    (tmp_path / "wrong_sigmoid.py").write_text(WRONG)
    monkeypatch.setenv("TTMATRIX_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return sample_checkout(tmp_path / "sample")


def test_a_wrong_kernel_is_named(sample: Checkout) -> None:
    asked = ("ops", "bisect", ID, "--backend", "xla", "--import", "wrong_sigmoid", "--json", "--repo", sample.root)
    called = call(*asked)
    found = called.json
    assert (called.code, found["verdict"], found["departures"]) == (1, "op", 1)
    first = found["first"]
    assert first["op"] == "torch.ops.aten.sigmoid.default"
    assert first["file"].endswith("depth_unet/pytorch/src/model.py")
    assert 0.015 < first["rel"] < 0.025
    assert first["pcc"] > 0.999
    assert found["case_fails"]
    assert "op: torch.ops.aten.sigmoid.default" in Path(found["case"]).read_text()


def test_a_clean_backend(sample: Checkout) -> None:
    called = call("ops", "bisect", ID, "--backend", "xla", "--json", "--repo", sample.root)
    assert (called.code, called.json["verdict"], called.json["departures"]) == (0, "none", 0)
