# SPDX-License-Identifier: Apache-2.0
"""Make text from outside safe to show: it can neither control a terminal nor reorder what is read."""

import json
import re
from collections.abc import Sequence
from math import floor, isfinite

_EIGHTHS = "▁▂▃▄▅▆▇█"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"

# C0 and C1 controls except the newline, then the bidirectional controls, the line and paragraph separators, and what
# takes no room (zero-width spaces, word joiners, tags): two texts must not look alike. A lone surrogate means a byte of
# a file name that is not UTF-8; it cannot be sent to a terminal.
_UNSAFE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


_PAGE = re.compile(r"https://[\w.-]+(?::\d+)?/[\w./#:~%?=&+,@-]*", re.ASCII)


def is_page(address: str) -> bool:
    """Whether an address can be made a link: of a page, and without what could end the link or begin markup."""
    return _PAGE.fullmatch(address) is not None


def printable(text: str) -> str:
    """`text` on one or more lines, with every control character shown as a replacement mark.

    Tabs become single spaces; newlines stay.
    """
    if text.isascii() and text.isprintable():
        # Nearly all text is plain, and this is called for each row that is painted.
        return text
    return _UNSAFE.sub(lambda match: " " if match[0] == "\t" else REPLACEMENT, text)


def one_line(text: str) -> str:
    """As `printable`, with newlines shown as spaces."""
    if text.isascii() and text.isprintable():
        return text
    return printable(text.replace("\r\n", " ").replace("\n", " "))


def json_text(value: object, indent: int | None = 2) -> str:
    """`value` as JSON that is safe to show: what is not printable is escaped, so that a parser gets it exactly.

    A record is an object; other values that JSON lacks become text. Raises ValueError for numbers that JSON lacks.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_of_record)
    if not text.isascii() or "\x7f" in text:
        text = _UNSAFE.sub(lambda match: _escaped(match[0]), text)
    if indent is None:
        return text
    # 7 ms of every command that prints a table.
    import msgspec

    try:
        # `dumps` with an indent takes ten times as long.
        return msgspec.json.format(text, indent=indent)
    except msgspec.DecodeError:
        # A lone surrogate: a byte of a file name that is not UTF-8.
        return json.dumps(json.loads(text), indent=indent)


def _of_record(value: object) -> object:
    form = getattr(value, "__json__", None)
    return str(value) if form is None else form()


def _escaped(character: str) -> str:
    """A character of a JSON string as `\\uXXXX`, or as two of them."""
    return json.dumps(character)[1:-1] if character != "\x7f" else "\\u007f"


CONFLICT = "A conflict of git is not resolved. Edit the file, then git add it"
_CONFLICT = re.compile(r"^<{7}(?: |$)", re.MULTILINE)


def conflict_line(text: str) -> int:
    """The line at which a conflict begins that git has left in a file; 0: there is none."""
    found = _CONFLICT.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 0


def counted(count: int, noun: str) -> str:
    """`1 run`, `2 runs`, `3 entries`, `4 matches`; `5 archs`, as everywhere."""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y") and not noun.endswith(("ay", "ey", "oy", "uy")):
        return f"{count:,} {noun[:-1]}ies"
    hisses = noun.endswith(("s", "x", "ch", "sh")) and noun.split()[-1] != "arch"
    return f"{count:,} {noun}{'es' if hisses else 's'}"


def capital(text: str) -> str:
    """`text` with a capital letter in front, and no other letter smaller, as `str.capitalize` would make `CI`."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """`text` with a full stop, unless it ends as a sentence does."""
    text = text.rstrip()
    return text if not text or text.endswith((".", "!", "?", "…")) else f"{text}."


def percent(rate: float | None) -> str:
    """`93.4%`; a dash if nothing ran. Never rounded up to 100%."""
    if rate is None:
        return "-"
    return "100%" if rate == 1 else f"{min(rate * 100, 99.9):.1f}%"


def device_minutes(minutes: float) -> str:
    """`saves 3.4 device-minutes per CI run`; empty if the change is too small to notice."""
    shown = f"{abs(minutes):,.1f}"
    if shown == "0.0":
        return ""
    return f"{'costs' if minutes > 0 else 'saves'} {shown} device-minutes per CI run"


def letters(text: str) -> str:
    """The letters and digits of `text` in lower case: equal for all spellings of a name."""
    return "".join(filter(str.isalnum, text.lower()))


def bars(numbers: Sequence[float | None]) -> str:
    """A bar for each number, `▁` for the lowest and `█` for the highest; a blank for None."""
    known = [one for one in numbers if one is not None and isfinite(one)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    # If all are equal, none of them is the lowest.
    step = (high - low) / 7 or 1.0
    at = 0 if high > low else 3
    return "".join(
        " " if one is None or not isfinite(one) else _EIGHTHS[round((one - low) / step) + at] for one in numbers
    )


def pcc_text(pcc: float, digits: int = 4) -> str:
    """`0.9899` for 0.98996: cut after `digits` digits, never rounded up to a threshold or to 1."""
    parts = 10**digits
    if not isfinite(pcc * parts):
        # None that was measured, but any number may come in a report.
        return f"{pcc:g}"
    # A binary fraction may fall just short of its decimal: 0.57 is not shown as 0.5699.
    cut = floor(round(pcc * parts, 6))
    return f"{min(cut, parts - 1) / parts if pcc < 1 else cut / parts:.{digits}f}"


def significant(number: float, digits: int = 4) -> str:
    """`0.1235`: a number with that many significant digits. Less than 1 is never shown as 1: it may be a PCC."""
    text = f"{number:.{digits}g}"
    return pcc_text(number, digits) if text == "1" and number < 1 else text


def short_number(number: float | None) -> str:
    """As `significant`; empty: there is no number."""
    return "" if number is None else significant(number)


def toml_text(text: str) -> str:
    """A basic string of TOML 1.0: JSON, with DEL escaped too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def elide_middle(text: str, width: int) -> str:
    """`text` cut to `width` characters by removing its middle: both ends of an id carry meaning."""
    if len(text) <= width:
        return text
    if width <= 1:
        return text[:width]
    tail = (width - 1) * 3 // 5
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


_UNITS = ((86_400.0, "d", 2 * 86_400.0), (3_600.0, "h", 3_600.0), (60.0, "min", 60.0))
"""Seconds of a unit, its name, and from how many seconds on it is used."""


def ago_text(at: float | None, now: float) -> str:
    """`24 h ago` for a moment, `now` for one less than a minute ago; empty: it is not known.

    Both are in seconds since the epoch.
    """
    if not at:
        return ""
    age = max(0.0, now - at)
    return next((f"{age // unit:,.0f} {name} ago" for unit, name, least in _UNITS if age >= least), "now")
