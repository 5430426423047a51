# SPDX-License-Identifier: Apache-2.0
"""The numbers of a period in words, for a report and a screen alike."""

from collections.abc import Sequence
from datetime import date, timedelta
from statistics import median

from core.base.checked_numbers import day_of
from core.base.text import counted, percent
from core.evidence.progress.measured import HostHealth, Stale
from core.evidence.progress.progress import Progress

__all__ = ["percent"]

MACHINE_HEADS = ("machine", "results", "failed", "share", "above others", "")
_EPOCH = date(1970, 1, 1)


def day_text(number: int) -> str:
    """A day by its number since the epoch: `2026-11-23`."""
    return (_EPOCH + timedelta(days=number)).isoformat()


def week_ends(progress: Progress) -> list[str]:
    """The last day of each week of the series, oldest first."""
    days = progress.days
    return [day_text(end - 1) for end in reversed(range(days.stop, days.start, -7))]


def period(progress: Progress) -> str:
    """The first and the last day with results: `from 2026-08-20 to 2026-08-22`."""
    days = progress.days
    return f"from {day_text(days.start)} to {day_text(days.stop - 1)}" if days else "of no day"


def summary(progress: Progress, arch: str = "") -> str:
    """The main numbers in a few words; the rest of the report has the details."""
    measured = progress.measured
    broke = sum(not one.fixed for one in measured.turned)
    where = f" on {arch}" if arch else ""
    if not sum(measured.total.ran):
        return f"No results{where} from {day_of(progress.since)} to {day_of(progress.now)}."
    total = measured.total
    parts = [
        f"{counted(sum(total.ran), 'result')}{where} of {counted(len(progress.runs), 'run')} {period(progress)}",
        f"in the last week of these {percent(total.now)} as expected, {percent(total.passed_now)} passed",
        f"{counted(broke, 'cell')} broke and {counted(len(measured.turned) - broke, 'cell')} passed again in it",
        counted(len(measured.flaky), "flaky cell"),
        f"{counted(len(measured.stale), 'cell')} passing unexpectedly",
    ]
    if progress.missing:
        parts.append(f"{counted(len(progress.missing), 'cell')} gone from the reports of CI")
    suspects = [one.host for one in measured.hosts if one.suspect and one.host not in progress.without]
    if suspects:
        parts.append(f"failures follow {', '.join(suspects)}")
    if progress.without:
        parts.append(f"without {', '.join(progress.without)}")
    return "; ".join(parts) + "."


def machine_words(one: HostHealth) -> tuple[str, str, str, str, str, str]:
    """A row of `MACHINE_HEADS`."""
    suspect = "failures follow it" if one.suspect else ""
    return one.host, f"{one.results:,}", f"{one.failed:,}", percent(one.share), f"{one.excess:+.1%}", suspect


def typical_days(stale: Sequence[Stale]) -> float | None:
    """The median of the days; half of these cells were stale for at least so long."""
    return median(one.days for one in stale) if stale else None


def stale_words(stale: Sequence[Stale], corrected: Sequence[Stale]) -> str:
    """How long cells pass before their entry is corrected."""
    now, before = typical_days(stale), typical_days(corrected)
    words = [f"{counted(len(stale), 'cell')} pass though their entries expect no pass"]
    if now is not None:
        words.append(f"for {now:.0f} days in the median")
    if before is not None:
        words.append(f"{counted(len(corrected), 'cell')} were corrected, after {before:.0f} days in the median")
    return ", ".join(words) + "."
