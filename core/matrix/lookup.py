# SPDX-License-Identifier: Apache-2.0
"""Find the id that a person types or pastes: an id, a pytest node id, or any part that fits only one."""

import re
from collections.abc import Callable

from core.errors import UsageError
from core.ids import pasted
from core.matrix.matrix import Matrix

_NODE_ID = re.compile(r"[^\[]*::\w+\[(?P<id>.*)\]", re.DOTALL)
_SHOWN = 5


def resolve_id(matrix: Matrix, text: str, ids_of_model: Callable[[str], list[str]] | None = None) -> str:
    """The one id that `text` means. Raises UsageError with the closest ids if it means none or several.

    `ids_of_model` gives the ids of a model by its `model_info.name`; it is only called if nothing else fits.
    """
    wanted = text.strip()
    match = _NODE_ID.fullmatch(wanted)
    wanted = match["id"] if match else pasted(wanted)[1]
    if wanted in matrix.rows:
        return wanted
    needle = wanted.lower()
    containing = [id for id, lowered in zip(matrix.ids, matrix.lowered, strict=True) if needle and needle in lowered]
    if not containing and ids_of_model is not None:
        containing = ids_of_model(wanted)
    if len(containing) == 1:
        return containing[0]
    if containing:
        shown = "\n".join(f"  {id}" for id in containing[:_SHOWN])
        raise UsageError(f"{wanted!r} matches {len(containing)} ids", shown, "Give the whole id.")
    near = "\n".join(f"  {id}" for id in matrix.closest(wanted))
    raise UsageError(f"There is no test {wanted!r}", f"Closest:\n{near}" if near else "")
