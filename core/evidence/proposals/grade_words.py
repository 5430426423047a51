# SPDX-License-Identifier: Apache-2.0
"""What a grade rests on, in one line: how often, where, what was before, and who else."""

from collections.abc import Iterable, Sequence

from core.evidence.observation import RAN, Ending, Origin
from core.evidence.verdicts import Judgement, Verdict
from core.text import counted

_VERBS = {
    Ending.INACCURATE: "was inaccurate",
    Ending.FLAKY: "failed first and passed when repeated",
    Ending.SLOW: "was slow",
    Ending.OUT_OF_TIME: "ran out of time",
}


def grade_words(judgements: Sequence[Judgement], shared: int) -> str:
    """`failed 3 times in a row on n150, p150, 2 hosts; passed 7 times before; 24 others with this error since then`.

    `shared` other tests have the same cause since the same run.
    """
    archs_by_said: dict[tuple[str, str], list[Judgement]] = {}
    for one in judgements:
        archs_by_said.setdefault((_now(one), _before(one)), []).append(one)
    said = [
        "; ".join(filter(None, (f"{now} on {_archs(some)}{_places(some)}", before)))
        for (now, before), some in archs_by_said.items()
    ]
    others = f"{counted(shared, 'other test')} with this error since the same run" if shared else ""
    return "; ".join(filter(None, (*said, others)))


def _now(one: Judgement) -> str:
    rows = [row for row in one.rows if row.ending in RAN]
    if one.verdict is Verdict.MISSING or not rows:
        return "no result"
    same = {row.ending for row in rows}
    if len(same) > 1:
        return " and ".join(
            _times(ending, sum(row.ending is ending for row in rows)) for ending in Ending if ending in same
        )
    in_a_row = " in a row" if len(rows) > 1 else ""
    return f"{_times(rows[-1].ending, len(rows))}{in_a_row}"


def _before(one: Judgement) -> str:
    rows = one.earlier
    return f"{_times(rows[-1].ending, len(rows))} before" if rows else ""


def _times(ending: Ending, count: int) -> str:
    verb = _VERBS.get(ending, ending.words)
    return f"{verb} {'once' if count == 1 else 'twice' if count == 2 else f'{count} times'}"


def _archs(judgements: Iterable[Judgement]) -> str:
    return ", ".join(one.arch for one in judgements)


def _places(judgements: Sequence[Judgement]) -> str:
    """On how many machines, and whether runs here say the same."""
    rows = [row for one in judgements if one.verdict is not Verdict.MISSING for row in one.rows]
    hosts = {row.host for row in rows if row.host}
    here = any(row.origin is Origin.HERE for row in rows)
    return (f", {counted(len(hosts), 'host')}" if len(hosts) > 1 else "") + (", also here" if here else "")
