# SPDX-License-Identifier: Apache-2.0
"""Turn a line of foreign output into what a terminal would show, without control characters."""

import re

from core.base.text import REPLACEMENT, one_line

MAX_CHARACTERS = 4000

# A control that begins another sequence ends a string, as in terminals: so nothing is looked at twice.
_STRING = r"[^\x07\x1b\x90\x98\x9b-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
# Sequences that begin with ESC: CSI (colours, cursor moves, modes), strings (OSC, DCS, SOS, PM, APC), and other
# escapes. The common first character makes searching fast.
_ESCAPED = re.compile(rf"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_]{_STRING}|[ -/]*[0-~])")
SEQUENCES = re.compile(rf"{_ESCAPED.pattern}|\x9b[0-?]*[ -/]*[@-~]|[\x90\x98\x9d-\x9f]{_STRING}")
"""Terminal control sequences that begin with ESC, or with one of the controls that abbreviate ESC and a letter."""

_SINGLE = re.compile("[\x90\x98\x9b\x9d-\x9f]")
_OVERWRITTEN = re.compile(r"^[^\n]*\r(?=[^\r\n])", re.MULTILINE)
"""Text that a progress bar has painted over, in text of several lines."""

# What XML cannot hold, as pytest writes it: two digits, or four beyond 0xFF.
_WRITTEN_OUT = re.compile("#x(0[0-8BCEF]|1[0-9A-F]|7F|D[89A-F][0-9A-F]{2}|FFF[EF])")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def unescaped(text: str) -> str:
    """`text` of a JUnit file of pytest without the control characters that it writes out, such as `#x1B[31m`."""
    if "#x" not in text or not _WRITTEN_OUT.search(text):
        return text
    raw = _WRITTEN_OUT.sub(lambda match: chr(int(match[1], 16)), text)
    return _CONTROLS.sub(REPLACEMENT, without_sequences(raw))


def visible_lines(data: bytes) -> list[str]:
    """Many lines as `plain_line` shows them, except for tabs and lone controls: for searching, not for showing."""
    text = data.decode("utf-8", "replace")
    if "\r" in text:
        text = _OVERWRITTEN.sub("", re.sub(r"(?<!\r)\r+$", "", text, flags=re.MULTILINE))
    return without_sequences(text).split("\n")


def without_sequences(text: str) -> str:
    """Text without terminal control sequences."""
    if not text.isascii() and _SINGLE.search(text):
        return SEQUENCES.sub("", text)
    return _ESCAPED.sub("", text) if "\x1b" in text else text


def plain_line(text: str, limit: int = MAX_CHARACTERS) -> str:
    """One line, safe to show and without colours, of at most `limit` characters.

    A progress bar shows what follows its last carriage return. Escape sequences are removed, tabs expanded,
    and every other control is marked as `core.base.text` does it.
    """
    cleaned = clean(without_sequences(last_state(text)).expandtabs(8))
    return cleaned if len(cleaned) <= limit else cleaned[: limit - 1] + "…"


def last_state(text: str) -> str:
    """What a progress bar, or any line, painted last."""
    return text.rstrip("\r\n").rpartition("\r")[2]


def clean(text: str) -> str:
    """Text without sequences and tabs, every other control marked, on one line."""
    if text.isascii() and text.isprintable():
        return text
    # Text that came through JSON may hold lone surrogates, which cannot be sent to a terminal.
    return one_line(text.encode("utf-8", "replace").decode("utf-8"))
