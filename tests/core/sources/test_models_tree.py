# SPDX-License-Identifier: Apache-2.0
"""core.sources.models_tree: modules are read once; a class has the bases Python would find, in its order."""

import os
import threading
from pathlib import Path

import pytest

from core.python import Imported, ModuleFacts
from core.sources import Lineages, ModelsTree, Unreadable, models_resolver, stamp_of


@pytest.mark.parametrize(
    ("level", "module", "target"),
    [
        (1, "src.model", "a/pytorch/src/model"),
        (1, "", "a/pytorch"),
        (3, "tools.utils", "tools/utils"),
        (4, "x", None),
        (3, "", ""),
        (0, "third_party.tt_forge_models.b.pytorch.loader", "b/pytorch/loader"),
        (0, "tt_forge_models.base", "base"),
        (0, "transformers", None),
        (0, "third_party.other", None),
    ],
)
def test_the_module_that_an_import_means(level: int, module: str, target: str | None) -> None:
    found = models_resolver("").module("a/pytorch/loader.py", Imported(level, module, "name"))
    assert found == target


def test_a_package_is_its_init_file_and_each_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("def (\n")
    tree = ModelsTree(tmp_path)
    found = tree.imported("loader.py", Imported(1, "tools", "x"))
    assert found is not None
    assert found[0] == "tools/__init__.py"
    (tmp_path / "tools" / "__init__.py").write_text("y = 1\n")
    assert tree.imported("loader.py", Imported(1, "tools", "x")) == found
    bad = tree.module("bad.py")
    assert isinstance(bad, Unreadable)
    assert (bad.line, tree.imported("loader.py", Imported(1, "bad", "x"))) == (1, None)
    assert tree.files.file("absent") is None


def test_prefill_classes_are_known_by_the_base_module(tmp_path: Path) -> None:
    assert ModelsTree(tmp_path).has_prefill_classes
    (tmp_path / "base.py").write_text("class ForgeModel: ...\n")
    assert not ModelsTree(tmp_path).has_prefill_classes
    (tmp_path / "base.py").write_text("class ForgePrefillModel: ...\n")
    tree = ModelsTree(tmp_path)
    assert tree.has_prefill_classes
    assert isinstance(tree.module("base.py"), ModuleFacts)


@pytest.mark.parametrize("cores", [1, 2])
def test_many_files_read_ahead_are_as_if_read_one_by_one(
    cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(cores)))
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    paths = [f"m{number}.py" for number in range(100)]
    for path in paths:
        (tmp_path / path).write_text("def (" if path == "m99.py" else f"class {path[:-3]}: ...")
    plain, ahead = ModelsTree(tmp_path), ModelsTree(tmp_path)
    ahead.read_ahead([*paths, "absent.py"])
    assert {path: ahead.module(path) for path in paths} == {path: plain.module(path) for path in paths}
    assert isinstance(ahead.module("absent.py"), Unreadable)
    assert ahead.modules.keys() == {*paths, "absent.py"}


def test_what_is_known_is_not_read_ahead(tmp_path: Path) -> None:
    paths = [f"m{number}.py" for number in range(100)]
    for path in paths:
        (tmp_path / path).write_text("")
    facts = ModuleFacts({}, {}, {}, frozenset({"kept"}))
    tree = ModelsTree(tmp_path, {path: (stamp_of(tmp_path / path), facts) for path in paths})
    tree.read_ahead(paths)
    assert tree.module("m99.py") is facts


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


def test_a_base_that_two_share_comes_after_both(tmp_path: Path) -> None:
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
