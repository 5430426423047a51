# SPDX-License-Identifier: Apache-2.0
"""Tests of core.edits.yaml.document."""

from pathlib import Path

import pytest

from core.edits.operations import Refused
from core.edits.yaml import read_document
from core.edits.yaml.document import extent, lines_between, quote_of, spacing

TEXT = """\
# header

test_config:
  # about first
  first:
    status: X

    # first's own

  # ----------
  # A section
  # ----------
  second:
    status: X
  # gone/pytorch-x-single_device-inference:
  #   status: X
  # about third
  third: {status: X}

#  gone/jax-x-single_device-inference: # why
#    status: X
  fourth:
    status: X
  # the end
"""


def test_blocks_run_from_the_key_to_the_last_value() -> None:
    document = read_document(TEXT)
    assert [document.text[block.start : block.end] for block in document.blocks] == [
        "  first:\n    status: X\n",
        "  second:\n    status: X\n",
        "  third: {status: X}\n",
        "  fourth:\n    status: X\n",
    ]
    assert (document.indent, document.step, document.newline, document.bom) == (2, 2, "\n", "")
    assert document.text[: document.header_end].endswith("test_config:\n")
    assert document.end == len(TEXT)


def test_an_entry_owns_the_comments_that_touch_it_and_those_below_it_that_are_deeper() -> None:
    document = read_document(TEXT)
    owned = [document.text[slice(*extent(document, index))] for index in range(4)]
    assert owned == [
        "  # about first\n  first:\n    status: X\n\n    # first's own\n",
        "  second:\n    status: X\n",
        "  # about third\n  third: {status: X}\n",
        "  fourth:\n    status: X\n",
    ]


def test_line_ends_bom_and_indent_are_seen() -> None:
    document = read_document("\ufefftest_config:\r\n    a:\r\n          x: 1\r\n")
    assert (document.bom, document.newline, document.indent, document.step) == ("\ufeff", "\r\n", 4, 6)
    assert document.text[document.blocks[0].start :].startswith("    a:")


@pytest.mark.parametrize("tail", ["other: 1\n", "...\n", "# c\nother: 1\n"])
def test_the_last_place_is_before_what_follows_the_entries(tail: str) -> None:
    text = "test_config:\n  a:\n    x: 1\n"
    assert read_document(text + tail).end == len(text)


def test_a_file_may_hold_no_entry() -> None:
    document = read_document("test_config:\n")
    assert document.blocks == ()
    assert document.end == len("test_config:\n")
    assert spacing(document) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no top-level key test_config"),
        ("PLACEHOLDER_MODELS:\n  a: 1\n", "no top-level key test_config"),
        ("- a\n", "no top-level key"),
        ("test_config:\n  a: 1\ntest_config:\n  b: 1\n", "2 times"),
        ("test_config: {a: {x: 1}}\n", "line 1: test_config must be a mapping with one entry below"),
        ("test_config:\n  - a\n", "line 2: test_config must be a mapping"),
        ("test_config: *a\n", "line 1: test_config must be a mapping"),
        ("test_config: [\n", "not valid YAML"),
        ("test_config:\n  a:\n    x: *gone\n", "line 3: the alias \\*gone has no anchor"),
        ("test_config:\n  a: &one\n    x: 1\n  b: &one\n    x: 2\n", "line 4: the anchor &one is defined twice"),
    ],
)
def test_a_file_no_entry_could_be_edited_in_is_refused(text: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        read_document(text)


@pytest.mark.parametrize(
    ("gaps", "expected"), [(("", ""), 0), (("\n", "\n"), 1), (("", "\n", "\n"), 1), (("\n\n", "\n\n"), 2)]
)
def test_spacing_is_what_most_entries_have(gaps: tuple[str, ...], expected: int) -> None:
    text = "test_config:\n  e:\n    x: 1\n" + "".join(f"{gap}  e{i}:\n    x: 1\n" for i, gap in enumerate(gaps))
    assert spacing(read_document(text)) == expected


def test_lines_between_takes_a_last_line_without_end() -> None:
    assert list(lines_between("a\nbc", 0, 4)) == [(0, 2), (2, 4)]


def test_real_entries_never_overlap_and_cover_all_but_comments(real_files: list[Path]) -> None:
    for path in real_files:
        document = read_document(path.read_text(encoding="utf-8"))
        end = document.header_end
        for index, block in enumerate(document.blocks):
            start, stop = extent(document, index)
            assert end <= start <= block.start < block.end <= stop
            between = document.text[end:start].split("\n")
            assert all(not line.strip() or line.lstrip().startswith("#") for line in between)
            end = stop


def test_the_quote_of_a_field_is_the_one_most_texts_have() -> None:
    text = "test_config:\n  a: {r: 'x', m: [\"p\", 'q']}\n  b:\n    r: 'y'\n    m: [\"p\"]\n    s: plain\n"
    text += "    arch_overrides:\n      n150:\n        r: z\n        e: []\n"
    document = read_document(text)
    assert {name: quote_of(document, name) for name in "rmsex"} == {"r": "'", "m": '"', "s": "", "e": "", "x": ""}
