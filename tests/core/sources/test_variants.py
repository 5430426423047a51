# SPDX-License-Identifier: Apache-2.0
"""Where a loader configures its variants, and which checkpoints it names."""

from pathlib import Path

import pytest

from core.sources import checkpoints, variant_line

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


_CHECKPOINTS = """
class ModelVariant(StrEnum):
    SMALL = "Small"
    BIG = "v1.5/Big"
    MADE = "Made"
class ModelLoader(ForgeModel):
    _VARIANTS = {
        ModelVariant.SMALL: ModelConfig(pretrained_model_name="org/some-small"),
        ModelVariant.BIG: LLMModelConfig(max_length=128, pretrained_model_name="org/some-big"),
        ModelVariant.MADE: ModelConfig(pretrained_model_name=NAME),
    }
"""


def test_constants_are_read_by_variant() -> None:
    assert checkpoints(_CHECKPOINTS) == {"Small": "org/some-small", "v1.5/Big": "org/some-big"}


def test_what_is_no_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        checkpoints("class (")
