# SPDX-License-Identifier: Apache-2.0
"""What mypy checks by itself: all that the settings mean, not only what something else imports."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("core/demo/tree/", True),
        ("core/payload/", False),
        ("core/payload/cpu_repro.py", False),
        ("core/payload/ttmatrix_payload/ops/running.py", False),
        ("core/payload/ttmatrix_payload/runner/", False),
    ],
)
def test_all_but_the_tree_of_the_sample_is_checked(path: str, left_out: bool) -> None:
    """A directory that is left out is not read, whatever patterns say of the files in it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert any(re.search(pattern, path) for pattern in settings["exclude"]) == left_out
