# SPDX-License-Identifier: Apache-2.0
"""core.triage.loader_code.imports: one more name from the models tree."""

import pytest

from core.triage.loader_code.code import Code
from core.triage.loader_code.edit import NoSite
from core.triage.loader_code.imports import import_from_models

NAME = "extract_tensors_recursive"


def added(source: str, depth: int = 0) -> str:
    code = Code(source)
    found = import_from_models(code, "tools.utils", NAME, depth)
    assert not isinstance(found, NoSite), found
    return code.spliced(found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from ...base import A\nx = 1\n", f"from ...base import A\nfrom ...tools.utils import {NAME}\nx = 1\n"),
        ("from ....tools.utils import a\n", f"from ....tools.utils import a, {NAME}\n"),
        (
            "from ...tools.utils import (\n    a,\n)\n",
            f"from ...tools.utils import (\n    a,\n)\nfrom ...tools.utils import {NAME}\n",
        ),
        (
            "from third_party.tt_forge_models.base import A\nimport os\n",
            f"from third_party.tt_forge_models.base import A\nfrom third_party.tt_forge_models.tools.utils import {NAME}\nimport os\n",
        ),
        (f"from ...tools.utils import a, {NAME}\n", f"from ...tools.utils import a, {NAME}\n"),
        (
            "from .src.model import A\nfrom ...config import B\n",
            f"from .src.model import A\nfrom ...config import B\nfrom ...tools.utils import {NAME}\n",
        ),
    ],
)
def test_places(before: str, after: str) -> None:
    assert added(before) == after


def test_a_long_line_is_left_alone() -> None:
    line = f"from ...tools.utils import {', '.join('abcdefgh' * 2 for _ in range(3))}\n"
    assert added(line) == f"{line}from ...tools.utils import {NAME}\n"


def test_without_any_the_depth_tells() -> None:
    assert added("import torch\nx = 1\n", 2) == f"import torch\nfrom ...tools.utils import {NAME}\nx = 1\n"
    assert isinstance(import_from_models(Code("x = 1\n"), "tools.utils", NAME, 2), NoSite)
    assert isinstance(import_from_models(Code("import torch\n"), "tools.utils", NAME, 0), NoSite)
