# SPDX-License-Identifier: Apache-2.0
"""A finding as `doctor` and `show` print it with `--json`."""

from core.cli import records
from core.doctor import severity
from core.domain.model import Finding


def finding_record(one: Finding) -> records.Finding:
    """The JSON form. The field for the fix keeps its old name, because programs read it."""
    return records.Finding(
        kind=one.kind,
        severity=severity(one.kind),
        message=one.message,
        file=one.file,
        line=one.line,
        column=one.column,
        id=one.id,
        mend=one.fix,
    )
