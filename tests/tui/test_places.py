# SPDX-License-Identifier: Apache-2.0
"""The places that a person is in at once are those for which the keymap refuses keys with two meanings."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from tests.support.app import build_app, until
from tests.support.sample import sample_checkout
from tui.commands import Where, commands
from tui.keymap import TOGETHER, read_keymap
from tui.screens import SCREENS, SessionScreen


async def test_every_place_is_known_to_the_keymap(tmp_path: Path) -> None:
    app = build_app(sample_checkout(tmp_path / "demo"))
    found: set[tuple[Where, ...]] = set()
    async with app.run_test(size=(120, 40)) as pilot:
        for entry in SCREENS:
            app.navigation.switch(entry.where.value)
            await until(pilot, lambda entry=entry: getattr(app.screen, "PLACES", [""])[0] == entry.where, entry.where)  # type: ignore[misc]
            screen = app.screen
            assert isinstance(screen, SessionScreen)
            for pane in [None, *screen.focus_chain]:
                screen.set_focus(pane)
                await pilot.pause()
                # The keys of the facets win over those of the matrix around them.
                here = screen.places()
                found.add(tuple(one for one in here if one is not Where.MATRIX or Where.FACETS not in here))
    known = [frozenset(places) for places in TOGETHER]
    assert sorted(places for places in found if not any(one.issuperset(places) for one in known)) == []
    screens = {entry.where for entry in SCREENS}
    assert {places[0] for places in found} - {Where.FACETS} == screens == {one[0] for one in TOGETHER} - {Where.FACETS}


@pytest.mark.parametrize("place", [entry.where for entry in SCREENS])
def test_a_key_of_the_list_is_refused_for_a_command_of_its_screen(place: Where) -> None:
    one = next(one for one in commands(place) if one.action)
    key = "j" if place is not Where.JOB_LOG else "G"
    with pytest.raises(TTMatrixError, match="two things"):
        read_keymap("vim", {one.id: key})
