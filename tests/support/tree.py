# SPDX-License-Identifier: Apache-2.0
"""Small tt-xla-shaped trees for tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from core.domain.model import TEST_MODULE
from core.sources import Checkout, Schema

CONFIG = """
from enum import Enum

class StrEnum(Enum):
    def __str__(self):
        return self.value
"""
BASE = """
class ForgeModel:
    _VARIANTS = {}

class ForgePrefillModel(ForgeModel):
    pass
"""


def loader_source(variants: Sequence[str], *, prefill: Sequence[str] | None = None, decode: bool = False) -> str:
    """A loader with an enum, `_VARIANTS`, and the requested LLM parts."""
    lines = [
        "from tt_forge_models.base import ForgeModel, ForgePrefillModel",
        "from tt_forge_models.config import StrEnum",
        "",
    ]
    lines += ["class ModelVariant(StrEnum):"]
    lines += [f"    V{number} = {text!r}" for number, text in enumerate(variants)] or ["    pass"]
    lines += ["", "class ModelLoader(ForgeModel):"]
    if variants:
        lines += ["    _VARIANTS = {"] + [f"        ModelVariant.V{n}: None," for n in range(len(variants))] + ["    }"]
    if decode:
        lines += ["    def load_inputs_decode(self):", "        return {}"]
    lines += ["    def load_inputs(self):", "        return {}", ""]
    if prefill is not None:
        lines += ["class ModelLoaderPrefill(ModelLoader, ForgePrefillModel):", "    _VARIANTS = {"]
        lines += [f"        ModelVariant.V{list(variants).index(text)}: None," for text in prefill] + ["    }"]
    return "\n".join(lines) + "\n"


def write_checkout(root: Path, loaders: Mapping[str, str], yaml: Mapping[str, str]) -> Checkout:
    """A checkout at `root`: loader sources by directory, expectation texts by file below test_config."""
    checkout = Checkout(root)
    for directory in ("torch", "jax", "torch_llm"):
        (checkout.test_config / directory).mkdir(parents=True, exist_ok=True)
    checkout.models.mkdir(parents=True, exist_ok=True)
    (checkout.models / "base.py").write_text(BASE)
    (checkout.models / "config.py").write_text(CONFIG)
    for directory, source in loaders.items():
        path = checkout.models / directory / "loader.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    for name, text in yaml.items():
        path = checkout.test_config / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return checkout


INFERENCE = "torch/test_config_inference_single_device.yaml"
TRAINING = "torch/test_config_training_single_device.yaml"

LOADERS = {
    "alpha/pytorch": loader_source(["tiny", "net-v1.5+aug", "org/name"]),
    "beta/causal_lm/pytorch": loader_source(["1B", "3B"], prefill=["1B"], decode=True),
    "gamma/jax": loader_source(["Base"]),
    "delta/pytorch": loader_source([]),
}

YAML = {
    INFERENCE: """\
test_config:
  alpha/pytorch-tiny-single_device-inference:
    status: EXPECTED_PASSING

  alpha/pytorch-net-v1.5+aug-single_device-inference:
    supported_archs: [n150, n300-llmbox]
    status: EXPECTED_PASSING
    arch_overrides:
      n150:
        status: KNOWN_FAILURE_XFAIL
        reason: "DRAM OOM"
  alpha/pytorch-org/name-single_device-inference:
    status: NOT_SUPPORTED_SKIP
    reason: "Too large for single chip"
    markers: [large, nightly]
""",
    TRAINING: """\
test_config:
  alpha/pytorch-tiny-single_device-training:
    status: KNOWN_FAILURE_XFAIL
    bringup_status: FAILED_RUNTIME
    reason: "Bad StatusOr access"
  alpha/pytorch-gone-single_device-training:
    status: EXPECTED_PASSING
""",
}


def sample(root: Path) -> Checkout:
    """A checkout with a few loaders and entries of every kind."""
    return write_checkout(root, LOADERS, YAML)


def first_layout(root: Path) -> Checkout:
    """The layout before November 2025: no JAX test, and all expectation files directly in test_config."""
    checkout = write_checkout(root, LOADERS, {path.rpartition("/")[2]: text for path, text in YAML.items()})
    parameters = (*Schema().parallelisms, *Schema().modes)
    decorators = "".join(f'@pytest.mark.parametrize("x", [pytest.param(0, id="{one}")])\n' for one in parameters)
    (root / TEST_MODULE).write_text(f"{decorators}def test_all_models(x): ...\n")
    return checkout
