# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.file_draft."""

import pytest

from core.edits.yaml import read_document
from core.edits.yaml.file_draft import removed_spans


def without(text: str, *indexes: int) -> str:
    """`text`, with letters as entries and other lines as they are, without the entries at `indexes`."""
    full = "test_config:\n" + "".join(
        f"  {line}:\n    x: 1\n" if line.isalpha() else f"  {line}\n" if line else "\n" for line in text.split("|")
    )
    document = read_document(full)
    for start, end in reversed(removed_spans(document, indexes)):
        full = full[:start] + full[end:]
    return full.removeprefix("test_config:\n").replace(":\n    x: 1\n", "\n").replace("\n", "|").replace(" ", "")


@pytest.mark.parametrize(
    ("text", "indexes", "expected"),
    [
        ("A||B||C", [1], "A||C|"),
        ("A||B||C", [0], "B||C|"),
        ("A||B||C", [2], "A||B|"),
        ("A||B||C", [0, 1], "C|"),
        ("A||B||C", [1, 2], "A|"),
        ("A||B||C", [0, 1, 2], ""),
        ("A|B|C", [1], "A|C|"),
        ("A||B|C", [1], "A||C|"),
        ("A|B||C", [1], "A||C|"),
        ("A|||B||C", [1], "A|||C|"),
        ("|A||B", [0], "|B|"),
        ("A||#note|B||C", [1], "A||C|"),
        ("A||#note||B||C", [1], "A||#note||C|"),
        ("A||B|||#yolo/jax-x:||C", [1], "A|||#yolo/jax-x:||C|"),
        ("A||B||#end", [1], "A||#end|"),
    ],
)
def test_an_entry_takes_its_blank_line_and_its_comment_along(text: str, indexes: list[int], expected: str) -> None:
    assert without(text, *indexes) == expected


def test_the_line_before_keeps_its_newline_at_the_end_of_the_file() -> None:
    text = "test_config:\n  a:\n    x: 1\n\n  b:\n    x: 1"
    (first, *_, last) = removed_spans(read_document(text), [1])
    assert text[: first[0]] == "test_config:\n  a:\n    x: 1\n"
    assert last[1] == len(text)
