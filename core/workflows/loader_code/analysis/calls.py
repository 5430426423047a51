# SPDX-License-Identifier: Apache-2.0
"""Follow tensors through calls: constructors, functions of the same file, and what torch does to a tensor."""

from dataclasses import replace
from typing import Protocol

import libcst as cst

from core.workflows.loader_code.analysis.code import Code, constant, dotted
from core.workflows.loader_code.analysis.frames import Frame, Path, entered, mentions
from core.workflows.loader_code.analysis.origin import Nature, Origin, Place, Spot, origin_at
from core.workflows.loader_code.analysis.tensors import (
    JOINING_FUNCTIONS,
    SHAPE_FUNCTIONS,
    SHAPE_METHODS,
    SPLITTING_METHODS,
    Made,
    alike_source,
    cast_by_name,
    dtype_argument,
    made_by,
    written_dtype,
)

_MOST_CALLS = 8
_NO_VALUES = frozenset({"torch", "np", "numpy", "F", "self", "super", "transforms"})


class Follower(Protocol):
    """Resolves the code around a call; `Calls` asks it for operands and return values."""

    def follow(self, node: cst.BaseExpression, spot: Spot) -> list[Origin]:
        """Where the value of `node` may come from."""
        ...

    def returned(self, frame: Frame, path: Path, places: tuple[Place, ...]) -> list[Origin]:
        """Where what a function returns may come from."""
        ...


class Calls:
    """Follows the values of calls."""

    def __init__(self, code: Code, follower: Follower) -> None:
        self.code = code
        self.follower = follower

    def follow(self, call: cst.Call, spot: Spot) -> list[Origin]:
        if (made := made_by(call)) is not None and spot.indexed:
            return self._made(made, call, spot)
        function = self._callee(call, spot.frame)
        if function is not None and isinstance(function.body, cst.IndentedBlock):
            frame = entered(function, call, spot.frame, spot.at)
            return self.follower.returned(frame, spot.path, spot.places)
        found = self._builtin(call, spot) or self._torch_function(call, spot) or self._method(call, spot)
        if found is not None:
            return found
        given = any(mentions(arg.value, spot.frame.aware) for arg in call.args)
        return origin_at(Nature.PASSED if given else Nature.FOREIGN, call, spot)

    def _callee(self, call: cst.Call, frame: Frame) -> cst.FunctionDef | None:
        """The function of this file that is called."""
        if frame.depth >= _MOST_CALLS:
            return None
        match call.func:
            case cst.Name(value=name):
                return self.code.functions.get(name)
            case cst.Attribute(value=cst.Name(value="self" | "cls"), attr=cst.Name(value=name)):
                return self.code.method(frame.cls, name)
            case cst.Attribute(value=cst.Name(value=cls), attr=cst.Name(value=name)):
                return self.code.method(cls, name)
        return None

    def _made(self, made: Made, call: cst.Call, spot: Spot) -> list[Origin]:
        match made:
            case Made.FLOATS:
                return origin_at(Nature.UNTOLD, call, spot)
            case Made.INTEGERS:
                return origin_at(Nature.INTEGER, call, spot)
            case Made.ALIKE:
                return origin_at(self._alike(call, spot), call, spot)
            case Made.DTYPED:
                return origin_at(self._dtyped(dtype_argument(call), spot.frame), call, spot)
        return origin_at(Nature.FOREIGN, call, spot)

    def _alike(self, call: cst.Call, spot: Spot) -> Nature:
        source = alike_source(call)
        natures = {one.nature for one in self.follower.follow(source, spot)} if source is not None else set()
        for nature in (Nature.AWARE, Nature.PASSED, Nature.INTEGER):
            if natures == {nature}:
                return nature
        return Nature.UNTOLD

    def _dtyped(self, dtype: cst.BaseExpression | None, frame: Frame) -> Nature:
        """The nature of a tensor by its dtype, which is no literal, but may be a parameter with a literal argument."""
        if dtype is None or mentions(dtype, frame.aware):
            return Nature.AWARE
        given = frame.arguments.get(dotted(dtype))
        if given is None or frame.caller is None:
            return Nature.FOREIGN
        written = written_dtype(given)
        if written is not None:
            return Nature.INTEGER if written is Made.INTEGERS else Nature.FOREIGN
        return self._dtyped(given, frame.caller)

    def _builtin(self, call: cst.Call, spot: Spot) -> list[Origin] | None:
        """`dict(image=image)`, `list(tensors)`."""
        name = dotted(call.func)
        if name in ("dict", "OrderedDict") and any(arg.keyword is not None for arg in call.args):
            for arg in call.args:
                if arg.keyword is not None and spot.path[:1] == (arg.keyword.value,):
                    return self.follower.follow(arg.value, replace(spot, path=spot.path[1:]))
        if name in ("dict", "list", "tuple", "OrderedDict") and call.args and call.args[0].keyword is None:
            return self.follower.follow(call.args[0].value, spot)
        return None

    def _torch_function(self, call: cst.Call, spot: Spot) -> list[Origin] | None:
        """`torch.cat([a, b])`, of which all parts are followed, and `torch.unsqueeze(x, 0)`."""
        name = dotted(call.func)
        if not name.startswith("torch.") or not call.args or not spot.indexed:
            return None
        name, first = name.removeprefix("torch."), call.args[0].value
        if name in JOINING_FUNCTIONS:
            found = self.follower.follow(first, replace(spot, path=(None,)))
            return found or origin_at(Nature.FOREIGN, call, spot)
        return self.follower.follow(first, spot) if name in SHAPE_FUNCTIONS else None

    def _method(self, call: cst.Call, spot: Spot) -> list[Origin] | None:
        if not isinstance(call.func, cst.Attribute) or dotted(call.func.value) in _NO_VALUES:
            return None
        name, value = call.func.attr.value, call.func.value
        if name in ("get", "pop") and call.args and (step := _literal(call.args[0])) is not None:
            return self.follower.follow(value, replace(spot, path=(step, *spot.path)))
        if name in ("to", "type"):
            return self._converted(call, value, spot)
        if name in SHAPE_METHODS:
            return self.follower.follow(value, spot)
        if name in SPLITTING_METHODS and spot.path:
            return self.follower.follow(value, replace(spot, path=spot.path[1:]))
        if (made := cast_by_name(name)) is not None:
            return origin_at(Nature.INTEGER if made is Made.INTEGERS else Nature.FOREIGN, call, spot)
        return None

    def _converted(self, call: cst.Call, value: cst.BaseExpression, spot: Spot) -> list[Origin]:
        """`x.to(...)`: to a dtype, or only to a device."""
        given = [arg.value for arg in call.args if arg.keyword is None or arg.keyword.value in ("dtype", "other")]
        for one in given:
            if mentions(one, spot.frame.aware):
                return origin_at(Nature.AWARE, call, spot)
            if (made := written_dtype(one)) is not None:
                return origin_at(Nature.INTEGER if made is Made.INTEGERS else Nature.FOREIGN, call, spot)
            if dotted(one).endswith("dtype"):
                return origin_at(self._dtyped(one, spot.frame), call, spot)
        return self.follower.follow(value, spot)


def _literal(arg: cst.Arg) -> str | int | None:
    return constant(arg.value)
