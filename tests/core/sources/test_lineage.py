# SPDX-License-Identifier: Apache-2.0
"""A class has the bases Python would find, in the order Python would ask them."""

from pathlib import Path

from core.sources.models_tree import Lineages, ModelsTree
from core.sources.modules import ModuleFacts


def _lineage(root: Path, files: dict[str, str], name: str = "ModelLoader") -> list[tuple[str, str]]:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    lineages = Lineages(ModelsTree(root))
    module = lineages.tree.module("a/pytorch/loader.py")
    assert isinstance(module, ModuleFacts)
    return [(one.path, one.name) for one in lineages.of("a/pytorch/loader.py", module, name)]


def test_bases_are_followed_through_imports_and_new_names(tmp_path: Path) -> None:
    loader = """
from ...base import ForgeModel as Base
from ..shared import Mixin
class ModelLoader(Mixin, Base): ...
"""
    shared = "class Mixin(Elsewhere): ...\n"
    files = {"a/pytorch/loader.py": loader, "a/shared.py": shared, "base.py": "class ForgeModel: ...\n"}
    assert _lineage(tmp_path, files) == [
        ("a/pytorch/loader.py", "ModelLoader"),
        ("a/shared.py", "Mixin"),
        ("base.py", "ForgeModel"),
    ]


def test_a_base_that_two_share_stands_after_both(tmp_path: Path) -> None:
    text = """
class Base: ...
class Left(Base): ...
class Right(Base): ...
class ModelLoader(Left, Right): ...
"""
    found = _lineage(tmp_path, {"a/pytorch/loader.py": text})
    assert [name for _, name in found] == ["ModelLoader", "Left", "Right", "Base"]


def test_classes_that_descend_from_each_other_end(tmp_path: Path) -> None:
    text = "class ModelLoader(Other): ...\nclass Other(ModelLoader): ...\n"
    found = _lineage(tmp_path, {"a/pytorch/loader.py": text})
    assert [name for _, name in found] == ["ModelLoader", "Other"]


def test_what_is_no_class_of_the_tree_has_no_lineage(tmp_path: Path) -> None:
    text = "from transformers import ModelLoader\nAbsent = 1\n"
    assert _lineage(tmp_path, {"a/pytorch/loader.py": text}) == []
    assert _lineage(tmp_path, {"a/pytorch/loader.py": text}, "Absent") == []
