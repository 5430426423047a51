# SPDX-License-Identifier: Apache-2.0
"""The line at which a loader names a variant."""

from pathlib import Path

import pytest

from core.sources.variant_lines import variant_line

_LOADER = """class ModelVariant(StrEnum):
    SMALL = "small"
    LARGE = "org/large-v2"
    UNUSED = "unused"


class ModelLoader(ForgeModel):
    _VARIANTS: dict = {
        ModelVariant.SMALL: 1,
        ModelVariant.LARGE: 2,
        "plain": 3,
    }
"""


@pytest.mark.parametrize(
    ("variant", "line"), [("small", 9), ("org/large-v2", 10), ("plain", 11), ("unused", 4), ("other", 7), ("", 7)]
)
def test_the_line_of_a_variant(tmp_path: Path, variant: str, line: int) -> None:
    loader = tmp_path / "loader.py"
    loader.write_text(_LOADER)
    assert variant_line(loader, variant) == line


@pytest.mark.parametrize("text", ["class ModelLoader(:", "x = 1\n", None])
def test_a_loader_that_cannot_be_read_opens_at_its_top(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "loader.py").write_text(text)
    assert variant_line(tmp_path / "loader.py", "small") == 1
