# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.unpack: words that upstream's code has too."""

import pytest

from core.demo import __file__ as demo
from core.workflows.loader_code.edits.unpack import METHOD, Form, Selection


def test_the_method_is_the_one_that_upstream_calls() -> None:
    with open(demo.replace("__init__.py", "tree/third_party/tt_forge_models/base.py"), encoding="utf-8") as file:  # noqa: PTH123
        assert f"def {METHOD}(self" in file.read()


@pytest.mark.parametrize(
    ("access", "form", "parts", "label"),
    [
        ("[0]", Form.TENSOR, (), "output[0]"),
        (".logits", Form.SUM, (), "sum of output.logits"),
        ("", Form.SUM_GRADIENTS, (), "sum of output"),
        ("", Form.SUM_PARTS, ("[0]", '["x"]'), 'output[0] + output["x"]'),
    ],
)
def test_what_is_selected_in_a_few_words(access: str, form: Form, parts: tuple[str, ...], label: str) -> None:
    assert Selection(access, form, "s", "w", "l", parts).label == label
