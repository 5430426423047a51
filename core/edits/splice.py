# SPDX-License-Identifier: Apache-2.0
"""Apply operations to the text of files, as a pure function."""

from collections.abc import Sequence

from core.edits.draft import Draft
from core.edits.operations import Operation, Refused, Rejection, shape_problem


def edit_text(text: str, operations: Sequence[Operation]) -> tuple[str, tuple[Rejection, ...]]:
    """`text` after `operations`, and those that cannot be done; with one of these `text` comes back as it was.

    Operations are taken in order. `file` is not looked at, and a move is rejected: it takes two files. Every line
    of every other entry keeps its bytes, and no operations give the same text.
    """
    if not operations:
        return text, ()
    try:
        draft = Draft(text)
    except Refused as refused:
        return text, tuple(map(refused.rejection, operations))
    for operation in operations:
        if problem := shape_problem(operation):
            draft.rejected.append(Rejection(operation, problem))
        else:
            draft.apply(operation)
    return draft.finish(), tuple(draft.rejected)
