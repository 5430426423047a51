# SPDX-License-Identifier: Apache-2.0
"""Short loaders, and what an edit changed in them."""

import ast
import difflib
from typing import Any

from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import SourceEdit

HEAD = """import torch

from ...base import ForgeModel
from ...tools.utils import random_normal


class ModelVariant(StrEnum):
    BASE = "Base"
    LARGE = "Large"


class ModelLoader(ForgeModel):
"""


def loader(*lines: str, signature: str = "self, dtype_override=None, batch_size=1", more: str = "") -> str:
    """A loader whose `load_inputs` consists of `lines`; `more` is appended unchanged."""
    body = "\n".join(f"        {line}" if line else "" for line in lines)
    return f"{HEAD}    def load_inputs({signature}):\n{body}\n{more}"


def changed(found: SourceEdit | NoSite) -> tuple[list[str], list[str]]:
    """Removed and added lines, stripped; fails without an edit or if the result is not valid Python."""
    assert isinstance(found, SourceEdit), found
    ast.parse(found.after)
    old, new = found.before.splitlines(), found.after.splitlines()
    lines = list(difflib.ndiff(old, new))
    gone = [line[2:].strip() for line in lines if line.startswith("- ")]
    return gone, [line[2:].strip() for line in lines if line.startswith("+ ")]


def came(found: SourceEdit | NoSite) -> list[str]:
    """The added lines; fails if any were removed."""
    gone, added = changed(found)
    assert not gone, gone
    return added


def reason(found: SourceEdit | NoSite) -> str:
    assert isinstance(found, NoSite), found.diff("loader.py")
    return found.reason


def tensor(name: str, dtype: str, *shape: int) -> dict[str, Any]:
    """An input as the CPU repro describes it."""
    return {"name": name, "type": "Tensor", "dtype": dtype, "shape": list(shape)}
