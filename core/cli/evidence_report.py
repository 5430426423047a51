# SPDX-License-Identifier: Apache-2.0
"""Evidence and verdicts: as lines for a person, and as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from msgspec import UNSET

from core.base.checked_numbers import moment_text
from core.cli import records
from core.cli.console import Console
from core.evidence import Observation, page_of, summary_of
from core.evidence.verdicts import Judgement

_FIELDS = tuple(name for name in records.Observation.__struct_fields__ if name not in ("when", "op", "profile", "url"))
"""Those that a result has by the same name."""


def judgement_document(one: Judgement, seen: Sequence[Observation]) -> records.Judgement:
    """The judgement on one cell as JSON. `evidence` sums up `seen`, all its results; `rows` are those that decided."""
    return records.Judgement(
        id=one.id,
        arch=one.arch,
        verdict=one.verdict,
        why=one.why,
        grade=one.grade,
        since=one.since,
        direction=one.direction,
        pcc=one.pcc,
        required_pcc=one.required_pcc,
        pinned=one.pinned,
        evidence=summary_of(one.arch, seen).text if seen else "",
        rows=[observation_document(row) for row in one.rows],
    )


def observation_document(one: Observation) -> records.Observation:
    """One result as JSON."""
    return records.Observation(
        when=moment_text(one.when),
        op=UNSET if one.op is None else records.ObservedOp(**asdict(one.op)),
        profile=one.profile or UNSET,
        url=page_of([one]).url or None,
        **{name: getattr(one, name) for name in _FIELDS},
    )


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
