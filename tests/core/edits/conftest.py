# SPDX-License-Identifier: Apache-2.0
"""Upstream's own expectation files, and a small test_config directory to edit."""

from pathlib import Path

import pytest

TORCH = """\
# header

test_config:
  a/pytorch-One-single_device-inference:
    status: EXPECTED_PASSING # why

  b/pytorch-single_device-inference:
    status: KNOWN_FAILURE_XFAIL
    reason: "old"
"""
JAX = """\
test_config:
  c/jax-single_device-inference:
    status: EXPECTED_PASSING
"""


@pytest.fixture
def real_files(shared_test_config: Path) -> list[Path]:
    """Expectation files of the snapshot, the placeholders left out."""
    return [path for path in sorted(shared_test_config.glob("*/*.yaml")) if "placeholder" not in path.name]


@pytest.fixture
def test_config(tmp_path: Path) -> Path:
    """A test_config directory with two files that hold entries and one that holds placeholders."""
    root = tmp_path / "checkout" / "tests" / "runner" / "test_config"
    for directory in ("torch", "jax"):
        (root / directory).mkdir(parents=True)
    (root / "torch" / "test_config_inference_single_device.yaml").write_text(TORCH)
    (root / "torch" / "test_config_placeholders.yaml").write_text("PLACEHOLDER_MODELS:\n  X:\n")
    (root / "jax" / "test_config_inference_single_device.yaml").write_text(JAX)
    return root
