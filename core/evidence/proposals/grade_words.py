# SPDX-License-Identifier: Apache-2.0
"""What a grade rests on, in one line: how often, where, what was before, and who else."""

from collections.abc import Sequence

from core.base.text import counted
from core.evidence.observation import RAN, Ending, Origin
from core.evidence.verdicts import Judgement, Verdict

_VERBS = {
    Ending.INACCURATE: "was inaccurate",
    Ending.FLAKY: "failed first and passed when repeated",
    Ending.SLOW: "was slow",
    Ending.OUT_OF_TIME: "ran out of time",
}


def grade_words(judgements: Sequence[Judgement], shared: int) -> str:
    """`failed 3 times in a row on n150, p150, 2 hosts; passed 40 to 41 times before; 24 other tests with this error
    since the same run`, as one line.

    `shared` other tests have the same cause since the same run.
    """
    alike: dict[tuple[tuple[Ending, ...], Ending | None], list[Judgement]] = {}
    for one in judgements:
        alike.setdefault((_endings(one), one.earlier[-1].ending if one.earlier else None), []).append(one)
    said = [_clause(endings, before, some) for (endings, before), some in alike.items()]
    others = f"{counted(shared, 'other test')} with this error since the same run" if shared else ""
    return "; ".join(filter(None, (*said, others)))


def _endings(one: Judgement) -> tuple[Ending, ...]:
    """How its results ended; none for what is gone."""
    if one.verdict is Verdict.MISSING:
        return ()
    found = {row.ending for row in one.rows}
    return tuple(ending for ending in Ending if ending in found and ending in RAN)


def _clause(endings: Sequence[Ending], before: Ending | None, judgements: Sequence[Judgement]) -> str:
    counts = [[sum(row.ending is ending for row in one.rows) for one in judgements] for ending in endings]
    now = " and ".join(_times(ending, many) for ending, many in zip(endings, counts, strict=True)) or "no result"
    in_a_row = " in a row" if len(endings) == 1 and max(counts[0]) > 1 else ""
    where = f" on {', '.join(one.arch for one in judgements)}{_places(judgements)}"
    then = f"; {_times(before, [len(one.earlier) for one in judgements])} before" if before else ""
    return f"{now}{in_a_row}{where}{then}"


def _times(ending: Ending, counts: Sequence[int]) -> str:
    """`failed once`, `passed 4 to 5 times`"""
    low, high = min(counts), max(counts)
    words = {1: "once", 2: "twice"}.get(low, f"{low} times") if low == high else f"{low} to {high} times"
    return f"{_VERBS.get(ending, ending.words)} {words}"


def _places(judgements: Sequence[Judgement]) -> str:
    """On how many machines, and whether runs here say the same."""
    rows = [row for one in judgements if one.verdict is not Verdict.MISSING for row in one.rows]
    hosts = {row.host for row in rows if row.host}
    here = any(row.origin is Origin.HERE for row in rows)
    return (f", {counted(len(hosts), 'host')}" if len(hosts) > 1 else "") + (", also here" if here else "")
