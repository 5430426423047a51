# SPDX-License-Identifier: Apache-2.0
"""Placeholders of planned models as rows after the tests (docs/rules.md 2.5)."""

import re
from array import array
from collections.abc import Collection, Iterable

from core.domain.model import BringupStatus, Status
from core.matrix.columns import Column
from core.matrix.op_rows import OtherRows
from core.matrix.row_kinds import PLACEHOLDER_KIND
from core.sources import Checkout, ExpectationFile

_DEFAULT_REASON = "Not yet started or WIP"
_JOINED = re.compile("[ /]")


def rows_of_placeholders(
    checkout: Checkout, files: Iterable[ExpectationFile], members: Collection[str]
) -> OtherRows | None:
    """A row for each placeholder whose name is not one of `members`, in the order of their names; None: there are none.

    Bring-up status and reason default to those of upstream's report.
    """
    named = {one.id: one for file in files for one in file.placeholders if one.id not in members}
    found = [one for _, one in sorted(named.items())]
    if not found:
        return None

    def texts(field: str, default: str) -> Column:
        return Column.of([str(one.fields.get(field, default)) for one in found])

    return OtherRows(
        kind=PLACEHOLDER_KIND,
        ids=tuple(one.id for one in found),
        lines=array("I", [one.line for one in found]),
        status=Column.of([str(Status.UNSPECIFIED)] * len(found)),
        columns={
            "model": Column.of([reported_name(one.id) for one in found]),
            "bringup": texts("bringup_status", BringupStatus.NOT_STARTED),
            "reason": texts("reason", _DEFAULT_REASON),
            "file": Column.of([checkout.relative(checkout.test_config / one.file) for one in found]),
        },
        flags={},
    )


def reported_name(placeholder: str) -> str:
    """The name of the placeholder's model in reports."""
    return _JOINED.sub("_", placeholder.lower())
