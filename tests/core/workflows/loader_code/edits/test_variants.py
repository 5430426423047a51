# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.syntax: from the text of an id to the member of the enum."""

from core.workflows.loader_code.analysis import Code, member_of
from tests.support.loader_code import loader


def test_members_by_value() -> None:
    code = Code(loader("return x"))
    assert member_of(code, "Large") == "LARGE"
    assert member_of(code, "Huge") == member_of(code, "") == ""
