# SPDX-License-Identifier: Apache-2.0
"""An undone replacement can be applied again, and an impossible one is refused."""

import pytest
from hypothesis import given, strategies as st

from core.demo.replay import Replacement, ReplayedCommit, states


def _commit(*replacements: Replacement) -> ReplayedCommit:
    return ReplayedCommit("2026-01-01", "Change", replacements)


@given(st.text(), st.text(), st.text(min_size=1), st.text(min_size=1))
def test_a_replacement_taken_back_and_done_again_changes_nothing(head: str, tail: str, before: str, after: str) -> None:
    text = f"{head}{after}{tail}"
    try:
        earlier, last = states({"f": text}, [_commit(), _commit(Replacement("f", before, after))])
    except ValueError:
        return
    assert last == {"f": text}
    assert earlier["f"].replace(before, after) == text


def test_several_replacements_in_one_file_are_taken_back_last_first() -> None:
    change = _commit(Replacement("f", "a", "b"), Replacement("f", "b", "c"))
    assert states({"f": "c"}, [_commit(), change])[0] == {"f": "a"}


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [("nothing here", "old", "new"), ("old and new", "old", "new")],
    ids=["not-there", "ambiguous"],
)
def test_a_replacement_that_cannot_have_happened_is_refused(text: str, before: str, after: str) -> None:
    with pytest.raises(ValueError, match="'old' by 'new'"):
        states({"f": text}, [_commit(), _commit(Replacement("f", before, after))])
