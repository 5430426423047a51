# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.weight_files: the report on downloads on machines with unknown caches."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.settings import Settings, paths
from core.hosts import Host, with_host
from core.matrix import index
from core.runs.planning import Level, Options, plan_launch
from core.runs.planning.weight_files import fetched_elsewhere, wanted
from core.sources import Checkout
from tests.core.runs.conftest import MakeSpec
from tests.support.fake_python import use_fake_python
from tests.support.tree import sample

TEST = "some/pytorch-Small-single_device-inference"
LOADER = """
import torch
class ModelVariant(StrEnum):
    SMALL = "Small"
class ModelLoader(ForgeModel):
    _VARIANTS = {ModelVariant.SMALL: ModelConfig(pretrained_model_name="org/some-small")}
    def load_model(self):
        torch.hub.load("owner/repo:v1", "net", pretrained=True)
        return AutoModel.from_pretrained(self._variant_config.pretrained_model_name)
    def load_inputs(self):
        get_file("https://example.com/cat.jpg")
        return load_dataset("org/pictures", split="test")
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "tt-xla")
    place = checkout.models / "some/pytorch"
    place.mkdir(parents=True)
    (place / "loader.py").write_text(LOADER)
    (place / "requirements.txt").write_text("# what it needs\ntimm==1.0\n")
    return checkout


def test_all_that_a_loader_names_whatever_is_here(
    checkout: Checkout, tmp_path: Path, make_spec: MakeSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    snapshot = tmp_path / "hf/hub/models--org--some-small/snapshots/abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").touch()
    names = {one.name for one in wanted(checkout, [TEST, TEST])}
    assert {"timm==1.0", "org/some-small", "org/pictures", "https://example.com/cat.jpg"} < names
    here = replace(make_spec(), test_id=TEST, cwd=checkout.root)
    away = [replace(here, needs=name) for name in ("p150", "n150", "n150")]
    (said,) = fetched_elsewhere([here, *away])
    assert said.level is Level.NOTE
    assert said.what.startswith(
        "Runs on n150 and p150 download what is not there yet: 1 package: timm==1.0; 1 checkpoint: "
    )
    assert fetched_elsewhere([here]) == []
    assert fetched_elsewhere([replace(away[0], test_id="none/pytorch-x-single_device-inference")]) == []


def test_a_launch_says_so_and_asks_about_what_is_here_alone(tmp_path: Path, own_home: Path) -> None:
    use_fake_python(own_home, tmp_path)
    matrix = index(sample(tmp_path / "tt-xla"))
    test = "alpha/pytorch-tiny-single_device-inference"
    (matrix.checkout.models / "alpha/pytorch/requirements.txt").write_text("no-such-package\n")
    file = paths().hosts_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(with_host("", Host("far", "me@far", labels=("n150",)), file))
    options = Options(kind="device", arch="n150")
    plan = plan_launch(matrix, [test], Settings(python=str(tmp_path / "python")), options, runs=tmp_path / "runs")
    assert [spec.needs for spec in plan.specs] == ["n150"] and not plan.downloads
    assert any(
        "on n150 download what is not there yet: 1 package: no-such-package" in one.what for one in plan.obstacles
    )
