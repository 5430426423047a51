# SPDX-License-Identifier: Apache-2.0
"""core.triage.loader_code.selection: words that upstream's code has too."""

from core.demo import __file__ as demo
from core.triage.loader_code.selection import METHOD, Form


def test_the_method_is_the_one_that_upstream_calls() -> None:
    with open(demo.replace("__init__.py", "tree/third_party/tt_forge_models/base.py"), encoding="utf-8") as file:  # noqa: PTH123
        assert f"def {METHOD}(self" in file.read()
    assert len(set(Form)) == 5
