# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.downloads: what is downloaded from where, reported before it happens."""

import hashlib
import os
from pathlib import Path

import pytest

from core.runs.planning import Download, Sources, download_lines, loader_downloads, size_text
from core.runs.planning.downloads import Kind, asked_packages, fetched, hub_cache, requirement_places
from core.sources import Checkout
from core.sources.downloads import Fetched, fetched_by

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
    def load_inputs(self):
        return load_dataset("org/pictures", split="test")
"""
SMALL, BIG = "some/pytorch-Small-single_device-inference", "some/pytorch-Big-single_device-training"
PICTURES = Download(Kind.DATASET, "org/pictures")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def checkout(tmp_path: Path, home: Path) -> Checkout:
    checkout = Checkout(tmp_path / "tt-xla")
    place = checkout.models / "some/pytorch"
    place.mkdir(parents=True)
    (place / "loader.py").write_text(LOADER)
    return checkout


def _asks_for(checkout: Checkout, *names: str) -> None:
    lines = [f"weights = get_file({name})" for name in names]
    (checkout.models / "some/pytorch/loader.py").write_text("\n".join(lines))


def test_what_no_cache_has(checkout: Checkout, tmp_path: Path) -> None:
    environ = {"HF_HOME": str(tmp_path / "hf")}
    small, big = Download(Kind.CHECKPOINT, "org/some-small"), Download(Kind.CHECKPOINT, "org/some-big")
    found = fetched(checkout, [SMALL, BIG, SMALL], environ, [Download(Kind.PACKAGE, "timm")])
    assert found.downloads == [Download(Kind.PACKAGE, "timm"), PICTURES, big, small]
    snapshot = tmp_path / "hf/hub/models--org--some-big/snapshots/abc"
    snapshot.mkdir(parents=True)
    # A refused download leaves only a directory.
    assert big in fetched(checkout, [BIG], environ, ()).downloads
    (snapshot / "config.json").touch()
    assert fetched(checkout, [BIG], environ, ()).downloads == [PICTURES]
    (tmp_path / "hf/hub/models--org--some-big/blobs").mkdir()
    (tmp_path / "hf/hub/models--org--some-big/blobs/0a1b.incomplete").touch()
    assert big in fetched(checkout, [BIG], environ, ()).downloads


def test_where_the_cache_is_and_what_says_so(checkout: Checkout, tmp_path: Path, home: Path) -> None:
    ((fact, explained),) = fetched(checkout, [SMALL], {"HF_HOME": str(tmp_path / "hf")}, ()).notes
    assert fact == f"Files of the Hugging Face hub are cached in {tmp_path / 'hf/hub'}"
    assert explained.startswith("HF_HOME says so")
    ((fact, explained),) = fetched(checkout, [SMALL], {}, ()).notes
    assert str(home / ".cache/huggingface/hub") in fact
    assert explained.startswith("HF_HOME is not set")


def test_offline_nothing_is_downloaded_and_that_is_said(checkout: Checkout) -> None:
    found = fetched(checkout, [SMALL], {"HF_HUB_OFFLINE": "1"}, ())
    assert not found.downloads
    ((what, remedy),) = found.missing
    assert what == "The cache does not have these repositories of the hub: org/pictures, org/some-small"
    assert "HF_HUB_OFFLINE" in remedy
    assert fetched(checkout, [SMALL], {"HF_HUB_OFFLINE": "0"}, ()).downloads


def test_a_loader_that_fetches_nothing(checkout: Checkout) -> None:
    (checkout.models / "some/pytorch/loader.py").write_text("def made_here(): ...")
    assert fetched(checkout, [SMALL], {}, ()) == Sources([], [], [])


def test_packages_that_loaders_ask_for(checkout: Checkout) -> None:
    place = checkout.models / "some/pytorch"
    assert requirement_places(checkout, [SMALL]) == []
    (place / "requirements.txt").write_text("# ours\n--no-index\nsacremoses==0.1  # old\ntimm\n")
    (place / "requirements.nodeps.txt").write_text("mamba\ntimm\n")
    assert requirement_places(checkout, [SMALL, BIG]) == [place]
    assert asked_packages(place) == ["mamba", "timm", "sacremoses==0.1"]


def test_files_of_a_server_that_nobody_names(checkout: Checkout, tmp_path: Path, home: Path) -> None:
    _asks_for(checkout, '"test_files/some.pt"')
    found = fetched(checkout, [SMALL], {}, ())
    ((what, remedy),) = found.missing
    assert what == "some/pytorch asks for files of a cache, and IRD_LF_CACHE is not set"
    assert "export IRD_LF_CACHE" in remedy
    assert "IRD_LF_CACHE names no server for them" in found.notes[0][1]
    found = fetched(checkout, [SMALL], {"IRD_LF_CACHE": "http://files"}, ())
    assert (found.missing, found.downloads) == ([], [Download(Kind.FILE, "http://files/test_files/some.pt")])
    assert "IRD_LF_CACHE=http://files" in found.notes[0][1]
    place = home / ".cache/lfcache/test_files"
    place.mkdir(parents=True)
    (place / "some.pt").touch()
    for environ in ({}, {"IRD_LF_CACHE": "http://files"}):
        found = fetched(checkout, [SMALL], environ, ())
        assert (found.missing, found.downloads) == ([], [])
    # Only machines with CI's own cache mounted read it; nothing is downloaded there.
    assert not fetched(checkout, [SMALL], {"DOCKER_CACHE_ROOT": str(tmp_path)}, ()).missing


def test_files_of_which_no_name_is_known(checkout: Checkout) -> None:
    _asks_for(checkout, "self.picture")
    assert fetched(checkout, [SMALL], {}, ()).missing
    assert not fetched(checkout, [SMALL], {"IRD_LF_CACHE": "http://files"}, ()).downloads


def test_names_that_are_made_as_a_module_beside_the_loader_runs(checkout: Checkout) -> None:
    place = checkout.models / "some/pytorch"
    (place / "loader.py").write_text("from .helpers import load\nload(read())")
    (place / "helpers.py").write_text("def load(name):\n    get_file(name)\n    get_file('test_files/a.pt')")
    found = fetched(checkout, [SMALL], {"IRD_LF_CACHE": "http://files"}, ())
    assert found.downloads == [Download(Kind.FILE, "http://files/test_files/a.pt")]
    assert found.notes[-1][0].endswith("not known before the loaders run: some/pytorch/helpers.py:2")


def test_addresses(checkout: Checkout, home: Path) -> None:
    address = "https://somewhere/pictures/cat.jpg?size=2"
    _asks_for(checkout, repr(address), f"str({address!r})")
    found = fetched(checkout, [SMALL], {}, ())
    assert (found.missing, found.downloads) == ([], [Download(Kind.FILE, address)])
    place = home / ".cache/url_cache"
    place.mkdir(parents=True)
    (place / f"{hashlib.md5(address.encode()).hexdigest()[:10]}_cat.jpg").touch()
    assert not fetched(checkout, [SMALL], {}, ()).downloads


@pytest.mark.parametrize("name", ["http://[x", "http://a/\\ud800", "\\0", "../../etc/passwd"])
def test_names_that_are_none(checkout: Checkout, name: str) -> None:
    _asks_for(checkout, f"'{name}'")
    found = fetched(checkout, [SMALL], {"IRD_LF_CACHE": "http://files"}, ())
    assert [one.kind for one in found.downloads] == [Kind.FILE]


@pytest.mark.parametrize("test", ["a placeholder", "gone/pytorch-Small-single_device-inference"])
def test_what_has_no_loader_downloads_nothing(checkout: Checkout, test: str) -> None:
    assert fetched(checkout, [test], {}, ()) == Sources([], [], [])


def test_where_checkpoints_are_stored() -> None:
    assert hub_cache({"HF_HUB_CACHE": "/a"}) == Path("/a")
    assert hub_cache({"HF_HOME": "/b"}) == Path("/b/hub")
    assert hub_cache({"XDG_CACHE_HOME": "/c"}) == Path("/c/huggingface/hub")
    assert hub_cache({}) == Path.home() / ".cache/huggingface/hub"


def test_lines_have_names_and_sizes() -> None:
    lines = download_lines(
        [
            Download(Kind.PACKAGE, "timm"),
            Download(Kind.CHECKPOINT, "a/b", 3 * 2**30),
            Download(Kind.CHECKPOINT, "a/c", 2**30),
            Download(Kind.CHECKPOINT, "a/d"),
            Download(Kind.DATASET, "a/e", 96),
        ]
    )
    assert lines == [
        "1 package: timm; size: only pip knows, once it has resolved them",
        "3 checkpoints: a/b (3.0 GiB), a/c (1.0 GiB), a/d; 4.0 GiB together, and 1 of unknown size",
        "1 dataset: a/e (96 bytes)",
    ]
    assert size_text(1536) == "1.5 KiB"


def test_the_downloads_of_many_loaders_are_found_once(
    checkout: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TTMATRIX_HOME", str(tmp_path / "own"))
    names = [f"some{number}/pytorch" for number in range(12)]
    for name in names:
        place = checkout.models / name
        place.mkdir(parents=True)
        (place / "loader.py").write_text(LOADER)
        os.utime(place / "loader.py", ns=(1, 1))
    tests = [f"{name}-{variant}-single_device-inference" for name in names for variant in ("Small", "Big")]
    followed: list[str] = []

    def noted(models: Path, directory: str, variant: str) -> Fetched:
        followed.append(directory)
        return fetched_by(models, directory, variant)

    monkeypatch.setattr(loader_downloads, "fetched_by", noted)
    # The time of a change of a file's inode cannot be set back.
    monkeypatch.setattr(loader_downloads, "_RACY_NS", -(10**12))
    first = loader_downloads.asked_by(checkout, tests)
    assert len(followed) == len(first) == 24
    assert loader_downloads.asked_by(checkout, tests) == first
    assert len(followed) == 24
    (checkout.models / names[3] / "loader.py").write_text(LOADER.replace("org/some", "org/other"))
    again = loader_downloads.asked_by(checkout, tests)
    assert followed[24:] == [names[3]] * 2
    assert [one for one in again if one not in first] == [
        (names[3], fetched_by(checkout.models, names[3], variant)) for variant in ("Big", "Small")
    ]
