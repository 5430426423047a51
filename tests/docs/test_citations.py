# SPDX-License-Identifier: Apache-2.0
"""docs/rules.md: every section that code, tests and the page itself cite is there."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
RULES = (ROOT / "docs" / "rules.md").read_text()
SECTIONS = set(re.findall(r"^##+ (\d+(?:\.\d+)?) ", RULES, re.MULTILINE))
_NUMBERS = r"\d+(?:\.\d+)?(?:(?:, | and | to |, and )\d+(?:\.\d+)?)*"
CITATION = re.compile(rf"docs/rules\.md ({_NUMBERS})")
"""As in `docs/rules.md 4.4, 4.6`."""


def cited(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for found in pattern.finditer(text):
        yield from re.findall(r"\d+(?:\.\d+)?", found[1])


def sources() -> Iterator[Path]:
    for folder in ("core", "tui", "tests"):
        for file in (ROOT / folder).rglob("*.py"):
            if file != Path(__file__):
                yield file


def test_the_sections_are_numbered_without_a_gap() -> None:
    tops = sorted(int(one) for one in SECTIONS if "." not in one)
    assert tops == list(range(1, 12))
    for top in tops:
        below = sorted(int(one.split(".")[1]) for one in SECTIONS if one.startswith(f"{top}."))
        assert below == list(range(1, len(below) + 1)), top


def test_what_the_page_refers_to_is_on_it() -> None:
    own = {one for text in re.findall(r"\(([^()]*)\)", RULES) for one in re.findall(r"^(\d+\.\d+)(?=$|[:;])", text)}
    assert len(own) > 10
    assert own - SECTIONS == set()


def test_every_section_that_code_cites_is_there() -> None:
    found = {(str(file.relative_to(ROOT)), one) for file in sources() for one in cited(file.read_text(), CITATION)}
    assert len(found) > 100
    assert {one for one in found if one[1] not in SECTIONS} == set()


def test_no_other_document_is_cited_by_section() -> None:
    other = re.compile(r"(?i)\bspec(?:ification)? \d+\.\d")
    assert [str(file.relative_to(ROOT)) for file in sources() if other.search(file.read_text())] == []
