# SPDX-License-Identifier: Apache-2.0
"""What people read says each thing by its usual word: strings, docstrings and comments of the code, and all documents."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

INSTEAD = {
    r"mend(?:s|ed|ing)?": "fix",
    r"kept": "cached, saved or stored",
    r"told": "said, reported, or told apart: recognised",
    r"held": "on hold, leased, locked, or compared",
    r"stands?(?!-in)|standing|stood": "is; means; state",
    r"on show": "visible",
    r"minders?": "supervisor",
    r"whoever": "the one who",
    r"(?:came|comes?|became|becomes?) of": "result, end",
    r"round the end": "wrapped",
}
"""Patterns of words that are not used, each with what to write."""

_WORDS = re.compile(rf"\b(?:{'|'.join(INSTEAD)})\b", re.IGNORECASE)
_CODE = re.compile(r"``?[^`\n]*``?")
_RIDDLES = frozenset({"What", "Whatever", "How", "Those", "That", "Where", "Which", "Who"})
"""First words of docstrings whose subject comes late or never."""
_KEYS = frozenset({"held", "kept", "mend"})
"""Keys of JSON documents and journals, which programs and files of today have."""


class Text(NamedTuple):
    """Something a person reads, and where."""

    file: Path
    line: int
    text: str


def misused(text: str) -> list[str]:
    """The words in `text` that are not used; what is in backticks is code, and a key by itself is one."""
    return [] if text in _KEYS else _WORDS.findall(_CODE.sub("", text))


def strings(file: Path) -> Iterator[Text]:
    """Strings, docstrings and comments of a Python file."""
    source = file.read_text()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield Text(file, node.lineno, node.value)
    yield from comments(file)


def comments(file: Path) -> Iterator[Text]:
    """Comments of a Python file."""
    for token in tokenize.generate_tokens(io.StringIO(file.read_text()).readline):
        if token.type == tokenize.COMMENT:
            yield Text(file, token.start[0], token.string)


def code_texts() -> Iterator[Text]:
    """All of the code, with the sample checkout."""
    for package in ("core", "tui"):
        for pattern in ("*.py", "*.pyi"):
            for file in sorted((ROOT / package).rglob(pattern)):
                # Most files have no such word at all, and are not worth the time to parse them.
                if _WORDS.search(file.read_text()):
                    yield from strings(file)


def document_texts() -> Iterator[Text]:
    """All documents, and the comments of what is not Python, by lines."""
    patterns = ("*.md", "Makefile", "pyproject.toml", "docs/*.md", "docs/*.1", "core/**/*.md", "tui/**/*.tcss")
    for pattern in patterns:
        for file in sorted(ROOT.glob(pattern)):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                yield Text(file, number, line)


def texts_of_tests() -> Iterator[Text]:
    """Names of tests, and docstrings and comments beside them; other strings there are what tests are about."""
    for file in sorted((ROOT / "tests").rglob("*.py")):
        source = file.read_text()
        if not _WORDS.search(source.replace("_", " ")):
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                name = getattr(node, "name", "")
                said = name.replace("_", " ") if name.startswith("test_") else ""
                yield Text(file, getattr(node, "lineno", 1), f"{said}\n{ast.get_docstring(node) or ''}")
        yield from comments(file)


def complaints(texts: Iterator[Text]) -> list[str]:
    return [
        f"{one.file.relative_to(ROOT)}:{one.line}: {', '.join(found)}: {one.text.strip()[:80]}"
        for one in texts
        if (found := misused(one.text))
    ]


def test_the_code_speaks_plainly() -> None:
    assert complaints(code_texts()) == []


def test_the_tests_speak_plainly() -> None:
    assert complaints(texts_of_tests()) == []


def test_the_documents_speak_plainly() -> None:
    assert complaints(document_texts()) == []


def test_docstrings_of_the_app_begin_with_a_thing_or_an_act() -> None:
    """`The keys of a command`, `Copy the id`: not `What a command has as keys`."""
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno} {node.value.value[:60]}"
        for file in sorted((ROOT / "tui").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if node.value.value.partition(" ")[0] in _RIDDLES
    ]
    assert len(found) <= 20, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "Enter mends it.",
        "the index is kept between starts",
        "What was told of it",
        "3 runs are held",
        "where the entry stands",
        "12 tests on show",
        "The minder of a run",
        "whoever asked",
        "What became of the run",
        "Wrapped round the end",
    ],
)
def test_each_word_is_found(text: str) -> None:
    assert misused(text)


def test_keys_and_code_are_no_words() -> None:
    assert not misused("held")
    assert not misused("the key `mend` of a finding")
    assert not misused("outstanding, understood, recommend, withheld")


def test_strings_and_comments_of_the_code_are_read(tmp_path: Path) -> None:
    (file := tmp_path / "sample.py").write_text('"""Doc."""\nx = f"text {1}"  # comment\n')
    assert {one.text for one in strings(file)} == {"Doc.", "text ", "# comment"}
