# SPDX-License-Identifier: Apache-2.0
"""Mistakes in files of loaders that importing them does not show."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.doctor.loader_files import loader_file_findings
from core.matrix import index
from core.matrix.cache import Cache
from tests.support.tree import LOADERS, write_checkout

ALPHA = "alpha/pytorch"
INSTALLER = 'NAMES = ("requirements.txt", "requirements.nodeps.txt", "system-requirements.txt")\n'


def _found(root: Path, models: Mapping[str, str], required: str = "torch\ntimm\n") -> list[tuple[str, str, int]]:
    checkout = write_checkout(root / "tt-xla", LOADERS, {})
    files = {"python_package/requirements.txt": required, "tests/runner/requirements.py": INSTALLER}
    files |= {f"third_party/tt_forge_models/{path}": text for path, text in models.items()}
    for path, text in files.items():
        place = checkout.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text.replace("…", LOADERS[ALPHA]))
    found = loader_file_findings(Cache(checkout, root / "cache"), index(checkout))
    return [(one.kind, one.file.removeprefix("third_party/tt_forge_models/"), one.line) for one in found]


def _line(text: str, part: str) -> int:
    whole = text.replace("…", LOADERS[ALPHA]).splitlines()
    return next(at for at, line in enumerate(whole, 1) if part in line)


LATE = {f"{ALPHA}/requirements.txt": "vgg-pytorch==1\nomegaconf\nnumpy\ntimm\n"}


@pytest.mark.parametrize(
    "text", ["import vgg_pytorch\n…", "from vgg_pytorch.models import VGG\n…", "import torch, omegaconf\n…"]
)
def test_a_package_of_the_requirements_at_the_top(tmp_path: Path, text: str) -> None:
    assert _found(tmp_path, {**LATE, f"{ALPHA}/loader.py": text}) == [("early-import", f"{ALPHA}/loader.py", 1)]


def test_a_package_that_a_module_of_the_tree_imports(tmp_path: Path) -> None:
    files = {
        f"{ALPHA}/loader.py": "from .src.model import make\n…",
        f"{ALPHA}/src/model.py": "import omegaconf\nmake = 1\n",
    }
    assert _found(tmp_path, {**LATE, **files}) == [("early-import", f"{ALPHA}/src/model.py", 1)]
    shared = {"tools/utils.py": "import onnx\nx = 1\n", f"{ALPHA}/loader.py": "from ...tools.utils import x\n…"}
    onnx = {"beta/onnx/requirements.txt": "onnx\n"}
    assert _found(tmp_path / "tools", {**shared, **onnx}) == [("early-import", "tools/utils.py", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "import numpy, timm, torch, json\n…",
        "try:\n    import omegaconf\nexcept ImportError:\n    omegaconf = None\n…",
        "…\n    def more(self):\n        import omegaconf\n",
        "import PIL, google, jinja2, PIL.Image, functorch, ttnn\n…",
        "from tests.infra import x\n…",
    ],
)
def test_packages_that_are_there_or_not_needed(tmp_path: Path, text: str) -> None:
    assert _found(tmp_path, {**LATE, f"{ALPHA}/loader.py": text}) == []


def test_a_package_that_nobody_names(tmp_path: Path) -> None:
    """What comes along with a package is there as long as that one is required."""
    text = {f"{ALPHA}/loader.py": "import somebody_elses, shapely, cv2\n…"}
    named = ("unnamed-package", f"{ALPHA}/loader.py", 1)
    assert _found(tmp_path / "none", text) == [named] * 3
    assert _found(tmp_path / "some", text, "torch\nyolov5\n") == [named]
    assert _found(tmp_path / "all", text, "torch\nyolov5\nsomebody.elses==1\n") == []
    assert _found(
        tmp_path / "other", {**text, "beta/onnx/requirements.txt": "somebody-elses\n"}, "torch\nyolov5\n"
    ) == [("early-import", f"{ALPHA}/loader.py", 1)]
    assert _found(tmp_path / "unknown", text, "") == []


@pytest.mark.parametrize(
    "body",
    [
        "return gone",
        "self.x = [gone for _ in self.all]",
        "def inner():\n            return gone\n        return inner",
        "if not hasattr(gone, 'processor'): return 1",
    ],
)
def test_a_name_that_nothing_binds(tmp_path: Path, body: str) -> None:
    text = f"…\n    def helper(self):\n        {body}\n"
    ((kind, file, line),) = _found(tmp_path, {f"{ALPHA}/loader.py": text})
    assert (kind, file, line) == ("undefined-name", f"{ALPHA}/loader.py", _line(text, "gone"))


@pytest.mark.parametrize(
    "text",
    [
        "…\n    def helper(self, gone):\n        return gone\n",
        "…\n    def helper(self):\n        global gone\n        gone = 1\n    def other(self):\n        return gone\n",
        "…\n    def helper(self):\n        return gone\n\n\ndef late():\n    globals()['gone'] = 1\n",
        "…\n    def helper(self):\n        x: gone = 1\n        return x\n",
        "…\n    def helper(self):\n        try:\n            return gone\n        except NameError:\n            return __file__\n",
        "from torch import *\n…\n    def helper(self):\n        return gone\n",
        "…\n    def helper(self):\n        return gone\n\n\nif True:\n    import gone\n",
    ],
)
def test_a_name_that_something_binds_or_may_bind(tmp_path: Path, text: str) -> None:
    assert _found(tmp_path, {f"{ALPHA}/loader.py": text}) == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (f"{ALPHA}/requirement.txt", True),
        (f"{ALPHA}/requirements-dev.txt", True),
        ("alpha/requirements.txt", True),
        (f"{ALPHA}/requirements.txt", False),
        (f"{ALPHA}/requirements.nodeps.txt", False),
        ("requirements.txt", False),
        ("elsewhere/onnx/requirements.txt", False),
        (f"{ALPHA}/notes.txt", False),
    ],
)
def test_requirements_that_nothing_installs(tmp_path: Path, path: str, found: bool) -> None:
    assert _found(tmp_path, {path: "timm\n"}) == ([("unread-requirements", path, 1)] if found else [])


@pytest.mark.parametrize(
    ("method", "found"),
    [
        ("def info(cls, variant=None): ...", True),
        ("@classmethod\n    def info(cls, variant=None): ...", False),
        ("@made\n    def info(cls, variant=None): ...", False),
        ("def info(self, cls): ...", False),
        ("def __init_subclass__(cls): ...", False),
    ],
)
def test_a_method_that_takes_the_class(tmp_path: Path, method: str, found: bool) -> None:
    text = f"from torch import made\n…\n\n\nclass Other:\n    {method}\n"
    kinds = [kind for kind, _, _ in _found(tmp_path, {f"{ALPHA}/loader.py": text})]
    assert kinds == (["no-classmethod"] if found else [])


def test_names_in_modules_that_several_models_share(tmp_path: Path) -> None:
    """A module of one model is often a copy of a library, half of which is never called."""
    tools = {"tools/utils.py": "def make():\n    return gone\n"}
    own = {
        f"{ALPHA}/loader.py": "from .src.model import make\n…",
        f"{ALPHA}/src/model.py": "def make():\n    return gone\n",
    }
    one = {f"{ALPHA}/loader.py": "from ...tools.utils import make\n…"}
    two = {**one, "beta/pytorch/loader.py": "from ...tools.utils import make\n…"}
    assert _found(tmp_path / "own", own) == []
    assert _found(tmp_path / "one", {**tools, **one}) == []
    assert _found(tmp_path / "two", {**tools, **two}) == [("undefined-name", "tools/utils.py", 2)]


VARIANTS = """\
from enum import StrEnum


class Variant(StrEnum):
    BASE = "base"
    LARGE = "large"
    OTHER = "OTHER_VALUE"


class Kind(StrEnum):
    BASE = "base"


class ModelLoader:
    _VARIANTS = {
        Variant.BASE: 1,
        Variant.LARGE: 2,
        Variant.LAST: 3,
    }
"""


@pytest.mark.parametrize(
    ("value", "last", "found"),
    [
        ("other", "Variant.OTHER: 3,", False),
        ("base", "Variant.OTHER: 3,", True),
        ("large", "Variant.OTHER: 3,", True),
        ("other", "Variant.LARGE: 3,", True),
        ("base", "", False),
        ("base", "Kind.BASE: 3,", False),
    ],
)
def test_a_variant_that_another_one_replaces(tmp_path: Path, value: str, last: str, found: bool) -> None:
    """Members with one value are a mistake only where both are keys of the table."""
    text = VARIANTS.replace("OTHER_VALUE", value).replace("Variant.LAST: 3,", last)
    expected = [("lost-variant", f"{ALPHA}/loader.py", _line(text, "Variant.LARGE: 2") + 1)] if found else []
    assert _found(tmp_path, {f"{ALPHA}/loader.py": text}) == expected


def test_a_variant_that_is_replaced_in_another_file(tmp_path: Path) -> None:
    """The table of a base of the tree, and an enum of a third file: as the loader itself sees them."""
    enum, rest = VARIANTS.replace("OTHER_VALUE", "large").split("class ModelLoader:")
    table = "class Base:" + rest.replace("Variant.LAST", "Variant.OTHER")
    files = {
        "tools/names.py": enum,
        "tools/shared.py": "from .names import Variant\n\n\n" + table,
        f"{ALPHA}/loader.py": "from ...tools.shared import Base\n\n\nclass ModelLoader(Base):\n    pass\n",
    }
    line = _line(files["tools/shared.py"], "Variant.OTHER")
    assert _found(tmp_path / "base", files) == [("lost-variant", "tools/shared.py", line)]
    own = "from ...tools.shared import Base\nfrom ...tools.names import Variant\n\n\n"
    own += "class ModelLoader(Base):\n    _VARIANTS = {**Base._VARIANTS, Variant.LARGE: 4}\n"
    assert _found(tmp_path / "own", {**files, f"{ALPHA}/loader.py": own}) == [("lost-variant", "tools/shared.py", line)]


def test_a_variant_that_is_replaced_in_a_class_beside_the_loader(tmp_path: Path) -> None:
    text = VARIANTS.replace("OTHER_VALUE", "large").replace("class ModelLoader", "class ModelLoaderPrefill")
    text = text.replace("Variant.LAST", "Variant.OTHER") + "\n\nclass ModelLoader:\n    pass\n"
    expected = [("lost-variant", f"{ALPHA}/loader.py", _line(text, "Variant.OTHER"))]
    assert _found(tmp_path, {f"{ALPHA}/loader.py": text}) == expected


def test_two_tables_of_which_one_counts_replace_nothing_in_each_other(tmp_path: Path) -> None:
    text = """\
import os
from enum import StrEnum


class Variant(StrEnum):
    BASE = "base"


class ModelLoader:
    if os.environ.get("SMALL"):
        _VARIANTS = {Variant.BASE: 1}
    else:
        _VARIANTS = {Variant.BASE: 2}
"""
    assert _found(tmp_path, {f"{ALPHA}/loader.py": text}) == []
