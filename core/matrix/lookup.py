# SPDX-License-Identifier: Apache-2.0
"""Find the id that a person types or pastes: an id, a pytest node id, or any part that fits only one."""

import difflib
import re
from collections.abc import Callable, Mapping

from core.base.errors import UsageError
from core.domain.ids import TestId, pasted
from core.domain.model import TEST_MODULE, Function
from core.matrix.matrix import Matrix

_NODE_ID = re.compile(r"[^\[]*::(?P<function>\w+)\[(?P<id>.*)\]", re.DOTALL)
_SHOWN = 5
_NEAREST = 3
_OLD_NAMES: Mapping[str, frozenset[str]] = {
    Function.MODELS: frozenset({Function.TORCH, Function.JAX}),
    Function.LLM_DECODE: frozenset({Function.LLM}),
}
"""What functions of older checkouts, whose reports and logs people paste, are called now."""


def resolve_id(matrix: Matrix, text: str, ids_of_model: Callable[[str], list[str]] | None = None) -> str:
    """The one id that `text` means. Raises UsageError with the closest ids if it means none or several.

    `ids_of_model` gives the ids of a model by its `model_info.name`; it is only called if nothing else fits.
    """
    function, wanted = named(text)
    if wanted in matrix.rows:
        check_function(matrix, function, wanted)
        return wanted
    needle = wanted.lower()
    containing = [id for id, lowered in zip(matrix.ids, matrix.lowered, strict=True) if needle and needle in lowered]
    if not containing and ids_of_model is not None:
        containing = ids_of_model(wanted)
    containing = [id for id in containing if _has(matrix, function, id)] or containing
    if len(containing) == 1:
        check_function(matrix, function, containing[0])
        return containing[0]
    if containing:
        shown = "\n".join(f"  {id}" for id in containing[:_SHOWN])
        raise UsageError(f"{wanted!r} matches {len(containing)} ids", shown, "Give the whole id.")
    near = "\n".join(f"  {id}" for id in matrix.closest(wanted))
    raise UsageError(f"There is no test {wanted!r}", f"Closest:\n{near}" if near else "")


def named(text: str) -> tuple[str, str]:
    """The test function and the id, or the part of one, in what a person pastes; an empty function: it names none."""
    text = text.strip()
    match = _NODE_ID.fullmatch(text)
    return (match["function"], match["id"]) if match else pasted(text)


def check_function(matrix: Matrix, function: str, id: str) -> None:
    """Raise UsageError, with the nearest ids that it has, unless the test function has this id (docs/rules.md 1.5).

    An empty function has every id, and so has each one that of an entry for which no loader makes a test.
    """
    if not function or _has(matrix, function, id):
        return
    if function not in frozenset(Function):
        known = ", ".join(matrix.functions(matrix.rows[id])) or "none"
        raise UsageError(f"{TEST_MODULE} has no function {function}", f"{id} is a test of: {known}")
    parsed = TestId.parse(id)
    begin = parsed.directory if parsed else id
    own = [one for one in matrix.ids if one.startswith(begin) and _has(matrix, function, one)]
    nearest = difflib.get_close_matches(id, own, _NEAREST, cutoff=0.0)
    others = ", ".join(matrix.functions(matrix.rows[id])) or "no test function"
    closest = "\nClosest:\n" + "\n".join(f"  {function}::{one}" for one in nearest) if nearest else ""
    raise UsageError(f"{function} has no test {id}", f"{others} has it.{closest}")


def _has(matrix: Matrix, function: str, id: str) -> bool:
    if not function or id in matrix.strays:
        return True
    names: frozenset[str] = _OLD_NAMES.get(function, frozenset()) | {function}
    return not names.isdisjoint(matrix.functions(matrix.rows[id]))
