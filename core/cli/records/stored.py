# SPDX-License-Identifier: Apache-2.0
"""What runs leave in their directory and other code writes, in the interpreter of the models."""

from typing import Annotated, Literal

from msgspec import UNSET, UnsetType

from core.base.files import As, Record
from core.cli.records.ops import CaseStatus


class CaseSeconds(Record):
    """Seconds of each part of a case; null: it did not come to that."""

    build: float | UnsetType | None = UNSET
    eager: float | UnsetType | None = UNSET
    compile: float | UnsetType | None = UNSET
    run: float | UnsetType | None = UNSET
    compare: float | UnsetType | None = UNSET


class CaseLine(Record, kw_only=True):
    """What an op case did."""

    id: str
    model: str
    name: str
    op: str
    file: str
    line: int
    key: str | UnsetType = UNSET
    """What equal cases have in common; empty: skipped or broken."""
    dup_of: str | UnsetType | None = UNSET
    """The case whose result this one takes."""
    dtype: str | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    rtol: float | UnsetType = UNSET
    atol: float | UnsetType = UNSET
    description: str | UnsetType = UNSET
    expected: Annotated[str, As(Literal["", "skip", "xfail"])] | UnsetType = UNSET
    """What the manifest expects on this backend."""
    backend: str | UnsetType = UNSET
    torch: str | UnsetType = UNSET
    device: str | UnsetType = UNSET
    rule: int | str | UnsetType = UNSET
    """Version of how inputs are built."""
    status: CaseStatus
    message: str
    stage: str
    seconds: CaseSeconds
    peak_bytes: int | UnsetType | None = UNSET
    max_abs: float | None
    max_rel: float | None
    mismatched: float | UnsetType | None = UNSET
    """Percent."""
    pcc: float | None
    verdict: str | None
    """The status; of a duplicate that of the case which represents it."""
