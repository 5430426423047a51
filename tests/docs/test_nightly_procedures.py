# SPDX-License-Identifier: Apache-2.0
"""docs/nightly-procedures.md names a test for each question of a morning and for each trap, and these tests exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/nightly-procedures.md").read_text(encoding="utf-8")


def _rows(heading: str) -> dict[int, str]:
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return {int(found[1]): found[0] for found in re.finditer(r"^\| (\d+) \|.*$", part, re.MULTILINE)}


def test_every_question_and_every_trap_has_a_test_that_exists() -> None:
    questions, traps = _rows("The questions of a morning"), _rows("What leads astray")
    assert list(questions) == [*range(1, 21)] and list(traps) == [*range(1, 15)]
    without = [number for rows in (questions, traps) for number, row in rows.items() if "`test_" not in row]
    assert without == [20], "what the inspector finds cannot be read"
    places = ("tests/core/cli", "tests/core/evidence/github")
    known = "".join(file.read_text(encoding="utf-8") for place in places for file in (ROOT / place).glob("test_*.py"))
    named = set(re.findall(r"`(test_\w+)`", PAGE))
    assert {name for name in named if f"def {name}(" not in known} == set()


def test_sections_are_those_of_the_page_in_its_order() -> None:
    source = (ROOT / "core/evidence/nightly/page.py").read_text(encoding="utf-8")
    named = re.findall(r'Section\(\s*"\w+",\s*"([^"]+)"', source)
    assert len(named) > 10 and set(re.findall(r'"([A-Z][^"]+)"', PAGE)) <= set(named)
