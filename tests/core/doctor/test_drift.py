# SPDX-License-Identifier: Apache-2.0
"""Requirements of loaders that replace packages of the runtime."""

from pathlib import Path

import pytest

from core.doctor.drift import PINNED_ELSEWHERE
from core.matrix import index
from tests.support.tree import LOADERS, write_checkout

PINS = "jax==0.7.1\ntorch@https://x.org/cpu/torch-2.11.0%2Bcpu-cp312.whl\n"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("torch==2.7.0", True),
        ("torch<2.10", True),
        ("jax==0.4.30", True),
        ("JAX[cpu]~=0.6.0", True),
        ("torch>=2.12", True),
        ("jax>0.7.1", True),
        ("torch!=2.11.0", True),
        ("torch @ https://x.org/cpu/torch-2.5.0%2Bcpu-cp312.whl", True),
        ("torch @ https://x.org/cpu/torch-2.11.0%2Bcpu-cp312.whl", False),
        ("torch!=2.10.0", False),
        ("jax>0.7", False),
        ("torch>=2.11", False),
        ("torch>=2.10.0", False),
        ("torch==2.11", False),
        ("torch<3", False),
        ("transformers==4.57.1", False),
        ("timm", False),
        ("# torch==2.7.0", False),
    ],
)
def test_only_another_version_of_the_runtime(tmp_path: Path, line: str, found: bool) -> None:
    checkout = write_checkout(tmp_path, LOADERS, {})
    (checkout.root / "python_package").mkdir()
    (checkout.root / "python_package/requirements.txt").write_text(PINS)
    (checkout.models / "alpha/pytorch/requirements.txt").write_text(f"numpy\n{line}\n")
    findings = list(PINNED_ELSEWHERE.find(index(checkout)))
    assert [(one.line, one.id) for one in findings] == ([(2, "alpha/pytorch")] if found else [])
