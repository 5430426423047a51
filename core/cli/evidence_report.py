# SPDX-License-Identifier: Apache-2.0
"""Evidence and verdicts: as lines for a person, and as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime

from core.cli.console import Console
from core.evidence import Observation, summary_of
from core.evidence.verdicts import Judgement

_LEFT_OUT = ("test_id", "arch", "when", "op", "profile")
_FIELDS = tuple(one.name for one in fields(Observation) if one.name not in _LEFT_OUT)


def judgement_document(one: Judgement, seen: Sequence[Observation]) -> dict[str, object]:
    """The judgement on one cell as JSON. `evidence` sums up `seen`, all its results; `rows` are those that decided."""
    return {
        "id": one.id,
        "arch": one.arch,
        "verdict": one.verdict,
        "why": one.why,
        "grade": one.grade,
        "since": one.since,
        "direction": one.direction,
        "pcc": one.pcc,
        "required_pcc": one.required_pcc,
        "pinned": one.pinned,
        "evidence": summary_of(one.arch, seen).text if seen else "",
        "rows": [observation_document(row) for row in one.rows],
    }


def observation_document(one: Observation) -> dict[str, object]:
    """One result as JSON; `when` is ISO 8601 in UTC, or null."""
    when = datetime.fromtimestamp(one.when, UTC).isoformat(timespec="seconds") if one.when else None
    said = {"when": when, **{name: getattr(one, name) for name in _FIELDS}}
    if one.profile:
        said["profile"] = one.profile
    return said if one.op is None else {**said, "op": asdict(one.op)}


def verdicts_table(console: Console, judgements: Iterable[tuple[Judgement, Sequence[Observation]]]) -> None:
    """Print a line per cell, with a summary of all its results."""
    console.table(
        ("verdict", "evidence", "test", "why"),
        ((one.verdict, evidence_text(one.arch, seen), one.id, _why(one)) for one, seen in judgements),
    )


def evidence_text(arch: str, seen: Sequence[Observation]) -> str:
    """A summary of all results of a cell, after its arch."""
    return summary_of(arch, seen).text if seen else arch


def _why(one: Judgement) -> str:
    return f"{one.why} (pinned: {one.pinned})" if one.pinned else one.why
