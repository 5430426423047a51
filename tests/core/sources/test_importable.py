# SPDX-License-Identifier: Apache-2.0
"""Imports that fail because of the tree are found; those that might fail elsewhere are not guessed."""

from pathlib import Path

import pytest

from core.sources import ModelsTree, loader_directories, mark_broken, scan_loaders
from core.sources.importable import import_failures
from tests.support.sample import sample_checkout
from tests.support.tree import loader_source, write_checkout


def _failures(root: Path, head: str, files: dict[str, str] | None = None) -> dict[str, str]:
    checkout = write_checkout(root, {"a/pytorch": head + "\n" + loader_source(["x"])}, {})
    for name, text in {"config.py": "class StrEnum: ...\n", **(files or {})}.items():
        path = checkout.models / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    tree = ModelsTree(checkout.models)
    found = import_failures(checkout, tree, scan_loaders(checkout, loader_directories(checkout.models, ()), tree)[0])
    return {directory: raised.text for directory, raised in found.items()}


@pytest.mark.parametrize(
    ("head", "files", "reason"),
    [
        (
            "from ...tools.utils import gone",
            {"tools/utils.py": "here = 1"},
            "raises ImportError at third_party/tt_forge_models/a/pytorch/loader.py:1: tools/utils.py does not define gone",
        ),
        (
            "from ...tools.lost import x",
            {},
            "raises ModuleNotFoundError at third_party/tt_forge_models/a/pytorch/loader.py:1: tools.lost does not exist",
        ),
        (
            "from ....config import Other",
            {},
            "raises ImportError at third_party/tt_forge_models/a/pytorch/loader.py:1: ....config is beyond the tree",
        ),
        (
            "from .src.model import M",
            {"a/pytorch/src/model.py": "from ....tools.utils import gone\nM = 1", "tools/utils.py": ""},
            "raises ImportError at third_party/tt_forge_models/a/pytorch/src/model.py:1: tools/utils.py does not define gone",
        ),
        (
            "from third_party.tt_forge_models.config import Gone",
            {},
            "raises ImportError at third_party/tt_forge_models/a/pytorch/loader.py:1: config.py does not define Gone",
        ),
    ],
)
def test_a_name_or_file_that_is_not_there(tmp_path: Path, head: str, files: dict[str, str], reason: str) -> None:
    assert _failures(tmp_path, head, files) == {"a/pytorch": reason}


def test_a_module_that_a_loader_imports_may_raise(tmp_path: Path) -> None:
    files = {"a/pytorch/src/model.py": "x = 1\nclass M(nobody): ...\n"}
    text = "raises NameError at third_party/tt_forge_models/a/pytorch/src/model.py:2: name 'nobody' is not defined"
    assert _failures(tmp_path, "from .src.model import M", files) == {"a/pytorch": text}


@pytest.mark.parametrize(
    ("head", "files"),
    [
        ("from ...tools.utils import here", {"tools/utils.py": "import x\nif x:\n    here = 1\n"}),
        ("from ...tools import utils", {"tools/utils.py": ""}),
        ("from ...tools import utils", {"tools/__init__.py": "", "tools/utils.py": ""}),
        ("from ... import tools", {"tools/utils.py": ""}),
        ("from ...tools.utils import any_name", {"tools/utils.py": "from outside import *"}),
        ("from ...tools.utils import any_name", {"tools/utils.py": "def __getattr__(name): ..."}),
        ("from ...tools.utils import *", {"tools/utils.py": ""}),
        ("try:\n    from ...tools.lost import x\nexcept ImportError:\n    pass", {}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ...tools.lost import x", {}),
        ("def later():\n    from ...tools.lost import x", {}),
        ("import not_installed\nfrom also_not import x", {}),
        ("from .src.model import M", {"a/pytorch/src/model.py": "a syntax of tomorrow"}),
        (
            "from .one import x",
            {"a/pytorch/one.py": "from .two import y\nx = 1", "a/pytorch/two.py": "from .one import x\ny = 1"},
        ),
    ],
)
def test_what_may_work_is_not_called_broken(tmp_path: Path, head: str, files: dict[str, str]) -> None:
    assert _failures(tmp_path, head, files) == {}


def test_the_sample_has_exactly_one(tmp_path: Path) -> None:
    checkout = sample_checkout(tmp_path / "demo")
    tree = ModelsTree(checkout.models)
    loaders, findings = mark_broken(
        checkout, tree, scan_loaders(checkout, loader_directories(checkout.models, ()), tree)[0]
    )
    assert [loader.directory for loader in loaders if loader.broken] == ["spot_detector/pytorch"]
    (finding,) = findings
    assert (finding.kind, finding.file) == (
        "broken-loader",
        "third_party/tt_forge_models/spot_detector/pytorch/loader.py",
    )
