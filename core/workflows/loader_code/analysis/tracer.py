# SPDX-License-Identifier: Apache-2.0
"""Follow a returned tensor back through the code of one file to the places where it may be made."""

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from core.workflows.loader_code.analysis.calls import Calls
from core.workflows.loader_code.analysis.code import Code, Statement, dotted, key_of
from core.workflows.loader_code.analysis.control_flow import Bindings, Conditions
from core.workflows.loader_code.analysis.frames import AttributeKey, Frame, Path
from core.workflows.loader_code.analysis.origin import Nature, Origin, Place, Spot, origin_at, returns
from core.workflows.loader_code.analysis.reaching import Query, Reaching, is_bound, key_of_element

_MOST_STEPS = 400


class Tracer:
    """Follows values backwards within one file."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self._calls = Calls(code, self)
        self._steps = 0

    def returned(self, frame: Frame, path: Path, places: tuple[Place, ...] = ()) -> list[Origin]:
        """Where the part at `path` of the returned value may come from; empty: the function returns no such part."""
        found: list[Origin] = []
        for statement, value in returns(frame.function):
            reached = self.is_reached(statement, frame)
            if reached is not False:
                spot = Spot(frame, statement, path, {}, Bindings(), places)
                found += self.follow(value, spot, end=True)
            if reached is True:
                break
        return found

    def is_reached(self, statement: Statement, frame: Frame) -> bool | None:
        """Whether a return is reached if no earlier one is taken; None: that depends on the call."""
        inner: cst.CSTNode = statement
        known: bool | None = True
        for node in self.code.above(statement):
            if node is frame.function:
                break
            if isinstance(node, cst.If):
                holds = Conditions(frame, {}, frozenset()).holds(node.test)
                wanted = inner is node.body
                known = False if holds is (not wanted) else known if holds is wanted else None
            elif isinstance(node, cst.For | cst.While | cst.Try | cst.ExceptHandler):
                known = None
            if known is False:
                return False
            inner = node
        return known

    def follow(self, node: cst.BaseExpression, spot: Spot, *, end: bool = False) -> list[Origin]:
        """The origins of the value of `node`; with `end`, an expression without another one is an origin itself."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return [Origin(Nature.FOREIGN, node, spot.frame, spot.places)]
        if isinstance(node, cst.Dict | cst.List | cst.Tuple | cst.ListComp | cst.GeneratorExp | cst.DictComp):
            return self._display(node, spot, end)
        if end and not spot.path and not self._is_variable(node, spot) and not isinstance(node, cst.IfExp):
            spot = replace(spot, places=(*spot.places, Place(spot.frame, spot.at, node=node)))
        if isinstance(node, cst.IfExp):
            return self._either(node, spot, end)
        return self._plain(node, spot)

    def _plain(self, node: cst.BaseExpression, spot: Spot) -> list[Origin]:
        match node:
            case cst.Name():
                return self._variable(node, node.value, spot)
            case cst.Attribute():
                return self._attribute(node, spot)
            case cst.Subscript():
                return self._subscript(node, spot)
            case cst.BooleanOperation(left=left, right=right):
                return self.follow(left, spot) + self.follow(right, spot)
            case cst.BinaryOperation():
                return self._arithmetic(node, spot)
            case cst.UnaryOperation(expression=inner) | cst.NamedExpr(value=inner):
                return self.follow(inner, spot)
            case cst.Call():
                return self._calls.follow(node, spot)
            case cst.BaseNumber() | cst.BaseString():
                return []
        return origin_at(Nature.FOREIGN, node, spot)

    # Names and parts of what they hold

    def _variable(self, node: cst.BaseExpression, name: str, spot: Spot) -> list[Origin]:
        if name == "None":
            return []
        if (source := spot.bindings.source(name)) is not None:
            return self.follow(source[0], replace(spot, path=source[1] + spot.path))
        if self._is_changeable(name, spot) and (spot.barred is None or spot.barred not in self.code.above(spot.at)):
            here = Place(spot.frame, spot.at, name, spot.path)
            spot = replace(spot, places=(*spot.places, here), barred=None)
        hits = Reaching(self.code, spot.frame).before(spot.at, Query(name, spot.path, spot.keys))
        if not hits:
            return origin_at(Nature.FOREIGN, node, spot)
        found: list[Origin] = []
        for hit in hits:
            there = replace(spot, at=hit.at, path=hit.path, keys=hit.keys, bindings=Bindings())
            if hit.keys != spot.keys:
                there = replace(there, barred=next(one for one in self.code.above(hit.at) if isinstance(one, cst.For)))
            if hit.chosen:
                found.append(Origin(Nature.CHOSEN, hit.at, spot.frame, spot.places))
            elif hit.value is not None:
                again = self._loops(hit.at) - self._loops(spot.at)
                found += self.follow(hit.value, _shared(there, hit.at, hit.value) if again else there)
            else:
                found += self._parameter(node, name, there)
        return found

    def _loops(self, at: Statement) -> set[cst.CSTNode]:
        return {node for node in self.code.above(at) if isinstance(node, cst.For | cst.While)}

    def _parameter(self, node: cst.BaseExpression, name: str, spot: Spot) -> list[Origin]:
        frame = spot.frame
        given = frame.arguments.get(name)
        if given is None or frame.caller is None or frame.call is None:
            return origin_at(Nature.FOREIGN, node, spot)
        return self.follow(given, replace(spot, frame=frame.caller, at=frame.call, keys={}))

    def _attribute(self, node: cst.Attribute, spot: Spot) -> list[Origin]:
        name = node.attr.value
        if _is_own(dotted(node)):
            return self._variable(node, dotted(node), spot)
        if name in ("T", "mT", "data"):
            return self.follow(node.value, spot)
        return self.follow(node.value, replace(spot, path=(AttributeKey(name), *spot.path)))

    def _subscript(self, node: cst.Subscript, spot: Spot) -> list[Origin]:
        key = key_of(node)
        if key is not None:
            return self.follow(node.value, replace(spot, path=(key, *spot.path)))
        index = node.slice[0].slice
        if len(node.slice) == 1 and isinstance(index, cst.Index):
            known = {**spot.keys, **spot.bindings.keys}.get(dotted(index.value))
            return self.follow(node.value, replace(spot, path=(known, *spot.path)))
        return self.follow(node.value, spot)

    def _is_variable(self, node: cst.BaseExpression, spot: Spot) -> bool:
        """Whether it is a variable or part of one: `inputs`, `inputs["pixel_values"]`, `inputs.pixel_values`.

        The function must be able to assign to it. A dictionary of tensors always counts: it cannot be cast as a whole.
        """
        part = isinstance(node, cst.Subscript) and key_of(node) is not None
        name = dotted(node.value if part and isinstance(node, cst.Subscript) else node)
        root = name if _is_own(name) else name.partition(".")[0]
        if not name or spot.path:
            return bool(name)
        return spot.bindings.source(root) is not None or is_bound(spot.frame, root)

    def _is_changeable(self, name: str, spot: Spot) -> bool:
        """Whether the function may assign to `name`. It may not if `name` belongs to a module or a class.

        Nor if it is an attribute of the loader, unless the followed value passes no other place.
        """
        return is_bound(spot.frame, name) or (_is_own(name) and all(one.shared for one in spot.places))

    # Displays and comprehensions

    def _display(self, node: cst.BaseExpression, spot: Spot, end: bool) -> list[Origin]:
        if not spot.path:
            return []
        step, rest = spot.path[0], replace(spot, path=spot.path[1:])
        match node:
            case cst.Dict(elements=elements):
                return self._dictionary(elements, spot, end)
            case cst.List(elements=elements) | cst.Tuple(elements=elements):
                return self._sequence(elements, spot, end)
            case cst.ListComp(elt=elt, for_in=walk) | cst.GeneratorExp(elt=elt, for_in=walk):
                inside = replace(rest, bindings=spot.bindings.within(walk, {}))
                return self.follow(elt, _shared(inside, inside.at, elt), end=end)
            case cst.DictComp(key=key, value=value, for_in=walk):
                keys = {dotted(key): step} if dotted(key) else {}
                inside = replace(rest, bindings=spot.bindings.within(walk, keys))
                return self.follow(value, _shared(inside, inside.at, value), end=end)
        return []

    def _dictionary(self, elements: Sequence[cst.BaseDictElement], spot: Spot, end: bool) -> list[Origin]:
        step, rest = spot.path[0], replace(spot, path=spot.path[1:])
        found: list[Origin] = []
        for element in reversed(elements):
            if isinstance(element, cst.StarredDictElement):
                found += self.follow(element.value, spot)
            elif key_of_element(element) == step:
                return found + self.follow(element.value, rest, end=end)
            elif step is None:
                found += self.follow(element.value, rest, end=end)
        return found

    def _sequence(self, elements: Sequence[cst.BaseElement], spot: Spot, end: bool) -> list[Origin]:
        step, rest = spot.path[0], replace(spot, path=spot.path[1:])
        if step is None:
            return [one for element in elements for one in self.follow(element.value, rest, end=end)]
        if not isinstance(step, int) or not -len(elements) <= step < len(elements):
            return []
        if any(isinstance(element, cst.StarredElement) for element in elements[: step + 1]):
            return self.follow(elements[0].value, spot)
        return self.follow(elements[step].value, rest, end=end)

    # Operators

    def _either(self, node: cst.IfExp, spot: Spot, end: bool) -> list[Origin]:
        keys = {**spot.keys, **spot.bindings.keys}
        names = frozenset[str]().union(*(walk.names for walk in spot.bindings.walks))
        holds = Conditions(spot.frame, keys, names).holds(node.test)
        taken = {True: [node.body], False: [node.orelse], None: [node.body, node.orelse]}[holds]
        if len(taken) == 1 and spot.places and spot.places[-1].node is node:
            spot = _shared(spot, spot.at, taken[0])
        if end and len(taken) == 1:
            return self.follow(taken[0], spot, end=True)
        if end:
            spot = replace(spot, places=(*spot.places, Place(spot.frame, spot.at, node=node)))
        return [one for branch in taken for one in self.follow(branch, spot)]

    def _arithmetic(self, node: cst.BinaryOperation, spot: Spot) -> list[Origin]:
        """A number keeps the dtype of a floating-point tensor, but not always that of an integer; lists repeat."""
        if isinstance(node.left, cst.List) and spot.path:
            return self.follow(node.left, replace(spot, path=(None, *spot.path[1:])))
        for tensor, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(other, cst.BaseNumber):
                found = self.follow(tensor, spot)
                if not any(one.nature is Nature.INTEGER for one in found):
                    return found
        return origin_at(Nature.FOREIGN, node, spot)


def _shared(spot: Spot, at: Statement, node: cst.BaseExpression) -> Spot:
    return replace(spot, places=(*spot.places, Place(spot.frame, at, node=node, shared=True)))


def _is_own(name: str) -> bool:
    """Whether the name is an attribute of the loader."""
    return name.startswith(("self.", "cls."))
