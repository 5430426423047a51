# SPDX-License-Identifier: Apache-2.0
"""The names of keys as a person reads them."""

from tui.commands import Command

KEY_NAMES = {
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "ampersand": "&",
    "asterisk": "*",
    "at": "@",
    "number_sign": "#",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "minus": "-",
    "plus": "+",
    "underscore": "_",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "escape": "esc",
}
"""Keys as shown, by Textual's names for them, where these differ."""

ARROWS = {"up": "↑", "down": "↓", "left": "←", "right": "→"}
"""The keys that a dialog names by their signs, where a word each would not leave room for the others."""


def key_text(command: Command) -> str:
    """The keys of a command as a person reads them."""
    return " ".join(key_name(key) for key in command.keys.split(","))


def key_name(key: str) -> str:
    """A key, by Textual's name, as a person reads it: in words that every font and ASCII have."""
    return KEY_NAMES.get(key, key.replace("ctrl+", "^"))
