# SPDX-License-Identifier: Apache-2.0
"""Edits of manifests that results of op cases suggest: remove what is no longer needed, widen tolerances by numbers."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.base.text import counted
from core.domain.model import Status
from core.edits import Operation, OpKind
from core.edits.pending import BaseEntry
from core.evidence.observation import FAILURES, Observation
from core.evidence.proposals.proposal import NotProposed, Proposal
from core.evidence.verdicts import NO_DIFFERENCE, Judgement, OpVerdicts, Policy, Verdict
from core.ops import OpCase, expectation

MARGIN = 1.25
"""A widened tolerance is the greatest error times this."""
_MOST_TIMES = 10.0
"""A result that exceeds the tolerance more than so many times is wrong, not imprecise."""
_LEAST_PCC = 0.99
_SKIP, _XFAIL = "skip", "xfail"
_XFAIL_KEYS = ("xfail_if", "xfail_reason", "xfail_strict")

Written = Mapping[str, object]
"""The keys of a case as written in its manifest, without its defaults."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """The wanted keys of a case in the manifest, or why a person must decide."""

    ops: tuple[Operation, ...] = ()
    why: str = ""
    """The reason for the operations, appended to the verdicts."""
    refusal: str = ""


def propose_for_cases(
    verdicts: OpVerdicts, written: Mapping[str, Written], ids: Iterable[str] | None = None
) -> tuple[tuple[Proposal, ...], tuple[NotProposed, ...]]:
    """One proposal for each op case whose manifest is not true, by id; and the other such cases, with the reason.

    `written` has the keys of the cases by id; a case that is missing there gets no proposal. Without `ids`, all cases
    with results are considered.
    """
    proposals: list[Proposal] = []
    refused: list[NotProposed] = []
    for id, judgements in sorted(verdicts.judged.items()):
        asking = tuple(one for one in judgements if one.verdict not in NO_DIFFERENCE)
        if not asking or (ids is not None and id not in ids):
            continue
        row = verdicts.rows[id]
        wish = _wish(row, judgements, written.get(id), verdicts.policy)
        if wish.ops:
            base = BaseEntry(row.manifest.path, id, written.get(id))
            proposals.append(Proposal(id, asking, wish.ops, base, note=wish.why))
        elif wish.refusal:
            refused += [NotProposed(id, one.arch, one.verdict, wish.refusal) for one in asking]
    return tuple(proposals), tuple(refused)


def _wish(row: OpCase, judgements: Sequence[Judgement], written: Written | None, policy: Policy) -> _Wish:
    if written is None:
        return _Wish(refusal="its manifest cannot be edited: it could not be read")
    by_verdict: dict[Verdict, list[Judgement]] = {}
    for one in judgements:
        by_verdict.setdefault(one.verdict, []).append(one)
    if stale := by_verdict.get(Verdict.STALE):
        return _dropped(row, stale, written)
    if Verdict.SEMI_STALE in by_verdict:
        return _Wish(refusal="it passes on some of the backends only: write a condition that names the others")
    if Verdict.FLAKY in by_verdict:
        return _Wish(refusal="it passes and fails under the same conditions, as far as is known: find out what differs")
    if broken := by_verdict.get(Verdict.REGRESSED):
        return _widened(row, broken, policy)
    others = ", ".join(sorted({one.verdict for one in judgements if one.verdict not in NO_DIFFERENCE}))
    return _Wish(refusal=f"{others}: nothing that a manifest can say makes it pass")


def _dropped(row: OpCase, stale: Sequence[Judgement], written: Written) -> _Wish:
    """Remove the keys that skip a case or expect it to fail, if it passes."""
    statuses = {expectation(row, one.arch).status for one in stale}
    marks = written.get("marks")
    marked = [marks] if isinstance(marks, str) else list(marks) if isinstance(marks, list | tuple) else []
    if statuses == {Status.NOT_SUPPORTED_SKIP}:
        if _SKIP in marked:
            return _Wish((Operation(OpKind.REMOVE, row.id, row.manifest.path, ("marks",), _SKIP),))
        if len(row.case.skip_if) > 1:
            return _Wish(refusal="skip_if has several conditions: remove the one that is no longer needed")
        return _unset(row, ("skip_if",), written)
    if _XFAIL in marked:
        return _Wish((Operation(OpKind.REMOVE, row.id, row.manifest.path, ("marks",), _XFAIL),))
    return _unset(row, _XFAIL_KEYS, written)


def _unset(row: OpCase, keys: Sequence[str], written: Written) -> _Wish:
    ops = tuple(Operation(OpKind.UNSET, row.id, row.manifest.path, (key,)) for key in keys if key in written)
    return _Wish(ops) if ops else _Wish(refusal=f"{keys[0]} is in the defaults of its manifest, for other cases too")


def _widened(row: OpCase, broken: Sequence[Judgement], policy: Policy) -> _Wish:
    """An absolute tolerance above the greatest error, if the results are imprecise and not wrong."""
    rows = [one for judgement in broken for one in judgement.rows if one.ending in FAILURES]
    if len(rows) < policy.minimum_runs:
        return _Wish(refusal=f"{len(rows)} of the {counted(policy.minimum_runs, 'result')} needed to widen a tolerance")
    errors = [one.op.max_abs for one in rows if one.op is not None and one.op.max_abs is not None]
    if len(errors) < len(rows):
        return _Wish(refusal="it fails, and not by its numbers alone: no tolerance helps")
    greatest, limit = max(errors), row.case.atol
    if greatest > _MOST_TIMES * max(limit, row.case.rtol) or not all(map(_correlates, rows)):
        return _Wish(refusal=f"it is off by up to {greatest:.3g}: wrong, not imprecise")
    if row.case.pcc is not None:
        return _Wish(refusal="it requires a PCC, which no tolerance changes")
    value = _rounded_up(MARGIN * greatest)
    if value <= limit:
        return _Wish(refusal="its tolerances allow for the errors that were seen, and it fails all the same")
    why = f"the greatest error in {counted(len(rows), 'result')} is {greatest:.3g}; {value:g} is {MARGIN:g} times that"
    return _Wish((Operation(OpKind.SET, row.id, row.manifest.path, ("atol",), value),), why)


def _correlates(one: Observation) -> bool:
    return one.op is not None and (one.op.pcc is None or one.op.pcc >= _LEAST_PCC)


def _rounded_up(value: float) -> float:
    """With two digits, never below: 0.0123 becomes 0.013."""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.ceil(value / step - 1e-9) * step:.1e}")
