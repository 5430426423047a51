# SPDX-License-Identifier: Apache-2.0
"""Write, validate and commit in one go: all of it, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.edits.commit import Committed, Draft, committing
from core.edits.plan import EditPlan, written
from core.edits.validator import Validation, refuse_complaint, validate
from core.sources.checkout import Checkout
from core.sources.schema import Schema


@dataclass(frozen=True, slots=True)
class Delivered:
    """What was done; without a validation nobody asked for one."""

    committed: Committed
    validation: Validation | None


def deliver(
    checkout: Checkout,
    plan: EditPlan,
    drafts: Sequence[Draft],
    schema: Schema | None = None,
    *,
    verify: bool = True,
    python: str = "",
) -> Delivered:
    """Write `plan` and commit `drafts`, unless the checkout's validator complains about what is written.

    No other git changes the index or touches the files meanwhile. Whatever raises, the files are
    what they were before, as are branch and index (see `commit`). `python` runs the validator; empty: see `validate`.
    Without `verify` it is not asked.
    """
    with committing(checkout) as committer, written(plan, checkout.test_config, committer.place.path):
        validation = validate(checkout, python) if verify else None
        if validation is not None:
            refuse_complaint(validation)
        return Delivered(committer.commit(drafts, schema or Schema()), validation)
