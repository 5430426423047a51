# SPDX-License-Identifier: Apache-2.0
"""Files of the models tree and the imports between them."""

from pathlib import Path

import pytest

from core.sources.models_tree import ModelsTree, Unreadable, imported_module
from core.sources.modules import ImportedName, ModuleFacts


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
def test_imported_module(level: int, module: str, target: str | None) -> None:
    found = imported_module("a/pytorch/loader.py", ImportedName(level, module, "name"))
    assert found == target


def test_a_package_is_its_init_file_and_each_file_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "__init__.py").write_text("x = 1\n")
    (tmp_path / "bad.py").write_text("def (\n")
    tree = ModelsTree(tmp_path)
    found = tree.imported("loader.py", ImportedName(1, "tools", "x"))
    assert found is not None
    assert found[0] == "tools/__init__.py"
    (tmp_path / "tools" / "__init__.py").write_text("y = 1\n")
    assert tree.imported("loader.py", ImportedName(1, "tools", "x")) == found
    bad = tree.module("bad.py")
    assert isinstance(bad, Unreadable)
    assert (bad.line, tree.imported("loader.py", ImportedName(1, "bad", "x"))) == (1, None)
    assert tree.file_of("absent") is None


def test_prefill_classes_are_known_by_the_base_module(tmp_path: Path) -> None:
    assert ModelsTree(tmp_path).has_prefill_classes
    (tmp_path / "base.py").write_text("class ForgeModel: ...\n")
    assert not ModelsTree(tmp_path).has_prefill_classes
    (tmp_path / "base.py").write_text("class ForgePrefillModel: ...\n")
    tree = ModelsTree(tmp_path)
    assert tree.has_prefill_classes
    assert isinstance(tree.module("base.py"), ModuleFacts)
