# SPDX-License-Identifier: Apache-2.0
"""The colours of the app: the themes, and the default one of a terminal."""

from collections.abc import Mapping
from typing import Any

from rich.terminal_theme import TerminalTheme
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from core.base.errors import TTMatrixError
from tui.textual_private import begin_with_theme

AUTO = "auto"
"""The setting that leaves the choice to what the terminal can show."""

MONO = "mono"
"""The theme without colours."""
_FEWER = "-256"
"""The ending of the name of a theme's twin for terminals with 256 colours."""
_COMMON = ("primary", "accent", "warning", "error", "success", "foreground", "background", "surface", "panel", "boost")
"""The colours that every theme of Textual has; the rest are variables, most of them our own."""

_DARK = {
    "primary": "#0178D4",
    "accent": "#6db5ee",
    "warning": "#ffa62b",
    "error": "#ba3c5b",
    "success": "#4EBF71",
    "foreground": "#e0e0e0",
    "background": "#121212",
    "surface": "#1e1e1e",
    "panel": "#242f38",
    "boost": "#2a2a2a",
    "text-primary": "#6db5ee",
    "text-secondary": "#7fb2d8",
    "text-accent": "#6db5ee",
    "text-warning": "#ffc94d",
    "text-error": "#ff8787",
    "text-success": "#5fd7a7",
    "muted": "#a8a8a8",
    "text-disabled": "#a8a8a8",
    "cursor": "#0f3857",
    "cursor-unfocused": "#1a2d3c",
    "line-current": "#163a56",
    "match": "#4c3a1c",
    "match-current": "#ffa62b",
    "match-current-text": "#121212",
    "added": "#223a2a",
    "removed": "#3d2430",
    "added-word": "#23512f",
    "removed-word": "#5c2739",
    "backdrop": "#121212 60%",
    "heat-0": "#6b2336",
    "heat-1": "#6a3b1f",
    "heat-2": "#5a5220",
    "heat-3": "#38561f",
    "heat-4": "#1f5a35",
    "rule": "#5a6670",
    "tab-ground": "#6db5ee",
    "tab-text": "#121212",
    "bar": "#515151",
    "bar-hover": "#6c6c6c",
}
_LIGHT = {
    "primary": "#004578",
    "accent": "#004f8c",
    "warning": "#8a4b00",
    "error": "#9c1f3d",
    "success": "#116329",
    "foreground": "#1c1c1c",
    "background": "#ffffff",
    "surface": "#fafafa",
    "panel": "#e4e8ec",
    "boost": "#eeeeee",
    "text-primary": "#004f8c",
    "text-secondary": "#2b5672",
    "text-accent": "#004f8c",
    "text-warning": "#7a4a00",
    "text-error": "#a3123a",
    "text-success": "#0b5f4b",
    "muted": "#545454",
    "text-disabled": "#545454",
    "cursor": "#bcdcf5",
    "cursor-unfocused": "#dbe8f2",
    "line-current": "#d3e6f5",
    "match": "#ffe9c2",
    "match-current": "#8a4b00",
    "match-current-text": "#ffffff",
    "added": "#dff3e4",
    "removed": "#fbe3e8",
    "added-word": "#bfe6c9",
    "removed-word": "#f7cbd5",
    "backdrop": "#ffffff 60%",
    "heat-0": "#f2b3bf",
    "heat-1": "#f6cfa6",
    "heat-2": "#f3e6a0",
    "heat-3": "#d3e8a8",
    "heat-4": "#aedfb8",
    "rule": "#9aa4ac",
    "tab-ground": "#004f8c",
    "tab-text": "#ffffff",
    "bar": "#b4b4b4",
    "bar-hover": "#8f8f8f",
}
_CONTRAST = {
    "primary": "#3fb0ff",
    "accent": "#7cc8ff",
    "warning": "#ffd000",
    "error": "#ff6b81",
    "success": "#5dff8f",
    "foreground": "#ffffff",
    "background": "#000000",
    "surface": "#000000",
    "panel": "#1c1c1c",
    "boost": "#1c1c1c",
    "text-primary": "#7cc8ff",
    "text-secondary": "#9fd6ff",
    "text-accent": "#7cc8ff",
    "text-warning": "#ffd000",
    "text-error": "#ff8f9f",
    "text-success": "#5dffb0",
    "muted": "#d0d0d0",
    "text-disabled": "#d0d0d0",
    "cursor": "#00457a",
    "cursor-unfocused": "#33363a",
    "line-current": "#00345c",
    "match": "#4a3c00",
    "match-current": "#ffd000",
    "match-current-text": "#000000",
    "added": "#00300f",
    "removed": "#40000c",
    "added-word": "#00491a",
    "removed-word": "#5e0013",
    "backdrop": "#000000 60%",
    "heat-0": "#7a0019",
    "heat-1": "#6b3000",
    "heat-2": "#574d00",
    "heat-3": "#2f5200",
    "heat-4": "#005a22",
    "rule": "#9a9a9a",
    "tab-ground": "#7cc8ff",
    "tab-text": "#000000",
    "bar": "#9a9a9a",
    "bar-hover": "#ffffff",
}
_DARK_256 = {
    "primary": "#0087d7",
    "accent": "#5fafff",
    "warning": "#ffaf5f",
    "error": "#d75f87",
    "success": "#5faf5f",
    "foreground": "#e4e4e4",
    "background": "#121212",
    "surface": "#1c1c1c",
    "panel": "#303030",
    "boost": "#262626",
    "text-primary": "#5fafff",
    "text-secondary": "#87afd7",
    "text-accent": "#5fafff",
    "text-warning": "#ffd75f",
    "text-error": "#ff87af",
    "text-success": "#5fffaf",
    "muted": "#a8a8a8",
    "text-disabled": "#a8a8a8",
    "cursor": "#00005f",
    "cursor-unfocused": "#3a3a3a",
    "line-current": "#00005f",
    "match": "#5f0000",
    "match-current": "#ffaf5f",
    "match-current-text": "#121212",
    "added": "#262626",
    "removed": "#5f0000",
    "added-word": "#005f00",
    "removed-word": "#870000",
    # Of what shines through, the nearest of 256 colours would else be the cursor again, or a key in teal.
    "backdrop": "#1a1212 62%",
    "heat-0": "#870000",
    "heat-1": "#875f00",
    "heat-2": "#5f5f00",
    "heat-3": "#005f00",
    "heat-4": "#008700",
    **dict.fromkeys((f"heat-text-{nth}" for nth in range(5)), "#ffffff"),
    "rule": "#626262",
    "tab-ground": "#5fafff",
    "tab-text": "#121212",
    "bar": "#585858",
    "bar-hover": "#767676",
}
"""For terminals with 256 colours: each is one of these, which need not be guessed from another."""
_LIGHT_256 = {
    "primary": "#005f87",
    "accent": "#005f87",
    "warning": "#875f00",
    "error": "#af0000",
    "success": "#005f00",
    "foreground": "#1c1c1c",
    "background": "#ffffff",
    "surface": "#ffffff",
    "panel": "#e4e4e4",
    "boost": "#eeeeee",
    "text-primary": "#005f87",
    "text-secondary": "#005f5f",
    "text-accent": "#005f87",
    "text-warning": "#875f00",
    "text-error": "#870000",
    "text-success": "#005f5f",
    "muted": "#4e4e4e",
    "text-disabled": "#4e4e4e",
    "cursor": "#d7ffff",
    "cursor-unfocused": "#e4e4e4",
    "line-current": "#d7ffff",
    "match": "#ffffaf",
    "match-current": "#5f0087",
    "match-current-text": "#ffffff",
    "added": "#d7ffd7",
    "removed": "#ffd7d7",
    "added-word": "#afffaf",
    "removed-word": "#ffafaf",
    "backdrop": "#ffffff 60%",
    "heat-0": "#ffafaf",
    "heat-1": "#ffd7af",
    "heat-2": "#ffffaf",
    "heat-3": "#d7ffaf",
    "heat-4": "#afffaf",
    "rule": "#949494",
    "tab-ground": "#005f87",
    "tab-text": "#ffffff",
    "bar": "#b2b2b2",
    "bar-hover": "#8a8a8a",
}
_PLAIN = "ansi_default"
_TERMINAL = {
    "primary": "ansi_blue",
    "accent": "ansi_cyan",
    "warning": "ansi_yellow",
    "error": "ansi_red",
    "success": "ansi_green",
    "foreground": _PLAIN,
    "background": _PLAIN,
    "surface": _PLAIN,
    "panel": _PLAIN,
    "boost": _PLAIN,
    "text-primary": "ansi_cyan",
    "text-secondary": "ansi_cyan",
    "text-accent": "ansi_cyan",
    "text-warning": "ansi_yellow",
    "text-error": "ansi_red",
    "text-success": "ansi_green",
    "muted": _PLAIN,
    "text-disabled": _PLAIN,
    "cursor": _PLAIN,
    "cursor-unfocused": _PLAIN,
    "line-current": _PLAIN,
    "match": _PLAIN,
    "match-current": "ansi_yellow",
    "match-current-text": "ansi_black",
    "added": _PLAIN,
    "removed": _PLAIN,
    "added-word": _PLAIN,
    "removed-word": _PLAIN,
    "backdrop": _PLAIN,
    **dict.fromkeys((f"heat-{nth}" for nth in range(5)), _PLAIN),
    "heat-text-0": "ansi_red",
    "heat-text-1": "ansi_red",
    "heat-text-2": "ansi_yellow",
    "heat-text-3": "ansi_green",
    "heat-text-4": "ansi_green",
    "rule": "ansi_bright_black",
    "tab-ground": _PLAIN,
    "tab-text": _PLAIN,
    "bar": "ansi_bright_black",
    "bar-hover": "ansi_white",
    "ansi-background": _PLAIN,
    "ansi-foreground": _PLAIN,
    "footer-key-foreground": "ansi_cyan",
    "input-selection-background": "ansi_cyan",
    "input-selection-foreground": "ansi_black",
}
_MONO = dict.fromkeys(_TERMINAL, _PLAIN)

_STYLES = {
    "tab-style": "bold",
    "header-style": "bold",
    "muted-style": "none",
    "cursor-style": "bold",
    "cursor-unfocused-style": "none",
    "line-current-style": "none",
    "match-style": "bold",
    "match-current-style": "bold",
    "word-style": "bold underline",
    "field-style": "none",
}
"""The styles of text besides its colour, where backgrounds tell things apart."""
_PLAIN_STYLES = {
    "tab-style": "bold reverse",
    "header-style": "bold underline",
    "muted-style": "dim",
    "cursor-style": "reverse",
    "cursor-unfocused-style": "bold underline",
    "line-current-style": "reverse",
    "match-style": "bold underline",
    "match-current-style": "bold underline",
    "word-style": "bold underline",
    "field-style": "underline",
}
"""The same where the terminal's own background is everywhere."""


def _theme(name: str, colours: Mapping[str, str], *, dark: bool = True, ansi: bool = False) -> Theme:
    styles = _PLAIN_STYLES if ansi else _STYLES
    common: dict[str, Any] = {colour: colours[colour] for colour in _COMMON}
    heat = {f"heat-text-{nth}": colours["foreground"] for nth in range(5)}
    return Theme(name=name, dark=dark, ansi=ansi, variables={**styles, **heat, **colours}, **common)


THEMES = {
    theme.name: theme
    for theme in (
        _theme("dark", _DARK),
        _theme("light", _LIGHT, dark=False),
        _theme("contrast", _CONTRAST),
        _theme(f"dark{_FEWER}", _DARK_256),
        _theme(f"light{_FEWER}", _LIGHT_256, dark=False),
        _theme("terminal", _TERMINAL, ansi=True),
        _theme(MONO, _MONO, ansi=True),
    )
}
"""By name. Those of 256 colours are for terminals without more.

`terminal` uses the sixteen colours that a person has given the terminal, `mono` none."""

THEME_WORDS = {
    "dark": "for a dark terminal",
    "light": "for a light one",
    "contrast": "white on black",
    f"dark{_FEWER}": "dark, in 256 colours",
    f"light{_FEWER}": "light, in 256 colours",
    "terminal": "the sixteen colours of the terminal itself",
    MONO: "no colours",
}
"""The words about themes in the command line."""


def chosen_theme(setting: str, environ: Mapping[str, str]) -> str:
    """The theme to start with. Raises TTMatrixError for a setting that is none.

    Left to the terminal: `mono` where NO_COLOR is set (https://no-color.org), `terminal` where there are sixteen
    colours, and `light` where COLORFGBG, which some terminals set, tells of a light background. With 256 colours, which
    is what ssh and tmux leave unless COLORTERM says otherwise, the twin for these is taken.
    """
    many = environ.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    few = not many and any(word in environ.get("TERM", "") for word in ("256color", "kitty", "direct"))
    if setting in THEMES:
        return f"{setting}{_FEWER}" if few and f"{setting}{_FEWER}" in THEMES else setting
    if setting != AUTO:
        raise TTMatrixError(f"There is no theme {setting!r}", hint=f"Themes: {AUTO}, {', '.join(THEMES)}.")
    if environ.get("NO_COLOR"):
        return MONO
    if not many and not few:
        return "terminal"
    light = environ.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
    return f"{'light' if light else 'dark'}{_FEWER if few else ''}"


def _named_colours(colours: Mapping[str, str]) -> TerminalTheme:
    """The colours for red, green and others in texts that name colours."""
    # In the order of the terminal's sixteen. Cyan is the accent there, too.
    names = ("error", "success", "warning", "secondary", "accent", "primary")
    grey, *found = (Color.parse(colours[name]).rgb for name in ("muted", *(f"text-{name}" for name in names)))
    plain, ground = Color.parse(colours["foreground"]).rgb, Color.parse(colours["surface"]).rgb
    return TerminalTheme(ground, plain, [grey, *found, plain])


def use_themes(app: App[Any], name: str) -> None:
    """Register the themes with an app that does not run yet, and choose its first one."""
    for theme in THEMES.values():
        app.register_theme(theme)
    begin_with_theme(app, name, _named_colours(_DARK), _named_colours(_LIGHT))
