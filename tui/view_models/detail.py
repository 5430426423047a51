# SPDX-License-Identifier: Apache-2.0
"""The text of the detail panel. Pure: from the facts about an id to styled lines."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from core.base.text import counted, one_line, printable
from core.evidence import Drift
from core.evidence.analysis import Series, Trend, perf_lines, series_name
from core.evidence.verdicts import Judgement
from core.kinds import Section
from core.matrix import NO_ARCH, Detail, text_of
from core.runs import Age
from core.runs.store import RunRecord
from core.sources.downloads import Fetched
from tui.view_models.evidence import course_cells, strip_cells, strip_room
from tui.view_models.runs import run_look
from tui.view_models.style import seconds_text

if TYPE_CHECKING:
    from core.sources import Absent, Lacking

_STYLES = {
    "pass": "green",
    "error": "bold red",
    "heading": "bold",
    "fail": "bold red",
    "running": "bold cyan",
    "dim": "dim",
}

_MOST_IDS = 200
_MOST_RUNS = 5
_NAME = 15
"""Cells of the names of most fields."""


def detail_text(
    detail: Detail,
    runs: Sequence[RunRecord],
    jobs: Sequence[str] | None = None,
    judged: Sequence[Judgement] | None = (),
    ages: Mapping[str, Age] = MappingProxyType({}),
    performance: Sequence[Series] = (),
    drifts: Mapping[str, Drift] = MappingProxyType({}),
    fetched: Fetched | None = None,
    lacking: "Lacking | None" = None,
    *,
    examined: bool = True,
) -> Text:
    """Entry, effective values, evidence, CI jobs, loader, siblings, runs and their performance of one id.

    `jobs` and `lacking` are None until they are known, `fetched` until the code was read, `judged` until results are.
    `ages` are by run id, `drifts` by arch. Unless its loader is `examined`, there may be more findings.
    """
    text = Text(no_wrap=False)
    text.append(f"{one_line(detail.id)}\n", "bold")
    own = lacking.entries.get(detail.id) if lacking and not detail.declared else None
    _entries(text, detail, own)
    if own is None:
        _effective(text, detail)
    _evidence(text, judged, drifts)
    if own is None:
        _jobs(text, jobs)
        _absent(text, lacking.of_ci if lacking else ())
    _heading(text, "loader")
    text.append(f"{one_line(detail.loader)}\n" if detail.loader else "no loader generates this id\n")
    text.append(f"{detail.function}\n", "dim")
    if detail.loader and not examined:
        text.append("Reading what it raises when it is imported …\n", "dim")
    if detail.loader:
        _fetched(text, fetched)
    _runs(text, runs, ages)
    _performance(text, performance)
    for finding in detail.findings:
        _heading(text, finding.kind)
        text.append(f"{one_line(finding.message)} ({one_line(finding.file)}:{finding.line})\n", "red")
    if detail.siblings:
        _heading(text, f"other entries of this loader: {len(detail.siblings)}")
        text.append("".join(f"{one_line(id)}\n" for id in detail.siblings), "dim")
    return text


def _fetched(text: Text, fetched: Fetched | None) -> None:
    if fetched is None:
        text.append("Reading what it downloads …\n", "dim")
        return
    for one in fetched.hub:
        text.append(f"{one.kind} {one_line(one.name)}  ")
        text.append(f"{one_line(one.link)}\n", f"dim link {one.link}")
    for weights in fetched.weights:
        text.append(f"weights {one_line(weights.text)}  ")
        text.append(f"{one_line(weights.page)}\n", f"dim link {weights.page}" if weights.page else "dim")
    for name in filter(None, fetched.files):
        text.append(f"file {one_line(name)}\n")
    for place in fetched.unknown:
        text.append(f"a download named at run time: {one_line(place)}\n", "dim")


_TREND_STYLES = {Trend.REGRESSED: "red", Trend.IMPROVED: "green", Trend.UNKNOWN: "dim"}


def _performance(text: Text, found: Sequence[Series]) -> None:
    for number, one in enumerate(found):
        if not number:
            _heading(text, "performance")
        text.append(f"{one_line(series_name(one))}\n")
        for words, trend in perf_lines(one):
            text.append(f"  {words}\n", _TREND_STYLES.get(trend, ""))


def row_text(
    id: str,
    sections: Iterable[Section],
    jobs: Sequence[str] | None,
    runs: Sequence[RunRecord],
    ages: Mapping[str, Age] = MappingProxyType({}),
    *,
    in_ci: bool = True,
    performance: Sequence[Series] = (),
) -> Text:
    """A row of a kind without entries: its sections, the CI jobs that select it, and its runs.

    `jobs` are None until they are known; without `in_ci` its kind has none. `ages` are by run id.
    """
    text = Text(no_wrap=False)
    text.append(f"{one_line(id)}\n\n", "bold")
    for section in sections:
        _section(text, section)
    if in_ci:
        _jobs(text, jobs)
    _runs(text, runs, ages)
    _performance(text, performance)
    return text


_LINE_STYLES = {"warning": "red", "from": "dim"}


def _section(text: Text, section: Section) -> None:
    """Names are labels of values, but below a title they are what counts."""
    if section.title:
        _heading(text, section.title)
    for name, value in section.lines:
        if section.title:
            text.append(one_line(name))
            text.append(f"  {one_line(value)}\n" if value else "\n", "green")
        else:
            text.append(f"{name:12} ")
            text.append(f"{one_line(value)}\n", _LINE_STYLES.get(name, "bold"))


def group_text(title: str, ids: Sequence[str]) -> Text:
    """The tests of a group or a cell by id, up to a readable number."""
    text = Text()
    text.append(f"{one_line(title) or 'none'}\n", "bold")
    _heading(text, counted(len(ids), "test"))
    text.append("".join(f"{one_line(id)}\n" for id in ids[:_MOST_IDS]))
    if len(ids) > _MOST_IDS:
        text.append(f"and {len(ids) - _MOST_IDS:,} more\n", "dim")
    return text


def _heading(text: Text, words: str) -> None:
    text.append(f"\n{words}\n", "bold cyan")


_MOST_ABSENT = 8


def _absent(text: Text, absent: "Sequence[Absent]") -> None:
    """Files whose word is missing from what was just said."""
    for one in absent[:_MOST_ABSENT]:
        text.append(f"not known: {one_line(one.path)} {one_line(one.reason)}\n", "yellow")
    if len(absent) > _MOST_ABSENT:
        text.append(f"and {counted(len(absent) - _MOST_ABSENT, 'other file')}\n", "yellow")


def _entries(text: Text, detail: Detail, own: "Absent | None") -> None:
    """`own` is the file that has the entry in the last commit, if the work tree lacks it."""
    for number, one in enumerate(detail.declared, 1):
        _heading(text, f"{one_line(one.path)}:{one.entry.line}")
        text.append(f"{printable(one.text)}\n")
        if number < len(detail.declared):
            text.append("shadowed by a later file\n", "red")
    if own is not None:
        _heading(text, "entry and CI jobs not known")
        _absent(text, [own])
    elif not detail.declared:
        _heading(text, "no entry")
        text.append("UNSPECIFIED on every arch, marked for " + ", ".join(detail.supported) + "\n", "dim")


def _effective(text: Text, detail: Detail) -> None:
    _heading(text, "effective")
    column = max(_NAME, *map(len, detail.effective[NO_ARCH]))
    for name in detail.effective[NO_ARCH]:
        for effective, archs in detail.grouped(name):
            where = "all its archs" if len(archs) == len(detail.supported) else ", ".join(map(one_line, archs))
            text.append(f"{name:{column}} ")
            text.append(one_line(text_of(effective.value)) or "-", "bold")
            text.append(f"  {effective.provenance} · {where}\n", "dim")
    text.append(f"{'archs':{column}} ")
    text.append(", ".join(map(one_line, detail.supported)) + "\n")
    unmarked = [arch for arch in detail.effective if arch and arch not in detail.supported]
    overridden = [arch for arch in unmarked if any(arch in one.entry.overrides for one in detail.declared)]
    if overridden:
        text.append(f"overrides for {', '.join(overridden)} have no effect: the test is not marked for them\n", "red")


def _evidence(text: Text, judged: Sequence[Judgement] | None, drifts: Mapping[str, Drift]) -> None:
    """The strip of each arch with results, with the verdict on the entry and the drift of its PCC."""
    if judged is None:
        _heading(text, "evidence: …")
        return
    known = [one for one in judged if one.rows]
    if not known:
        return
    _heading(text, "evidence")
    room = strip_room({one.arch: one.seen or one.rows} for one in known)
    for one in known:
        for cell in strip_cells(one.arch, one.seen or one.rows, room):
            text.append(one_line(cell.text), _STYLES.get(cell.style, ""))
        text.append(f"  {one.verdict}: ", "bold")
        text.append(f"{one_line(one.why)}\n", "dim")
        for line in course_cells(one.arch, one.seen or one.rows, room):
            for cell in line:
                text.append(one_line(cell.text), _STYLES.get(cell.style, ""))
            text.append("\n")
        drift = drifts.get(one.arch)
        if drift is not None and drift.results > len(one.seen or one.rows):
            text.append(f"{'all':<{max(room.archs)}} ", "dim")
            text.append(f"{drift.text}\n", "")


def _jobs(text: Text, jobs: Sequence[str] | None) -> None:
    if jobs is None:
        _heading(text, "scheduled CI jobs: …")
        return
    _heading(text, f"scheduled CI jobs: {len(jobs)}")
    text.append("".join(f"{one_line(job)}\n" for job in jobs) or "no scheduled job selects this test\n")


def _runs(text: Text, runs: Sequence[RunRecord], ages: Mapping[str, Age]) -> None:
    if not runs:
        return
    _heading(text, "runs here")
    shown = [(record, ages.get(record.spec.run_id)) for record in runs[:_MOST_RUNS]]
    looks = [run_look(record, age) for record, age in shown]
    kinds, words = max(len(one.spec.kind) for one, _ in shown), max(cell_len(look.word) for look in looks)
    for (record, age), look in zip(shown, looks, strict=True):
        text.append(f"{record.spec.run_id}  {record.spec.kind:{kinds}}  ")
        text.append(look.word + " " * (words - cell_len(look.word)), _STYLES.get(look.style, ""))
        said = "; ".join(filter(None, (age.text if age else "", record.summary)))
        text.append(f" {seconds_text(record.seconds):>6}  {said}".rstrip() + "\n")
