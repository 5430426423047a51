# SPDX-License-Identifier: Apache-2.0
"""Which days of the week a cron line means."""

import re

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_RANGE = re.compile(r"(?:\*|(?P<first>\w+)(?:-(?P<last>\w+))?)(?:/(?P<step>[1-9]\d*))?")


def cron_days(cron: str) -> frozenset[int]:
    """The days of the week on which a cron line always fires, from 0 for Sunday; none for a malformed line.

    A line that is bound to days of the month fires on no weekday for sure.
    """
    fields = cron.split()
    if len(fields) != 5 or fields[2:4] != ["*", "*"]:
        return frozenset()
    return frozenset(day % len(DAYS) for part in fields[4].split(",") for day in _day_range(part))


def _day_range(part: str) -> range:
    match = _DAY_RANGE.fullmatch(part)
    if match is None:
        return range(0)
    if match["first"] is None:
        return range(0, len(DAYS), int(match["step"] or 1))
    first, last = _day(match["first"]), _day(match["last"] or match["first"])
    return range(0) if first is None or last is None else range(first, last + 1, int(match["step"] or 1))


def _day(text: str) -> int | None:
    if text.lower() in DAYS:
        return DAYS.index(text.lower())
    # Cron knows Sunday as 0 and as 7.
    return int(text) if text in set("01234567") else None
