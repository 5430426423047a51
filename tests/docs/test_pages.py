# SPDX-License-Identifier: Apache-2.0
"""README, CONTRIBUTING and docs: their commands parse, their links lead somewhere, and the README is short."""

import ast
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.cli.parser import PROGRAM, parse

ROOT = Path(__file__).parents[2]
PAGES = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")))
_FENCE = re.compile(r"^```\w*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def commands(page: Path) -> Iterator[list[str]]:
    """The command lines of ttmatrix in the page's blocks; a synopsis has dots or brackets and is none."""
    for block in _FENCE.findall(page.read_text()):
        for line in block.splitlines():
            words = shlex.split(line, comments=True) if line.startswith(f"{PROGRAM} ") else []
            if words and not any(word.startswith("[") or word == "..." for word in words):
                yield [word.removesuffix("...") for word in words[1:]]


def anchors(page: Path) -> set[str]:
    """As code hosts make them of headings."""
    text = _FENCE.sub("", page.read_text())
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in _HEADING.findall(text)}


def test_the_commands_of_all_pages_parse() -> None:
    found = [words for page in PAGES for words in commands(page)]
    assert len(found) > 40
    for words in found:
        parse(words)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text()):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_the_readme_is_short_and_says_how_to_test() -> None:
    text = (ROOT / "README.md").read_text()
    assert len(text.encode()) <= 8 * 1024
    assert "make test" in text


def test_files_that_the_recipes_name_are_there() -> None:
    files = re.findall(r"`((?:core|tui|tests|docs)/[\w/.-]+\.\w+)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(files) > 20
    assert [one for one in files if "NAME" not in one and not (ROOT / one).exists()] == []


def test_what_the_examples_import_is_there() -> None:
    """Of those that say which file they are."""
    examples = re.findall(
        r"^```python\n# \S+\.py\n(.*?)^```", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE | re.DOTALL
    )
    assert len(examples) > 3
    for node in (node for text in examples for node in ast.walk(ast.parse(text))):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            assert [one.name for one in node.names if not hasattr(module, one.name)] == [], node.module


def test_make_targets_that_are_named_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for page in PAGES:
        for block in _FENCE.findall(page.read_text()):
            for target in re.findall(r"^make ([\w-]+)", block, re.MULTILINE):
                assert f"\n{target}:" in makefile, f"{named(page)}: make {target}"
