# SPDX-License-Identifier: Apache-2.0
"""The text of an issue about one line of a nightly: what fails, since when, where to read it, how to run it."""

import re
import shlex
from collections.abc import Iterator, Sequence

from core.base.checked_numbers import day_of
from core.base.text import counted, one_line
from core.domain.model import Function, node_id
from core.evidence.ci_runs import JobState
from core.evidence.nightly.cells import NightCell
from core.evidence.nightly.night import Night
from core.evidence.nightly.page import Line

_TICKS = re.compile("`+")
_MOST_TESTS, _MOST_RUNS = 30, 3
_SHORT = 10


def issue_text(night: Night, line: Line) -> str:
    """Markdown: a title in its first line, then the text. What is not known is left out."""
    run = night.run
    parts = [f"# {_title(line)}", "", *_said(line), "", *_tests(line)]
    seen = f"Seen in [{run.name}]({run.url}), {day_of(run.created)}, {run.commit[:_SHORT]}"
    base = f"; compared with [{night.base.name}]({night.base.url})" if night.base else ""
    parts += ["", f"{seen}{base}.", *_last_good(night, line), *_between(night)]
    for test in suspects(line)[:1]:
        parts += ["", "```", f"pytest -svv {shlex.quote(one_line(test))}", "```"]
    return "\n".join(_without_doubles(parts)) + "\n"


def _title(line: Line) -> str:
    words = line.said or line.text
    if line.job is not None:
        return one_line(f"{line.links[0].text}: {line.text}{f': {line.said}' if line.said else ''}")
    return one_line(f"{words} ({counted(len({cell.id for cell in line.cells}), 'test')})" if line.cells else words)


def _said(line: Line) -> Iterator[str]:
    if line.said:
        # A fence is longer than any in what it holds.
        fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(line.said)), default=0))
        yield from (fence, one_line(line.said), fence)
    if line.job is not None or not line.cells:
        yield one_line(line.text)
    if line.note:
        yield one_line(line.note)


def _tests(line: Line) -> Iterator[str]:
    for link in line.links[:_MOST_TESTS]:
        name = f"`{one_line(link.text).replace('`', chr(39))}`"
        yield f"- {name}: {link.url}" if link.url else f"- {name}"
    if len(line.links) > _MOST_TESTS:
        yield f"- and {len(line.links) - _MOST_TESTS} more"


def _last_good(night: Night, line: Line) -> Iterator[str]:
    """The newest run in which the tests passed."""
    runs = [night.known[key].good for cell in line.cells if (key := (cell.id, cell.arch)) in night.known]
    good = list(dict.fromkeys(filter(None, runs)))
    if good:
        yield f"Passed last in {', '.join(map(one_line, good[:_MOST_RUNS]))}{' and others' * (len(good) > _MOST_RUNS)}."


def _between(night: Night) -> Iterator[str]:
    found = night.versions
    if found is None:
        return
    for name, one, url in (("tt-xla", found.own, found.url), ("tt_forge_models", found.models, found.models_url)):
        if one.commits and url:
            yield f"{counted(len(one.commits), 'commit')} of {name} between: {url}"
    for pin in found.pins:
        if pin.url:
            yield f"{one_line(pin.name)} moved: {pin.url}"


def suspects(line: Line) -> Sequence[str]:
    """The node ids of the tests that a line is about; of a job that died, of the test that ran last."""
    if isinstance(line.about, JobState):
        death = line.about.death
        return (death.test,) if death and death.test else ()
    return tuple(dict.fromkeys(map(_node, line.cells)))


def _node(cell: NightCell) -> str:
    row = cell.row
    return node_id(Function(row.function), row.test_id)


def _without_doubles(lines: list[str]) -> Iterator[str]:
    """Without two empty lines in a row."""
    before = ""
    for one in lines:
        if one or before:
            yield one
        before = one
