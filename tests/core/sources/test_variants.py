# SPDX-License-Identifier: Apache-2.0
"""Where the file of a loader has a variant."""

from pathlib import Path

import pytest

from core.sources import variant_line

_LOADER = """from enum import StrEnum
from ...base import ForgeModel
class ModelVariant(StrEnum):
    SMALL = "small"
    LARGE = "org/large-v2"
    UNUSED = "unused"


_KIND = "made"
class ModelLoader(ForgeModel):
    _VARIANTS: dict = {
        ModelVariant.SMALL: 1,
        ModelVariant.LARGE: 2,
        "plain": 3,
        f"{_KIND}-up": 4,
        nobody_binds_this: 5,
        "last": 6,
    }
"""


def _write(root: Path, text: str, directory: str = "some/pytorch") -> None:
    (root / directory).mkdir(parents=True)
    (root / directory / "loader.py").write_text(text)


@pytest.mark.parametrize(
    ("variant", "line"),
    [
        ("small", 12),
        ("org/large-v2", 13),
        ("plain", 14),
        ("made-up", 15),
        ("last", 17),
        ("unused", 6),
        ("other", 10),
        ("", 10),
    ],
)
def test_the_line_of_a_variant(tmp_path: Path, variant: str, line: int) -> None:
    _write(tmp_path, _LOADER)
    assert variant_line(tmp_path, "some/pytorch", variant) == line


def test_variants_of_another_file_are_at_their_names_else_at_the_class(tmp_path: Path) -> None:
    _write(tmp_path, _LOADER)
    _write(tmp_path, "from ...some.pytorch.loader import ModelLoader as Base\nclass ModelLoader(Base): ...\n", "a/b")
    assert variant_line(tmp_path, "a/b", "small") == 2
    names = "from ...some.pytorch.loader import ModelVariant\n\n\nclass ModelLoader:\n    _VARIANTS = {\n"
    _write(tmp_path, f"{names}        ModelVariant.LARGE: 1,\n        ModelVariant.SMALL: 2,\n    }}\n", "c/d")
    assert variant_line(tmp_path, "c/d", "small") == 7


def test_a_loader_that_raises_is_opened_at_its_line_too(tmp_path: Path) -> None:
    _write(tmp_path, f"nobody_binds_this()\n{_LOADER}")
    assert variant_line(tmp_path, "some/pytorch", "small") == 13


@pytest.mark.parametrize("text", ["class ModelLoader(:", "x = 1\n", "import os as ModelLoader\n"])
def test_a_loader_that_cannot_be_read_opens_at_its_top(tmp_path: Path, text: str) -> None:
    _write(tmp_path, text)
    assert variant_line(tmp_path, "some/pytorch", "small") == 1


def test_a_loader_that_is_gone_opens_at_its_top(tmp_path: Path) -> None:
    assert variant_line(tmp_path, "some/pytorch", "small") == 1
