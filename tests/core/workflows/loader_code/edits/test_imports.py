# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.syntax: one more name, where it belongs."""

import pytest

from core.workflows.loader_code.analysis import Code, NoSite
from core.workflows.loader_code.edits.syntax import import_from_models, import_torch

NAME = "extract_tensors_recursive"


def added(source: str, path: str = "some/pytorch/loader.py") -> str:
    code = Code(source)
    found = import_from_models(code, "tools.utils", NAME, path)
    assert not isinstance(found, NoSite), found
    return code.spliced(found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from ...base import A\nx = 1\n", f"from ...base import A\nfrom ...tools.utils import {NAME}\nx = 1\n"),
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


def test_without_any_the_place_of_the_file_tells() -> None:
    assert added("import torch\nx = 1\n") == f"import torch\nfrom ...tools.utils import {NAME}\nx = 1\n"
    assert isinstance(import_from_models(Code("x = 1\n"), "tools.utils", NAME, "some/pytorch/loader.py"), NoSite)


@pytest.mark.parametrize("line", ["from ....base import A", "from ... import base", "from .tools.utils import a"])
def test_an_import_from_elsewhere_is_no_pattern(line: str) -> None:
    """The same words with another number of dots are of the loader's own directory, or of nothing."""
    assert added(f"{line}\n") == f"{line}\nfrom ...tools.utils import {NAME}\n"
    deep = added("from ....tools.utils import a\n", "some/kind/pytorch/loader.py")
    assert deep == f"from ....tools.utils import a, {NAME}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import os\nfrom transformers import A\n", "import os\nimport torch\nfrom transformers import A\n"),
        (
            '"""Doc."""\nfrom typing import Any\n\nfrom ...base import A\n',
            '"""Doc."""\nfrom typing import Any\n\nimport torch\n\nfrom ...base import A\n',
        ),
        ("from . import x\n", "import torch\n\nfrom . import x\n"),
        ("import os\n\nx = 1\n", "import os\nimport torch\n\nx = 1\n"),
        ('"""Doc."""\n\nx = 1\n', '"""Doc."""\n\nimport torch\n\nx = 1\n'),
        ("from torch import nn\n", "import torch\nfrom torch import nn\n"),
        ("import torch as t\n", "import torch\nimport torch as t\n"),
        ("import os\r\nimport einops\r\n", "import os\r\nimport torch\r\nimport einops\r\n"),
    ],
)
def test_torch_is_imported_once_and_beside_its_like(before: str, after: str) -> None:
    code = Code(before)
    assert code.spliced(import_torch(code)) == after
    assert import_torch(Code(after)) == []


@pytest.mark.parametrize(
    "line", ["import torch  # big", "import os, torch", "import torch.nn", "import torch.nn as n, torch"]
)
def test_torch_that_is_there_stays_alone(line: str) -> None:
    assert import_torch(Code(f"{line}\n")) == []


def test_torch_that_a_function_imports_is_known_within() -> None:
    code = Code("import os\n\n\ndef f():\n    import torch\n    return 1\n")
    assert import_torch(code, code.functions["f"]) == []
    assert len(import_torch(code)) == 1
