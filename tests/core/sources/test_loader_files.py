# SPDX-License-Identifier: Apache-2.0
"""core.sources.loader_files: a loader is its own file and all that it imports of the tree, wherever it does so."""

import os
from pathlib import Path

import pytest

from core.base.processes import run_command
from core.sources import LoaderFiles, git_blob

LOADER = """
from ....base import ForgeModel
from ....tools import utils
import third_party.tt_forge_models.plain

class ModelLoader(ForgeModel):
    def load_model(self):
        from .src.model import Model
        import torch
        return Model()
"""
FILES = {
    "base.py": "from .config import X\n",
    "config.py": "X = 1\n",
    "plain.py": "",
    "tools/__init__.py": "",
    "tools/utils.py": "import os\n",
    "tools/unused.py": "",
    "a/b/pytorch/loader.py": LOADER,
    "a/b/pytorch/requirements.txt": "einops\n",
    "a/b/pytorch/src/__init__.py": "",
    "a/b/pytorch/src/model.py": "from tt_forge_models.a.shared import y\nclass Model: ...\n",
    "a/b/pytorch/src/other.py": "",
    "a/shared.py": "from a import b, (\n",
    "c/pytorch/loader.py": "from ...base import ForgeModel\n",
}
OWN, IMPORTED, UNUSED = "a/b/pytorch/loader.py", "a/b/pytorch/src/model.py", "tools/unused.py"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_everything_it_imports_counts_and_nothing_else(models: Path) -> None:
    found = dict(LoaderFiles(models).code("a/b/pytorch").blobs)
    assert found.keys() == FILES.keys() - {UNUSED, "a/b/pytorch/src/other.py", "c/pytorch/loader.py"}


@pytest.mark.parametrize(
    ("file", "loader", "imports"),
    [
        (OWN, True, False),
        (IMPORTED, False, True),
        ("a/b/pytorch/requirements.txt", False, True),
        (UNUSED, False, False),
    ],
)
def test_a_change_shows_where_it_was_made(models: Path, file: str, loader: bool, imports: bool) -> None:
    files = LoaderFiles(models)
    before = files.code("a/b/pytorch")
    (models / file).write_text(f"{FILES[file]}# changed\n")
    after = files.code("a/b/pytorch")
    assert (before.loader != after.loader, before.imports != after.imports) == (loader, imports)
    assert after == LoaderFiles(models).code("a/b/pytorch")
    (models / file).write_text(FILES[file])
    assert files.code("a/b/pytorch") == before


def test_a_file_that_comes_or_goes_shows(models: Path) -> None:
    files = LoaderFiles(models)
    before = files.code("a/b/pytorch")
    (models / IMPORTED).unlink()
    assert files.code("a/b/pytorch").imports != before.imports
    (models / OWN).unlink()
    assert files.code("a/b/pytorch").loader == files.code("none/pytorch").loader == ""


def test_an_old_file_is_read_once(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FILES:
        os.utime(models / name, (1, 1))
    files = LoaderFiles(models)
    codes = files.codes(["a/b/pytorch", "c/pytorch"])
    # A change time cannot be set back, so the stamps are made out to be old.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", 0)
    files.codes(["a/b/pytorch", "c/pytorch"])
    monkeypatch.setattr(Path, "read_bytes", lambda self: pytest.fail(f"{self} is read again"))
    assert files.codes(["a/b/pytorch", "c/pytorch"]) == codes


def test_contents_are_named_as_git_names_them(models: Path) -> None:
    for name in FILES:
        named = run_command(["git", "hash-object", "--no-filters", name], cwd=models).stdout.strip()
        assert git_blob((models / name).read_bytes()) == named
