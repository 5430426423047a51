# SPDX-License-Identifier: Apache-2.0
"""The two lines at the top: names from 100 columns on, every key however narrow it is, and no key lost in a message."""

import pytest
from hypothesis import given, strategies as st

from tui.commands import tab_commands
from tui.view_models import Tab, header
from tui.view_models.tabs import Header, fitted_words, tab_width

_KEYS = [*map(str, range(10)), "f2", "f3", "f4", "f6", "f7"]
TABS = [
    Tab(key, command.label, current=name == "matrix", seldom=key.startswith("f"))
    for key, (name, command) in zip(_KEYS, tab_commands(), strict=True)
]
BUSY = [
    tab._replace(note="3 running, 12 waiting") if tab.name == "Runs" else tab
    for tab in (one._replace(note="4 pending") if one.name == "Review" else one for one in TABS)
]


def _texts(found: Header) -> list[str]:
    return [tab.text for tab in (*found.above, *found.below)]


@pytest.mark.parametrize("tabs", [TABS, BUSY])
@pytest.mark.parametrize("width", [100, 120, 132, 200])
def test_from_100_columns_on_every_screen_has_its_name(tabs: list[Tab], width: int) -> None:
    found = header(tabs, ["a message " * 30], ["H ignores t3k-07"], width)
    assert [tab.name for tab in (*found.above, *found.below)] == [tab.name for tab in tabs]
    assert "H ignores t3k-07" in found.words


def test_what_goes_on_is_beside_the_names_or_said() -> None:
    wide, narrow = (header(BUSY, ["h7-xla"], [], width) for width in (200, 100))
    assert "2 Runs · 3 running, 12 waiting" in _texts(wide) and wide.words == ["h7-xla"]
    assert "2 Runs" in _texts(narrow) and narrow.words == ["3 running, 12 waiting", "4 pending", "h7-xla"]


def test_a_narrow_terminal_keeps_the_keys_and_the_current_name() -> None:
    found = header(BUSY, [], [], 32)
    assert _texts(found)[:4] == ["0", "1 Matrix", "2", "3"]
    assert [text.split()[0] for text in _texts(found)] == _KEYS


def test_names_on_the_second_line_make_way_for_words_on_a_narrow_terminal() -> None:
    short, long = (
        header(TABS, [words], [], 80) for words in ("h7-xla", "needs attention: 12 of 4,500 tests open, without t3k-07")
    )
    assert [tab.text for tab in short.below] == ["f2 Hosts", "f3 Plan", "f4 Report", "f6 Diff", "f7 Nightly"]
    assert [tab.text for tab in long.below] == ["f2", "f3", "f4", "f6", "f7"]
    assert long.words == ["needs attention: 12 of 4,500 tests open, without t3k-07"]


@given(st.integers(20, 250), st.lists(st.text("ab ", max_size=60), max_size=4), st.sampled_from([TABS, BUSY]))
def test_both_lines_fit_and_no_key_is_cut(width: int, words: list[str], tabs: list[Tab]) -> None:
    keyed = ["H ignores it", "a shows all"]
    found = header(tabs, words, keyed, width)
    width -= 2
    assert tab_width(found.above, found.gap) <= max(width, tab_width([tab.bare() for tab in TABS if not tab.seldom], 1))
    below = tab_width(found.below, 1)
    assert len("   ".join(found.words)) + (below and below + 3) <= max(width, below + 3)
    assert all(one in keyed or len(one) <= 60 for one in found.words)
    assert not any(one.startswith(("H", "a s")) and one not in keyed for one in found.words)


def test_the_last_message_is_cut_first() -> None:
    words = ["5 cells", "could not convert string to float in the fifth argument"]
    assert fitted_words(words, [], 40) == ["5 cells", "could not convert string to f…"]
    assert fitted_words(words, ["a shows all"], 24) == ["5 cells", "a shows all"]
