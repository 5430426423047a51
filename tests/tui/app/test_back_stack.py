# SPDX-License-Identifier: Apache-2.0
"""Going in and out, as values: without a screen."""

from tui.app.navigation import BackStack, Place

A, B, C = Place("matrix", "a"), Place("triage"), Place("matrix", "c")


def test_each_level_leads_back_to_where_it_began() -> None:
    levels = BackStack().enter(A, B).enter(B, A, "status:xfail")
    assert levels.base == "status:xfail"
    first = levels.back(C)
    assert first is not None
    level, levels = first
    assert (level.begun, level.changed, levels.base) == (B, A, "")
    second = levels.back(B)
    assert second is not None
    assert (second[0].begun, second[1].inner) == (A, ())
    assert second[1].back(A) is None


def test_the_view_before_is_swapped_with_the_present_one_and_its_levels() -> None:
    assert BackStack().swap(A) is None
    levels = BackStack().enter(A, C, "x")
    swapped = levels.swap(C)
    assert swapped is not None
    place, outside = swapped
    assert (place, outside.inner, outside.base) == (A, (), "")
    again = outside.swap(A)
    assert again is not None
    assert again[0] == C and again[1].inner == levels.inner and again[1].base == "x"


def test_a_jump_stays_on_its_level_and_a_screen_by_its_key_is_the_outermost_one() -> None:
    levels = BackStack().enter(A, B, "x").jump(B)
    assert (levels.base, levels.last) == ("x", (B, levels.inner))
    outermost = levels.start(B)
    assert (outermost.inner, outermost.base, outermost.back(C)) == ((), "", None)
    assert outermost.last == (B, levels.inner)


def test_what_goes_in_for_ever_forgets_the_outermost_levels() -> None:
    levels = BackStack()
    for number in range(120):
        levels = levels.enter(Place("matrix", number), A)
    assert len(levels.inner) == 50
    assert levels.inner[0].begun.at == 70
