# SPDX-License-Identifier: Apache-2.0
"""core.sources.loader_checkpoints: names of checkpoints, by variant."""

import pytest

from core.sources.loader_checkpoints import checkpoints

LOADER = """
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
    assert checkpoints(LOADER) == {"Small": "org/some-small", "v1.5/Big": "org/some-big"}


def test_what_is_no_python_is_refused() -> None:
    with pytest.raises(SyntaxError):
        checkpoints("class (")
