# SPDX-License-Identifier: Apache-2.0
"""Nothing of either text is lost, and only differing words are marked."""

import time
from collections.abc import Iterable

from hypothesis import given, strategies as st

from core.edits import Row, Spans, word_diff
from core.edits.word_diffs import Span

_LINE = st.text("ab:_ [],", max_size=12)
_TEXT = st.lists(_LINE, max_size=6)


def _lines(sides: Iterable[Spans | None]) -> list[str]:
    return ["".join(span.text for span in side) for side in sides if side is not None]


def _changed(side: Spans | None) -> list[str]:
    return [span.text for span in side or () if span.changed]


@given(_TEXT, _TEXT)
def test_both_texts_are_there_whole(before: list[str], after: list[str]) -> None:
    rows = word_diff(before, after)
    assert _lines(row.old for row in rows) == before
    assert _lines(row.new for row in rows) == after
    assert all(row.old is not None or row.new is not None for row in rows)
    # Unmarked text is the same on both sides.
    for row in rows:
        if row.old is not None and row.new is not None:
            same = ["".join(span.text for span in side if not span.changed) for side in (row.old, row.new)]
            assert same[0] == same[1]


@given(_TEXT)
def test_a_text_against_itself_stays(text: list[str]) -> None:
    assert all(row.stays for row in word_diff(text, text))


def test_only_the_words_that_differ() -> None:
    (row,) = word_diff(["  reason: DRAM OOM on n150"], ["  reason: L1 OOM on p150"])
    assert (_changed(row.old), _changed(row.new)) == (["DRAM", "n150"], ["L1", "p150"])


def test_lines_are_paired_by_their_key() -> None:
    before = ["  id:", "    status: EXPECTED_PASSING"]
    after = ["  id:", "    markers: [large]", "    status: KNOWN_FAILURE_XFAIL", "    reason: x"]
    rows = word_diff(before, after)
    assert [row.old is not None for row in rows] == [True, False, True, False]
    assert _changed(rows[2].old) == ["EXPECTED_PASSING"]


def test_nothing_at_all() -> None:
    assert word_diff([], []) == []
    (row,) = word_diff([], ["new"])
    assert row == Row(None, (Span("new"),))


def test_of_a_long_line_the_beginning_and_the_end_are_compared() -> None:
    """Compared word by word, this line would take minutes."""
    words = [f"w{number % 7}" for number in range(20_000)]
    other = [*words[:3], *("x" if number % 9 else "y" for number in range(10_000)), *words[-2:]]
    before, after = f"reason: {' '.join(words)}", f"reason: {' '.join(other)}"
    begin = time.process_time()
    (row,) = word_diff([before], [after])
    assert time.process_time() - begin < 2
    assert row.old is not None and row.new is not None
    assert [span.changed for span in row.new] == [False, True, False]
    assert row.new[0].text == "reason: w0 w1 w2 "
    assert ("".join(span.text for span in row.old), "".join(span.text for span in row.new)) == (before, after)
