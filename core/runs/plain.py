# SPDX-License-Identifier: Apache-2.0
"""Turn a line of somebody else's output into what a terminal would have left of it, without the control."""

import re

from core.text import one_line

MAX_CHARACTERS = 4000

_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor moves, modes
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # the remaining escapes, such as a change of character set
)


def plain_line(text: str, limit: int = MAX_CHARACTERS) -> str:
    """One line, safe to show and without colours, of at most `limit` characters.

    A progress bar shows what follows its last carriage return. Escape sequences are removed, tabs expanded,
    and every other control is marked as `core.text` does it.
    """
    visible = _SEQUENCES.sub("", text.rstrip("\r\n").rpartition("\r")[2]).expandtabs(8)
    # Text that came through JSON may hold lone surrogates, which no terminal can be sent.
    cleaned = one_line(visible.encode("utf-8", "replace").decode("utf-8"))
    return cleaned if len(cleaned) <= limit else cleaned[: limit - 1] + "…"
