# SPDX-License-Identifier: Apache-2.0
"""Operations that correct mistakes in a manifest of op tests, if that takes no judgement (docs/ops.md)."""

from collections.abc import Collection, Sequence
from itertools import accumulate, count

from core.edits.operations import Operation, OpKind, Refused
from core.edits.yaml import Block, Document, path_at, read_manifest
from core.payload.ttmatrix_payload.ops import Correction, How, Problem

Operations = tuple[Operation, ...]


def corrections(text: str, file: str, problems: Sequence[Problem]) -> tuple[Operations, ...]:
    """The operations that correct each of `problems` of the manifest `text`; none if a person must decide.

    Each correction can be applied alone. Mistakes outside the cases and their defaults are left to a person too.
    """
    if not any(one.correction for one in problems):
        return tuple(() for _ in problems)
    try:
        document = read_manifest(text, file)
    except Refused:
        return tuple(() for _ in problems)
    starts = [0, *accumulate(len(line) + 1 for line in document.text.split("\n"))]
    taken = {block.id for block in document.blocks}
    return tuple(_correction(document, file, starts, one, taken) for one in problems)


def _correction(
    document: Document, file: str, starts: Sequence[int], problem: Problem, taken: Collection[str]
) -> Operations:
    if problem.correction is None or not 0 < problem.line < len(starts):
        return ()
    offset = starts[problem.line - 1] + problem.column - 1
    block = next((one for one in document.blocks if one.start <= offset < one.end), None)
    if block is None:
        return ()
    if problem.correction.how is How.DISTINGUISH:
        return _distinguished(document, file, block, taken)
    single = problem.correction.how is not How.REMOVE
    try:
        path = path_at(block.nodes(document.text)[1], offset - block.start, single=single)
    except Refused:
        return ()
    # If several cases share a name, no operation can tell which one is meant.
    alone = f"{block.id}#2" not in taken
    return _at(block.id, file, path, problem.correction) if path and alone else ()


def _at(id: str, file: str, path: tuple[str, ...], correction: Correction) -> Operations:
    match correction.how:
        case How.RENAME:
            return (Operation(OpKind.RENAME, id, file, path, to=correction.text),)
        case How.REPLACE:
            return (Operation(OpKind.SET, id, file, path, correction.text),)
        case _:
            return (Operation(OpKind.UNSET, id, file, path),)


def _distinguished(document: Document, file: str, block: Block, taken: Collection[str]) -> Operations:
    """Remove a case that equals the first one of its name; rename any other one to a free name."""
    first, mark, number = block.id.rpartition("#")
    same = next((one for one in document.blocks if one.id == first), None)
    if not mark or not number.isdecimal() or same is None:
        return ()
    try:
        if same.meanings() == block.meanings():
            return (Operation(OpKind.REMOVE, block.id, file),)
    except Refused:
        return ()
    name = next(name for name in (f"{first}_{at}" for at in count(int(number))) if name not in taken)
    return (Operation(OpKind.RENAME, block.id, file, to=name),)
