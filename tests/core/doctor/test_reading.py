# SPDX-License-Identifier: Apache-2.0
"""Loaders that contribute nothing, and the kinds of findings from reading a checkout."""

import re
from pathlib import Path

from core.doctor import kinds
from core.doctor.reading import BROKEN_LOADER
from tests.support.findings import Find
from tests.support.tree import LOADERS


def test_a_loader_without_its_class_and_one_that_cannot_be_parsed(find: Find) -> None:
    loaders = LOADERS | {"bad/pytorch": "class (", "empty/pytorch": "x = 1\n"}
    found = find(BROKEN_LOADER, "", loaders=loaders)
    assert [(one.id, one.file) for one in found] == [
        ("bad/pytorch", "third_party/tt_forge_models/bad/pytorch/loader.py"),
        ("empty/pytorch", "third_party/tt_forge_models/empty/pytorch/loader.py"),
    ]
    assert "no class ModelLoader" in found[1].message


def test_every_kind_that_indexing_gives_has_its_help() -> None:
    sources = Path(__file__).parents[3] / "core" / "sources"
    texts = [(sources / f"{name}.py").read_text(encoding="utf-8") for name in ("schema", "loaders", "expectations")]
    given = {kind for text in texts for kind in re.findall(r'Finding\(\s*"([\w-]+)"', text)}
    assert {"broken-yaml", "bad-value", "duplicate-key"} <= given <= kinds().keys()
