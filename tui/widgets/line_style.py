# SPDX-License-Identifier: Apache-2.0
"""The style of a piece of a line, as it goes to the terminal: looks of the theme over the widget's own style."""

from collections.abc import Mapping
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.widget import Widget


class Look(NamedTuple):
    """How a piece stands out: a variable of the theme as its colour, and a text style."""

    colour: str
    text: str = ""
    strength: float = 1.0
    """How much of the colour there is over the background."""


LOOKS: Mapping[str, Look] = {
    "mark": Look("accent", "bold"),
    "dim": Look("foreground", strength=0.5),
    "pass": Look("text-success"),
    "xfail": Look("text-warning"),
    "skip": Look("text-primary"),
    "exclude": Look("foreground", "italic", 0.7),
    "mixed": Look("foreground", "italic"),
    "fail": Look("text-error", "bold"),
    "running": Look("text-primary", "bold"),
}
"""What pieces of tables can look like. Component classes would have Textual match each of them with all rules, for each
table and each time the focus moves."""


def line_style(widget: Widget, *names: str) -> Style:
    """The style that `names` (empty ones are passed over) come to on `widget`, the later ones on top.

    Each is one of LOOKS or a component class of the widget. Lines are painted as they are, so half-transparent colours
    are blended here, and the app's line filters (for terminals without colour) are asked once for a style instead of
    once for each line.
    """
    background = widget.background_colors[1]
    foreground = widget.styles.color
    text_style = widget.styles.text_style
    for name in filter(None, names):
        if look := LOOKS.get(name):
            colour = Color.parse(widget.app.theme_variables[look.colour])
            foreground = colour.multiply_alpha(look.strength)
            text_style += Style.parse(look.text)
            continue
        styles = widget.get_component_styles(name)
        if styles.has_rule("background"):
            background = background + styles.background
        if styles.has_rule("color"):
            foreground = styles.color
        if styles.has_rule("text_style"):
            text_style += styles.text_style
    colours = Style(color=(background + foreground).rich_color, bgcolor=background.rich_color)
    piece = [Segment(" ", text_style + colours)]
    for line_filter in widget.get_line_filters():
        piece = line_filter.apply(piece, background)
    return piece[0].style or Style.null()
