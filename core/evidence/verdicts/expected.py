# SPDX-License-Identifier: Apache-2.0
"""What an entry declares for one cell, in the terms that results are compared with, and whether it is pinned."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.domain.model import EXPECT_NO_PASS, BringupStatus, Entry, Status
from core.evidence.series import Gap
from core.evidence.verdicts.policy import Policy
from core.matrix import as_status, texts, written
from core.sources import DEFAULT_ARCHS, ExpectationFile

_DEFAULT_PCC = 0.99
_BRINGUP = dict(BringupStatus.__members__)
_MARK = re.compile(r"#\s*ttmatrix:keep\b[ \t:-]*([^\n\r]*)")
_NO_REASON = "no reason given"


@dataclass(frozen=True, slots=True)
class Expected:
    """The declaration for one cell. Fields are the effective ones of its arch (docs/rules.md 2.3)."""

    status: Status
    reason: str = ""
    bringup: BringupStatus | None = None
    """The stage that the entry gives; None: it gives none."""
    required_pcc: float = _DEFAULT_PCC
    pcc_checked: bool = True
    supported: bool = True
    """Whether the test carries the marker of the arch."""
    scheduled: bool | None = None
    """Whether a scheduled CI job selects the cell; None: unknown."""
    silent_runs: int = 0
    """How many runs of jobs that select the cell have produced results, but none of this cell."""
    training: bool = False
    gap: Gap | None = None
    """The runs that should have a result and have none; None: the newest run of its jobs has one."""

    def deciding(self, minimum_runs: int) -> tuple[object, ...]:
        """All of its values in plain form; silent runs only up to the number that matters."""
        return (
            *(getattr(self, name) for name in self.__slots__ if name != "silent_runs"),
            min(self.silent_runs, minimum_runs),
        )

    @property
    def expects_no_pass(self) -> bool:
        return self.status in EXPECT_NO_PASS


class Declared(NamedTuple):
    """What an entry declares, independent of the arch."""

    status: Status
    reason: str
    bringup: BringupStatus | None
    required_pcc: float
    pcc_checked: bool
    archs: Collection[str]
    """The archs whose markers the test carries."""

    def on(
        self,
        arch: str,
        *,
        training: bool,
        scheduled: bool | None = None,
        silent_runs: int = 0,
        gap: Gap | None = None,
    ) -> Expected:
        """The declaration for one cell."""
        return Expected(*self[:5], arch in self.archs, scheduled, silent_runs, training, gap)


def declared_by(fields: Mapping[str, object]) -> Declared:
    """The declaration of an entry's fields, as `written` for an arch. An invalid value counts as not written."""
    bringup, required, reason = fields.get("bringup_status"), fields.get("required_pcc"), fields.get("reason")
    named = bringup.strip().upper() if isinstance(bringup, str) else ""
    number = isinstance(required, float | int) and not isinstance(required, bool)
    archs = fields.get("supported_archs")
    return Declared(
        status=as_status(fields.get("status")),
        reason=reason if isinstance(reason, str) else "",
        bringup=_BRINGUP.get(named),
        required_pcc=float(required) if number else _DEFAULT_PCC,  # type: ignore[arg-type]
        # Upstream turns the check off only for the boolean (docs/rules.md 2.2).
        pcc_checked=fields.get("assert_pcc") is not False,
        archs=(texts(archs) if archs else ()) or DEFAULT_ARCHS,
    )


def declared_on(entry: Entry | None, archs: Iterable[str]) -> Iterator[tuple[str, Declared]]:
    """The declaration of `entry` on each of `archs`. Few entries differ between archs."""
    known: tuple[object, Declared] | None = None
    for arch in archs:
        fields = written(entry, arch)
        if known is None or known[0] is not fields:
            known = fields, declared_by(fields)
        yield arch, known[1]


def pins(files: Iterable[ExpectationFile], policy: Policy) -> Mapping[str, str]:
    """Why each entry is pinned, by id. The comment is in the entry or directly above it.

    A comment is more specific than a pattern of the policy, so it has priority.
    """
    found: dict[str, str] = {}
    for file in files:
        if policy.keep:
            found |= {entry.id: why for entry in file.entries if (why := policy.pinned(entry.id))}
        found |= dict(_marked(file))
    return found


def _marked(file: ExpectationFile) -> Iterator[tuple[str, str]]:
    if "ttmatrix:keep" not in file.text:
        return
    lines = file.text.split("\n")
    marks = {at: match[1].strip() or _NO_REASON for at, line in enumerate(lines, 1) if (match := _MARK.search(line))}
    for entry in file.entries:
        first = entry.line
        while first > 1 and lines[first - 2].lstrip().startswith("#"):
            first -= 1
        for at in range(first, entry.end_line + 1):
            if at in marks:
                yield entry.id, marks[at]
                break
