# SPDX-License-Identifier: Apache-2.0
"""Five roles of colour: each can be read on every ground, and no state is taken for another, also without green."""

from itertools import combinations

import pytest
from rich.color import ColorSystem
from textual.color import Color

from tests.support.vision import contrast, difference
from tui.themes import THEMES

_READABLE = 4.5
"""WCAG 2.2, level AA, for text."""
_TEXTS = ("foreground", "muted", "text-accent", "text-success", "text-warning", "text-error", "text-primary")
_GROUNDS = ("surface", "panel", "boost", "cursor", "cursor-unfocused", "line-current", "match")
_STATES = ("text-success", "text-warning", "text-error")
_TOLD_APART = 10.0
_COLOURED = [name for name, theme in THEMES.items() if not theme.ansi]


def _colours(name: str) -> dict[str, str]:
    theme = THEMES[name]
    named = {one: getattr(theme, one) for one in ("foreground", "surface", "panel", "accent")}
    return {**named, **theme.variables}


@pytest.mark.parametrize("name", _COLOURED)
def test_every_role_can_be_read_on_every_ground(name: str) -> None:
    colours = _colours(name)
    faint = {
        (text, ground): round(found, 1)
        for text in _TEXTS
        for ground in _GROUNDS
        if (found := contrast(colours[text], colours[ground])) < _READABLE
    }
    assert not faint


@pytest.mark.parametrize("green_blind", [False, True])
@pytest.mark.parametrize("name", _COLOURED)
def test_no_state_looks_like_another_nor_like_what_has_no_state(name: str, green_blind: bool) -> None:
    colours = _colours(name)
    pairs = [*combinations(_STATES, 2), *((state, "text-accent") for state in _STATES)]
    alike = {
        pair: round(found)
        for pair in pairs
        if (found := difference(*(colours[one] for one in pair), green_blind=green_blind)) < _TOLD_APART
    }
    assert not alike


@pytest.mark.parametrize("name", _COLOURED)
def test_accent_is_no_state(name: str) -> None:
    colours = _colours(name)
    assert colours["text-accent"] not in {colours[state] for state in _STATES}
    assert contrast(colours["tab-text"], colours["tab-ground"]) >= _READABLE


def test_with_256_colours_there_is_no_second_cursor_behind_a_dialog() -> None:
    variables = _colours("dark-256")
    tint, share = variables["backdrop"].split(" ")
    behind = Color.parse(tint).with_alpha(int(share.rstrip("%")) / 100)

    def seen(name: str) -> tuple[int, ...]:
        colour = (Color.parse(variables[name]) + behind).rich_color.downgrade(ColorSystem.EIGHT_BIT)
        return tuple(colour.get_truecolor())

    assert seen("cursor") != tuple(Color.parse(variables["cursor"]).rgb)
    for name in ("text-primary", "muted", "cursor"):
        assert len(set(seen(name))) == 1, name
