# SPDX-License-Identifier: Apache-2.0
"""Stored durations in both forms that pytest-split has written."""

from pathlib import Path

import pytest

from core.sources.ci import DURATIONS, read_durations
from tests.support.tree import sample


@pytest.mark.parametrize("text", ['{"a::b[c]": 1.5, "d": 2}', '[["a::b[c]", 1.5], ["d", 2]]'])
def test_both_forms(tmp_path: Path, text: str) -> None:
    checkout = sample(tmp_path)
    (tmp_path / DURATIONS).write_text(text)
    assert read_durations(checkout) == ({"a::b[c]": 1.5, "d": 2.0}, ())


def test_what_is_no_duration_is_left_out(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    (tmp_path / DURATIONS).write_text(
        '{"a": NaN, "b": Infinity, "c": -1, "d": "1", "e": true, "f": 1%s, "g": 0}' % ("0" * 400)
    )
    assert read_durations(checkout) == ({"g": 0.0}, ())


def test_without_the_file_there_are_none(tmp_path: Path) -> None:
    assert read_durations(sample(tmp_path)) == ({}, ())


@pytest.mark.parametrize("text", ["", "3", "[" * 100_000, "{"])
def test_a_broken_file_is_a_finding(tmp_path: Path, text: str) -> None:
    checkout = sample(tmp_path)
    (tmp_path / DURATIONS).write_text(text)
    durations, (finding,) = read_durations(checkout)
    assert durations == {}
    assert (finding.kind, finding.file) == ("broken-durations", DURATIONS)
