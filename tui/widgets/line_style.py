# SPDX-License-Identifier: Apache-2.0
"""The style of a piece of a line: component classes over the widget's own, as it goes to the terminal."""

from rich.segment import Segment
from rich.style import Style
from textual.widget import Widget


def line_style(widget: Widget, *components: str) -> Style:
    """The style that `components` (empty names are passed over) come to on `widget`, the later ones on top.

    Lines are painted as they are, so half-transparent colours are blended here, and the app's line filters (for
    terminals without colour) are asked once for a style instead of once for each line.
    """
    background = widget.background_colors[1]
    foreground = widget.styles.color
    text_style = widget.styles.text_style
    for name in filter(None, components):
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
