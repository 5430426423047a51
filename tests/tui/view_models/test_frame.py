# SPDX-License-Identifier: Apache-2.0
"""The frame of every screen: nothing that limits a person is cut, no key of a tab is lost, and every line fits."""

from collections.abc import Sequence

from hypothesis import given, strategies as st
from rich.cells import cell_len

from tui.commands import tab_commands
from tui.view_models import Cell, Identity, Tab, identity_bar, message_line, rule_line, tab_line
from tui.view_models.frame import fitted_words, tab_width

_COMMANDS = list(tab_commands())
TABS = [Tab(str(at), command.label, current=name == "matrix") for at, (name, command) in enumerate(_COMMANDS)]
BUSY = Identity(
    "tt-xla",
    branch="a-branch-with-a-long-name",
    other_models=True,
    arch="n150",
    results="last night: 9 h ago",
    going="3 running, 12 waiting",
    pending="4 pending",
    hosts="hosts: 2 up",
    lease="! 20 min left",
    read_only=True,
)


def _text(cells: Sequence[Cell]) -> str:
    return "".join(cell.text for cell in cells)


def test_the_bar_says_everything_where_there_is_room() -> None:
    words = _text(identity_bar(BUSY, 175)).split("   ")
    said = [one.strip() for one in words if one.strip()]
    assert said == [
        *("tt-xla", "on a-branch-with-a-long-name", "other models", "arch n150", "last night: 9 h ago"),
        *("3 running, 12 waiting", "4 pending", "hosts: 2 up", "! 20 min left", "read-only"),
    ]


def test_a_narrow_bar_keeps_the_name_what_limits_and_then_what_runs() -> None:
    narrow = _text(identity_bar(BUSY, 76))
    assert narrow.startswith("tt-xla   other models   arch n150   3 running   ")
    assert narrow.endswith("! 20 min left   read-only")
    assert "a-branch" not in narrow and "hosts" not in narrow
    assert _text(identity_bar(BUSY._replace(checkout="a" * 60), 44)).endswith("! 20 min left   read-only")


def test_a_bar_says_all_in_short_before_it_leaves_something_out() -> None:
    who = Identity(
        "tt-xla",
        branch="a-branch-with-a-long-name",
        results="last night: 9 h ago, next running",
        going="3 of 9 runs, 40 s left",
        pending="1 pending",
        hosts="hosts: 2 up, 1 lost",
        few_hosts="3 hosts, 1 lost",
    )

    def said(width: int) -> str:
        return _text(identity_bar(who, width)).rstrip()

    short = "tt-xla   on a-branch-with-a…   night: 9 h ago   3 of 9 runs   1 pending   3 hosts, 1 lost"
    assert said(cell_len(short)) == short
    # What there is room for is longer, first what matters most; without room the branch goes, then the night.
    assert "3 of 9 runs, 40 s left" in said(cell_len(short) + 11)
    assert said(78) == "tt-xla   night: 9 h ago   3 of 9 runs, 40 s left   1 pending   3 hosts, 1 lost"
    assert said(60) == "tt-xla   3 of 9 runs   1 pending   hosts: 2 up, 1 lost"
    whole = said(200)
    assert whole.startswith("tt-xla   on a-branch-with-a-long-name   every arch   last night: 9 h ago, next running   ")


@given(st.integers(40, 250), st.text("ab-", min_size=1, max_size=60), st.booleans())
def test_the_bar_has_its_width(width: int, name: str, busy: bool) -> None:
    who = (BUSY if busy else Identity("x"))._replace(checkout=name)
    assert cell_len(_text(identity_bar(who, width))) == width


@given(st.integers(40, 250))
def test_tabs_fit_and_no_key_is_cut(width: int) -> None:
    fitted, gap = tab_line(TABS, width)
    least = tab_width([tab.bare() for tab in TABS], 1)
    assert tab_width(fitted, gap) <= max(width, least)
    assert [tab.key for tab in fitted] == [tab.key for tab in TABS]
    assert next(tab for tab in fitted if tab.current).name == "Matrix"


def test_names_are_dropped_from_the_right() -> None:
    fitted, _ = tab_line(TABS, 80)
    named = [bool(tab.name) for tab in fitted]
    assert named == sorted(named, reverse=True) and 0 < sum(named) < len(TABS)


def test_a_rule_says_what_is_below_it_and_where_the_cursor_is() -> None:
    lit, plain = (_text(rule_line("9 runs", ["1 marked"], "2 of 9", 60, lit=lit)) for lit in (True, False))
    assert lit.startswith("━ 9 runs · 1 marked ━") and lit.endswith("━ 2 of 9 ━")
    assert plain.startswith("─ 9 runs · 1 marked ─") and "━" not in plain


@given(st.integers(8, 250), st.text("ab ", max_size=90), st.lists(st.text("ab", max_size=40), max_size=3))
def test_a_rule_has_its_width(width: int, title: str, words: list[str]) -> None:
    assert cell_len(_text(rule_line(title, words, "12 of 163", width, lit=True))) == width


def test_messages_that_name_a_key_are_whole_or_not_there() -> None:
    assert _text(message_line(["H ignores t3k-07", "a shows all"], "", [[Cell("at rest")]], 24)) == "H ignores t3k-07"
    assert _text(message_line([], "", [[Cell("at rest")]], 24)) == "at rest"
    assert _text(message_line(["a shows all"], "esc goes back", [[Cell("at rest")]], 60)) == (
        "a shows all   esc goes back   at rest"
    )


def test_the_last_message_is_cut_first() -> None:
    words = ["5 cells", "could not convert string to float in the fifth argument"]
    assert fitted_words(words, [], 40) == ["5 cells", "could not convert string to f…"]
    assert fitted_words(words, ["a shows all"], 24) == ["5 cells", "a shows all"]


def test_what_a_screen_says_at_rest_is_cut_with_a_sign() -> None:
    resting = [Cell("as expected by week"), Cell(", most unexpected first", "dim")]
    assert _text(message_line([], "", [resting], 42)) == _text(resting)
    for width in range(1, 42):
        said = _text(message_line([], "", [resting], width))
        assert cell_len(said) <= width
        assert said == "as expected by week" if width == 19 else said.endswith("…")


def test_what_a_screen_says_besides_at_rest_is_there_whole_or_not_at_all() -> None:
    resting = [[Cell("a legend")], [Cell("more words")], []]
    assert _text(message_line([], "", resting, 21)) == "a legend   more words"
    assert _text(message_line([], "", resting, 20)) == "a legend"
    assert _text(message_line([], "", [[], *resting], 21)) == "a legend   more words"
