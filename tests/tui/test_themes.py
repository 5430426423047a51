# SPDX-License-Identifier: Apache-2.0
"""Themes: every text is readable in each of them, and the terminal's theme is the default."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem, ColorType
from rich.segment import Segment
from syrupy.assertion import SnapshotAssertion
from textual.geometry import Region
from textual.strip import Strip

from core.base.errors import TTMatrixError
from tests.support.picture import colours, lines_of
from tests.support.recorded import at_noon
from tests.tui.test_pictures import Pictures, Walk, pictured_app
from tui.app.app import TTMatrixApp
from tui.screens import SessionScreen
from tui.themes import THEMES, chosen_theme

_READABLE = 4.5
"""The contrast that WCAG 2.2 asks for in text, level AA (success criterion 1.4.3)."""
_STORED = ("light", "terminal", "mono")
"""The colours of these are stored. Of dark the pictures are: `test_pictures` has those of a smaller and a larger size."""
_COLOURED = [name for name, theme in THEMES.items() if not theme.ansi]
_DRAWN = range(0x2500, 0x25A0)
"""Lines, boxes and bars: no text."""


@pytest.mark.slow("every screen in every theme")
async def test_every_text_can_be_read_in_every_theme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    """On every screen and dialog that has a picture; the pictures and colours themselves are in `__snapshots__`."""
    app = pictured_app(tmp_path, monkeypatch)
    shown: dict[str, list[str]] = {name: [] for name in THEMES}
    pictures: list[str] = []
    with at_noon():
        async with app.run_test(size=(120, 40)) as pilot:
            async for what, picture in Walk(app, pilot).everything():
                pictures.append(f"===== {what} =====\n{picture}")
                for name, theme in THEMES.items():
                    app.theme = name
                    await pilot.pause()
                    lines = lines_of(app)
                    pieces = list(_pieces(app, lines))
                    assert pieces
                    wrong = _own_colours(pieces, mono=name == "mono") if theme.ansi else _faint(pieces)
                    assert not wrong, (name, what)
                    shown[name].append(f"===== {what} =====\n{colours(lines)}\n")
                app.theme = "dark"
                await pilot.pause()
    for name, parts in (("dark", pictures), *((name, shown[name]) for name in _STORED)):
        found = "\n".join(parts).replace(str(tmp_path), "~")
        assert found == snapshot(name=name, extension_class=Pictures), (
            "if the theme is to look like that: make pictures"
        )


def _pieces(app: TTMatrixApp, lines: Iterable[Strip]) -> Iterator[Segment]:
    """What is written in the lines of the screen in front; what a dialog covers is faded on purpose."""
    screen = app.screen
    dialog = not isinstance(screen, SessionScreen)
    inside = screen.children[0].region if dialog else Region(0, 0, *app.size)
    for y, strip in enumerate(lines):
        x = 0
        for piece in strip:
            text = piece.text.strip()
            if text and inside.contains(x, y) and not all(ord(one) in _DRAWN for one in text):
                yield piece
            x += piece.cell_length


def _own_colours(pieces: Iterable[Segment], *, mono: bool) -> dict[str, str]:
    """The texts with colours that are none of the terminal's sixteen, and their styles; with `mono`, with any at all."""
    allowed = (ColorType.DEFAULT,) if mono else (ColorType.DEFAULT, ColorType.STANDARD)
    return {
        piece.text: str(style)
        for piece in pieces
        if (style := piece.style)
        and any(one is not None and one.type not in allowed for one in (style.color, style.bgcolor))
    }


def _faint(pieces: Iterable[Segment]) -> dict[str, float]:
    """The texts without enough contrast, and what they have."""
    return {piece.text: contrast for piece in pieces if (contrast := _contrast(piece)) < _READABLE}


def _contrast(piece: Segment) -> float:
    """Of a piece's colours, from 1 to 21 (WCAG 2.2, contrast ratio)."""
    assert piece.style is not None and piece.style.color is not None and piece.style.bgcolor is not None
    light, dark = sorted((_luminance(piece.style.color), _luminance(piece.style.bgcolor)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    """Relative luminance, from 0 to 1 (WCAG 2.2)."""
    parts = (part / 255 for part in colour.get_truecolor())
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("environ", "theme"),
    [
        ({"TERM": "xterm-256color"}, "dark-256"),
        ({"TERM": "tmux-256color", "COLORTERM": "truecolor"}, "dark"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, "dark"),
        ({"TERM": "xterm"}, "terminal"),
        ({"TERM": "linux"}, "terminal"),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, "mono"),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, "dark-256"),
        ({"TERM": "xterm-256color", "COLORFGBG": "0;15"}, "light-256"),
        ({"TERM": "xterm-256color", "COLORFGBG": "15;default;0"}, "dark-256"),
    ],
)
def test_the_terminal_decides(environ: Mapping[str, str], theme: str) -> None:
    assert chosen_theme("auto", environ) == theme


@pytest.mark.parametrize("name", THEMES)
def test_what_is_set_wins(name: str) -> None:
    assert chosen_theme(name, {"NO_COLOR": "1", "TERM": "linux"}) == name


@pytest.mark.parametrize("name", ["dark", "light", "contrast"])
def test_what_is_set_has_a_twin_on_a_terminal_with_fewer_colours(name: str) -> None:
    twin = f"{name}-256"
    assert chosen_theme(name, {"TERM": "screen-256color"}) == (twin if twin in THEMES else name)
    assert chosen_theme(name, {"TERM": "screen-256color", "COLORTERM": "truecolor"}) == name


@pytest.mark.parametrize("name", [name for name in THEMES if name.endswith("-256")])
def test_no_colour_of_a_terminal_with_256_is_guessed(name: str) -> None:
    theme = THEMES[name]
    written = {key: text for key, text in theme.variables.items() if text.startswith("#") and " " not in text}
    for key, text in written.items():
        shown = Color.parse(text).downgrade(ColorSystem.EIGHT_BIT)
        meant, found = Color.parse(text).get_truecolor(), shown.get_truecolor()
        # A light grey may become its neighbour, which is grey too.
        grey = len({*meant}) == len({*found}) == 1 and abs(meant[0] - found[0]) <= 10
        assert grey or meant == found, key
    apart = [written[key] for key in ("panel", "cursor", "surface", *(f"heat-{nth}" for nth in range(5)))]
    assert len(set(apart)) == len(apart)


def test_a_theme_that_there_is_not() -> None:
    with pytest.raises(TTMatrixError, match="There is no theme 'drak'") as raised:
        chosen_theme("drak", {})
    assert "contrast" in raised.value.hint


def test_every_theme_has_all_variables() -> None:
    """Without one the app does not start."""
    known = [set(theme.variables) for theme in THEMES.values()]
    missing = {name: set().union(*known) - variables for name, variables in zip(THEMES, known, strict=True)}
    assert all(name.startswith(("ansi-", "footer-", "input-")) for names in missing.values() for name in names)
    assert _COLOURED == ["dark", "light", "contrast", "dark-256", "light-256"]
