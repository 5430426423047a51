# SPDX-License-Identifier: Apache-2.0
"""The common form of a name in every style of spelling."""

from core.base.text import letters
from core.doctor.check import digits


def test_letters() -> None:
    assert letters("n300_LLMBox") == letters("n300-llmbox") == "n300llmbox"
    assert letters("3.1_8B") != letters("3.2_8B")


def test_digits() -> None:
    assert digits("n300-llmbox") == "300"
    assert digits("moon") == ""
