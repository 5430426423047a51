# SPDX-License-Identifier: Apache-2.0
"""A table of profiles as text: its cells, CSV for a spreadsheet, Markdown for a pull request."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from core.base.text import significant
from core.evidence.analysis.profile_comparison import Metric, ProfileTable
from core.runs.planning import shown_name

HEADER = ("test", "profile", "runs", "outcome", *Metric)
FORMATS = ("csv", "markdown")


def table_lines(table: ProfileTable) -> Iterator[Sequence[str]]:
    """A line for each test and profile: median, spread, and the difference to the first profile if there is one."""
    for id, row in table.rows.items():
        for profile, cell in row.items():
            numbers = [number_text(table, id, profile, metric) for metric in Metric]
            yield id, shown_name(profile), str(len(cell.runs)), cell.outcome, *numbers


def exported(table: ProfileTable, form: str) -> str:
    """The table in one of `FORMATS`."""
    return exported_rows(HEADER, table_lines(table), form)


def exported_rows(header: Sequence[str], rows: Iterable[Sequence[str]], form: str) -> str:
    """A table in one of `FORMATS`."""
    if form == "csv":
        out = io.StringIO()
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
        return out.getvalue()
    lines = (header, ["---"] * len(header), *rows)
    return "".join(f"| {' | '.join(word.replace('|', '/') for word in line)} |\n" for line in lines)


def number_text(table: ProfileTable, id: str, profile: str, metric: Metric) -> str:
    """`0.5 ±0.02 +12.0%`: the median, half the spread, and the change against the first profile."""
    numbers = table.rows[id][profile].numbers[metric]
    if numbers.median is None:
        return ""
    text = significant(numbers.median, 5)
    if len(numbers.values) > 1 and numbers.spread:
        text += f" ±{numbers.spread / 2:.2g}"
    change = table.change(id, profile, metric)
    return text if change is None else f"{text} {change}"
