# SPDX-License-Identifier: Apache-2.0
"""Write, validate and commit in one go: all of it, or nothing."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from core.edits.commit import Committed, Draft, commit
from core.edits.exclusive import git_home
from core.edits.plan import EditPlan, written
from core.edits.scratch import scratch
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

    Whatever raises, the files are what they were before, as are branch and index (see `commit`). `python` runs the
    validator; empty: see `validate`. Without `verify` it is not asked.
    """
    home = git_home(checkout.root)
    with ExitStack() as stack, written(plan, _aside(home, stack) if home else None):
        validation = validate(checkout, python) if verify else None
        if validation is not None:
            refuse_complaint(validation)
        return Delivered(commit(checkout, drafts, schema), validation)


def _aside(home: Path, stack: ExitStack) -> Path | None:
    """Where the old files wait: in git's directory, where no hook takes them for new ones; None: not there."""
    with suppress(OSError):
        return stack.enter_context(scratch(home)).path
    return None
