# SPDX-License-Identifier: Apache-2.0
"""core.triage.loader_code.variants: from the text of an id to the member of the enum."""

from core.triage.loader_code.code import Code
from core.triage.loader_code.variants import member_of
from tests.support.loader_code import loader


def test_members_by_value() -> None:
    code = Code(loader("return x"))
    assert member_of(code, "Large") == "LARGE"
    assert member_of(code, "Huge") == member_of(code, "") == ""
