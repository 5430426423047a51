# SPDX-License-Identifier: Apache-2.0
"""Write, validate and commit in one go: all of it, or nothing."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from core.edits.commit import Committed, Draft, commit
from core.edits.plan import EditPlan, undo, write
from core.edits.validator import Validation, refuse_complaint, validate
from core.errors import TTMatrixError
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

    Whatever raises, the files are what they were before, as are branch and index (see `commit`). `python` runs the
    validator; empty: see `validate`. Without `verify` it is not asked.
    """
    with written(plan):
        validation = validate(checkout, python) if verify else None
        if validation is not None:
            refuse_complaint(validation)
        return Delivered(commit(checkout, drafts, schema), validation)


@contextmanager
def written(plan: EditPlan) -> Iterator[None]:
    """Have the files of `plan` written; where the work inside fails, every byte comes back.

    What somebody else has written in the meantime stays, and the error says so.
    """
    write(plan)
    back = undo(plan)
    try:
        yield
    except BaseException as failure:
        try:
            write(back)
        except TTMatrixError as stuck:
            if not isinstance(failure, TTMatrixError):
                raise
            failure.hint = f"{failure.hint}\nWhat was written could not be taken back: {stuck.title}".strip()
        raise
