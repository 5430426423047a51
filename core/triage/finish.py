# SPDX-License-Identifier: Apache-2.0
"""What becomes of the result of sessions: taken into the files, or left without a trace."""

from collections.abc import Sequence
from contextlib import suppress

from core.edits.operations import Operation
from core.edits.plan import EditPlan, plan
from core.edits.workbench import Workbench
from core.errors import TTMatrixError
from core.matrix.matrix import Matrix
from core.triage.driver import Progress, park, restore_edits
from core.triage.effects import Propose
from core.triage.perform import World


def operations_of(progress: Progress) -> tuple[Operation, ...]:
    """What the workflow proposes; nothing before its end, and nothing where it aborted."""
    end = progress.session.state.end
    return end.operations if isinstance(end, Propose) else ()


def plan_of(matrix: Matrix, operations: Sequence[Operation]) -> EditPlan:
    """What operations come to in the expectation files as they are."""
    return plan(matrix.checkout.test_config, operations, matrix.schema)


def leave(world: World, progress: Progress) -> None:
    """Nothing remains in the checkout; a session that has not ended can go on later."""
    park(world, progress.session)


def take(world: World, bench: Workbench, done: Sequence[Progress], planned: EditPlan) -> None:
    """Keep the edits in the work tree and write the expectations. The caller is the sole writer.

    Raises TTMatrixError, with nothing written and no edit left in place, where a file has changed.
    """
    fresh = [progress for progress in done if not progress.session.closed]
    try:
        for progress in fresh:
            restore_edits(world, progress.session)
        bench.write_plan(planned)
    except TTMatrixError:
        leave_all(world, fresh)
        raise
    for progress in fresh:
        progress.session.close(applied=isinstance(progress.session.state.end, Propose))


def leave_all(world: World, done: Sequence[Progress]) -> None:
    """`leave` each of `done` that has ended, the newest first; a file that somebody has changed since stays."""
    for progress in reversed(done):
        if not progress.session.closed and progress.blocked is None:
            with suppress(TTMatrixError):
                leave(world, progress)
