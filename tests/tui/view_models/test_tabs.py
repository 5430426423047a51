# SPDX-License-Identifier: Apache-2.0
"""The line of screens: whole names if they fit, and every key however narrow it is."""

from hypothesis import given, strategies as st

from tui.view_models.tabs import Tab, fitted_tabs, tab_line

_NAMES = ("Overview", "Matrix", "Runs", "Triage", "Review", "Doctor")
TABS = [
    Tab(str(key), name, "3 pending" if name == "Review" else "", name == "Matrix") for key, name in enumerate(_NAMES)
]


def _shown(room: int) -> str:
    return tab_line(fitted_tabs(TABS, room))


def test_whole_names_where_they_fit() -> None:
    whole = "0 Overview  1 Matrix  2 Runs  3 Triage  4 Review · 3 pending  5 Doctor"
    assert _shown(len(whole)) == whole
    assert _shown(len(whole) - 1) == whole.removesuffix(" Doctor")


def test_the_current_name_and_what_goes_on_stay() -> None:
    assert _shown(0) == "0  1 Matrix  2 3  4 · 3 pending  5"


@given(st.integers(0, 200), st.integers(0, 200))
def test_more_room_never_shows_less(one: int, other: int) -> None:
    less, more = sorted((one, other))
    assert all(
        len(a.text) <= len(b.text) for a, b in zip(fitted_tabs(TABS, less), fitted_tabs(TABS, more), strict=True)
    )
    assert len(_shown(less)) <= max(less, len(_shown(0)))
