# SPDX-License-Identifier: Apache-2.0
"""The structure of a forward output as a CPU repro reports it, and how parts of it become one tensor."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from core.workflows.loader_code.edits.unpack import Form, Selection

Leaf: TypeAlias = Mapping[str, Any]
MAPPINGS = frozenset({"dict", "OrderedDict", "defaultdict"})
SEQUENCES = frozenset({"list", "tuple"})
_STEP = re.compile(r'\.\w+|\["(?:[^"\\]|\\.)*"\]|\[[^\]]*\]')
_OUTER = re.compile(r"\w+|\[\d+\]")
"""Names of inputs that `load_inputs` returns at the top level."""
_SHOWN = 12
"""Most leaves that a docstring lists."""
_MODULES = 4
"""Most modules that are named as those without a gradient."""
_MOST_PARTS = 4
"""Most tensors that are added up one by one; for more the code loops."""


@dataclass(frozen=True, slots=True)
class Gradient:
    """What it means for the parameters of a model if backward starts from a part of its output."""

    missing: int
    """Parameters without a gradient that another part of the output reaches."""
    total: int
    """Parameters that the output reaches."""
    modules: tuple[str, ...]
    """The modules of those that are missing."""
    redundant: int
    """Tensors of the part from which unlike ones of it are computed: their parameters get a gradient anyway.

    Levels of a pyramid are alike, whichever of them is computed from another.
    """

    @property
    def words(self) -> str:
        """For people, as a sentence."""
        if not self.missing:
            return "Every parameter gets a gradient."
        more = ", ..." if len(self.modules) > _MODULES else ""
        return f"No gradient for {self.missing} of {self.total} parameters: {', '.join(self.modules[:_MODULES])}{more}."


class ForwardOutput:
    """What forward returned: its leaves, and which of them a gradient reaches."""

    def __init__(self, output: Mapping[str, Any], inputs: Iterable[Leaf] = ()) -> None:
        """`inputs` are those that the output was produced with."""
        self.kind = str(output["class"])
        self.leaves: list[Leaf] = [
            {**leaf, "number": number, "access": access, "steps": _steps(access)}
            for number, (leaf, access) in enumerate(zip(output["leaves"], output["access"], strict=True))
        ]
        self.grads = [leaf for leaf in self.leaves if "float" in (leaf["dtype"] or "") and leaf.get("requires_grad")]
        """Floating-point tensors that backward can start from: no prior, no anchor, nothing detached."""
        self._seen_with = _seen_with(inputs)
        self._reach: Mapping[str, Any] | None = output.get("reach")

    def gradient(self, wanted: Sequence[Leaf]) -> Gradient | None:
        """What starting from `wanted` means for the parameters; None: the CPU repro did not say."""
        if self._reach is None:
            return None
        numbers = {leaf["number"] for leaf in wanted}
        groups = [one for one in self._reach["groups"] if one["leaves"]]
        missing = [one for one in groups if not numbers & set(one["leaves"])]
        feeds: Mapping[str, Sequence[int]] = self._reach["feeds"]
        return Gradient(
            sum(one["count"] for one in missing),
            sum(one["count"] for one in groups),
            tuple(module for one in missing for module in one["modules"]),
            sum(self._feeds_another(number, numbers & set(feeds.get(str(number), ()))) for number in numbers),
        )

    def _feeds_another(self, number: int, others: Iterable[int]) -> bool:
        return any(_form_of(self.leaves[number]) != _form_of(self.leaves[other]) for other in others)

    @property
    def unreached(self) -> str:
        """The parameters that no part of the output reaches, as a sentence; empty: there are none, or it is unknown."""
        groups = [one for one in (self._reach or {"groups": ()})["groups"] if not one["leaves"]]
        if not groups:
            return ""
        names = ", ".join(module for one in groups for module in one["modules"][:_MODULES])
        return f"No part of the output reaches {sum(one['count'] for one in groups)} parameters: {names}."

    def covering(self) -> list[Leaf]:
        """The fewest tensors, taken one after the other, with which no parameter is left without a gradient."""
        groups = [one for one in (self._reach or {"groups": ()})["groups"] if one["leaves"]]
        free = [leaf for leaf in self.grads if leaf["access"] is not None]
        found: list[Leaf] = []
        while left := [one for one in groups if not {leaf["number"] for leaf in found} & set(one["leaves"])]:
            best = max(free, key=lambda leaf: _gained(leaf, left), default=None)
            if best is None or not _gained(best, left):
                break
            found.append(best)
        return [leaf for leaf in self.grads if leaf in found]

    @property
    def is_tensor(self) -> bool:
        return [leaf["access"] for leaf in self.leaves] == [""] and self.leaves[0]["dtype"] is not None

    @property
    def is_named(self) -> bool:
        """Whether it has a class of its own, by which the registry could find it."""
        return self.kind not in MAPPINGS | SEQUENCES

    def under(self, steps: Sequence[str]) -> list[Leaf]:
        """The leaves of the part that `steps` lead to."""
        return [leaf for leaf in self.leaves if leaf["steps"] is not None and leaf["steps"][: len(steps)] == (*steps,)]

    def part(self, name: str) -> list[Leaf]:
        """The leaves of the top-level part of that name."""
        return self.under((f".{name}",)) or self.under((f'["{name}"]',))

    def containers(self) -> list[tuple[str, ...]]:
        """The steps to every part of the output that holds several tensors with a gradient, in order."""
        steps = [leaf["steps"] for leaf in self.grads if leaf["steps"]]
        inner = dict.fromkeys(one[:length] for one in steps for length in range(1, len(one)))
        return [one for one in inner if sum(leaf in self.grads for leaf in self.under(one)) > 1]

    def selection(self, wanted: Sequence[Leaf], what: str, loss: str = "") -> Selection:
        """How `wanted`, some of the tensors with a gradient, become one tensor; `what` says which they are."""
        access, form, parts = self._joined(wanted)
        why = " ".join(filter(None, (what, self._left_out(wanted))))
        return Selection(access, form, self.described(), why, loss, parts)

    def described(self) -> str:
        """Its description for a docstring: the class, and the shapes that the CPU repro saw."""
        lines = [self._line(leaf) for leaf in self.leaves[:_SHOWN]]
        more = len(self.leaves) - len(lines)
        what = f"{self.kind} of " + ", ".join(lines) + (f", and {more} more" if more else "")
        return f"{what}; seen with {self._seen_with}." if self._seen_with else f"{what}."

    def _line(self, leaf: Leaf) -> str:
        text = f"{leaf['name']}: {leaf['type']} {leaf['shape'] or ''}".rstrip()
        return text if leaf in self.grads or leaf["dtype"] is None else f"{text} without gradient"

    def _left_out(self, wanted: Sequence[Leaf]) -> str:
        others = [leaf for leaf in self.leaves if leaf["dtype"] is not None and leaf not in wanted]
        if not others:
            return ""
        if not any(leaf in self.grads for leaf in others):
            return f"Left out, as no gradient reaches them: {_names(others)}."
        return f"Left out: {_names(others)}."

    def _joined(self, wanted: Sequence[Leaf]) -> tuple[str, Form, tuple[str, ...]]:
        """Access, form and parts: the nearest container with nothing else in it, else one by one, else by gradient."""
        known = [leaf["steps"] for leaf in wanted if leaf["steps"] is not None]
        if len(known) == len(wanted) == 1:
            return "".join(known[0]), Form.TENSOR, ()
        prefix = _common(known) if len(known) == len(wanted) else ()
        inner = [steps[len(prefix) :] for steps in known]
        plain = not any(step.startswith(".") for steps in inner for step in steps)
        alone = len(known) == len(self.leaves) if not prefix else all(leaf in wanted for leaf in self.under(prefix))
        if plain and alone:
            return "".join(prefix), _form(inner), ()
        every = all(leaf in wanted for leaf in (self.under(prefix) if prefix else self.leaves) if leaf in self.grads)
        if every and (len(known) < len(wanted) or (plain and len(known) > _MOST_PARTS)):
            return "".join(prefix), Form.SUM_GRADIENTS, ()
        return "", Form.SUM_PARTS, tuple("".join(steps) for steps in known)


def _steps(access: str | None) -> tuple[str, ...] | None:
    return None if access is None else tuple(_STEP.findall(access))


def _form_of(leaf: Leaf) -> tuple[int, list[int]]:
    """The number of dimensions, and the second one: that of channels or features."""
    shape = list(leaf["shape"] or ())
    return len(shape), shape[1:2]


def _gained(leaf: Leaf, groups: Iterable[Mapping[str, Any]]) -> int:
    """How many parameters of `groups` get a gradient from `leaf`."""
    return sum(one["count"] for one in groups if leaf["number"] in one["leaves"])


def _common(known: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    same = itertools.takewhile(lambda steps: len(set(steps)) == 1, zip(*known, strict=False))
    return tuple(steps[0] for steps in same)


def _form(inner: Sequence[tuple[str, ...]]) -> Form:
    """How a container becomes one tensor; `inner` are the steps to each of its tensors."""
    if any(len(steps) != 1 for steps in inner):
        return Form.SUM_NESTED
    return Form.SUM if all(steps[0][1:-1].isdecimal() for steps in inner) else Form.SUM_VALUES


def _names(leaves: Sequence[Leaf]) -> str:
    names = [str(leaf["name"]) for leaf in leaves[:_SHOWN]]
    more = len(leaves) - len(names)
    return ", ".join(names) + (f" and {more} more" if more else "")


def _seen_with(inputs: Iterable[Leaf]) -> str:
    """The number of rows if it is the same for all inputs; else the shapes. Nested inputs are not a batch."""
    tensors = [leaf for leaf in inputs if leaf.get("shape")]
    outer = [leaf for leaf in tensors if _OUTER.fullmatch(str(leaf["name"]))]
    shapes = [list(leaf["shape"]) for leaf in outer or tensors]
    rows = {shape[0] for shape in shapes}
    if len(rows) == 1:
        count = rows.pop()
        return f"{count} {'row' if count == 1 else 'rows'}"
    return "inputs of shapes " + ", ".join(map(str, shapes[:_SHOWN])) if shapes else ""
