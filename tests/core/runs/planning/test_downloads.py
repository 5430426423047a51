# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.downloads: what may be downloaded, told before anything is."""

from pathlib import Path

import pytest

from core.runs.planning.downloads import downloads, hub_cache
from core.sources.checkout import Checkout

LOADER = """
class ModelVariant(StrEnum):
    SMALL = "Small"
    BIG = "Big"
class ModelLoader(ForgeModel):
    _VARIANTS = {
        ModelVariant.SMALL: ModelConfig(pretrained_model_name="org/some-small"),
        ModelVariant.BIG: ModelConfig(pretrained_model_name="org/some-big"),
    }
    def load_model(self):
        return AutoModel.from_pretrained(self._variant_config.pretrained_model_name)
"""
SMALL, BIG = "some/pytorch-Small-single_device-inference", "some/pytorch-Big-single_device-training"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    checkout = Checkout(tmp_path / "tt-xla")
    place = checkout.models / "some/pytorch"
    place.mkdir(parents=True)
    (place / "loader.py").write_text(LOADER)
    return checkout


def test_checkpoints_that_no_cache_has(checkout: Checkout, tmp_path: Path) -> None:
    environ = {"HF_HOME": str(tmp_path / "hf"), "IRD_LF_CACHE": "x"}
    ((what, remedy),) = downloads(checkout, [SMALL, BIG, SMALL], environ)
    assert what == "2 checkpoints may be downloaded: org/some-big, org/some-small"
    assert str(tmp_path / "hf/hub") in remedy
    (tmp_path / "hf/hub/models--org--some-big").mkdir(parents=True)
    ((what, _),) = downloads(checkout, [SMALL, BIG], environ)
    assert what == "1 checkpoint may be downloaded: org/some-small"
    assert not list(downloads(checkout, [BIG], environ))


def test_a_loader_that_asks_no_hub_downloads_no_checkpoint(checkout: Checkout) -> None:
    (checkout.models / "some/pytorch/loader.py").write_text(LOADER.replace("from_pretrained", "made_here"))
    assert not list(downloads(checkout, [SMALL], {}))


def test_packages_that_a_loader_asks_for(checkout: Checkout) -> None:
    (checkout.models / "some/pytorch/loader.py").write_text("")
    (checkout.models / "some/pytorch/requirements.txt").write_text("# ours\n--no-index\nsacremoses==0.1  # old\ntimm\n")
    ((what, remedy),) = downloads(checkout, [SMALL], {})
    assert what == "some/pytorch asks for packages: sacremoses==0.1, timm"
    assert "at the first run" in remedy


def test_files_of_a_cache_that_nobody_names(checkout: Checkout) -> None:
    (checkout.models / "some/pytorch/loader.py").write_text('weights = get_file("test_files/some.pt")')
    ((what, remedy),) = downloads(checkout, [SMALL], {})
    assert what == "some/pytorch asks for files of a cache, and IRD_LF_CACHE is not set"
    assert "export IRD_LF_CACHE" in remedy
    for name in ("IRD_LF_CACHE", "DOCKER_CACHE_ROOT", "LOCAL_LF_CACHE"):
        assert not list(downloads(checkout, [SMALL], {name: "/cache"}))


@pytest.mark.parametrize("test", ["a placeholder", "gone/pytorch-Small-single_device-inference"])
def test_what_has_no_loader_downloads_nothing(checkout: Checkout, test: str) -> None:
    assert not list(downloads(checkout, [test], {}))


def test_where_checkpoints_are_kept() -> None:
    assert hub_cache({"HF_HUB_CACHE": "/a"}) == Path("/a")
    assert hub_cache({"HF_HOME": "/b"}) == Path("/b/hub")
    assert hub_cache({"XDG_CACHE_HOME": "/c"}) == Path("/c/huggingface/hub")
    assert hub_cache({}) == Path.home() / ".cache/huggingface/hub"
