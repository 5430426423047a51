# SPDX-License-Identifier: Apache-2.0
"""Operations on several texts at once, as applied to the files of a checkout, without any files."""

from collections.abc import Mapping, Sequence

from core.edits import Operation, OpKind, Rejection
from core.edits.operations import Refused, shape_problem
from core.edits.yaml import FileDraft


def edit_texts(
    texts: Mapping[str, str], operations: Sequence[Operation]
) -> tuple[Mapping[str, str], tuple[Rejection, ...]]:
    """`edit_text` on several files by name, including moves; all texts change or, with a rejection, none.

    Every operation names its file.
    """
    drafts: dict[str, FileDraft] = {}
    rejected: list[Rejection] = []
    for operation in operations:
        try:
            if problem := shape_problem(operation):
                raise Refused(problem)
            source = _draft(texts, drafts, operation.file)
            if operation.op is OpKind.MOVE:
                source.move(operation, _draft(texts, drafts, operation.to))
            else:
                source.apply(operation)
        except Refused as refused:
            rejected.append(Rejection(operation, str(refused)))
    after = {**texts, **{name: draft.finish() for name, draft in drafts.items()}}
    rejected += [one for draft in drafts.values() for one in draft.rejected]
    return (texts, tuple(rejected)) if rejected else (after, ())


def _draft(texts: Mapping[str, str], drafts: dict[str, FileDraft], name: str | None) -> FileDraft:
    if name is None or name not in texts:
        raise Refused(f"there is no file {name}")
    if name not in drafts:
        drafts[name] = FileDraft(texts[name])
    return drafts[name]
