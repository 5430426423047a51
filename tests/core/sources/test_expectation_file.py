# SPDX-License-Identifier: Apache-2.0
"""A file gives the lines of its entries."""

import pytest

from core.domain.model import Entry
from core.sources import ExpectationFile


@pytest.mark.parametrize(
    "text", ["\ufefftest_config:\n  a:\n    x: 1\n  b:\n", "test_config:\r\n  a:\r\n    x: 1\r\n  b:\r\n"]
)
def test_entry_text_is_whole_lines_without_marks_and_carriage_returns(text: str) -> None:
    entry = Entry("a", "name", 2, 3, {}, {})
    assert ExpectationFile("name", text, (entry,)).entry_text(entry) == "  a:\n    x: 1"
