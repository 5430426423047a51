# SPDX-License-Identifier: Apache-2.0
"""What calls on tensors do to the dtype, as far as the call itself shows."""

from enum import Enum, auto

import libcst as cst

from core.workflows.loader_code.analysis.code import dotted


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_MAKES_FLOATS = frozenset({"zeros", "ones", "empty", "rand", "randn", "eye", "linspace", "logspace"})
_MAKES_WHAT_IT_IS_GIVEN = frozenset({"tensor", "as_tensor", "asarray", "full", "arange", "range"})
_MAKES_INTEGERS = frozenset({"randint", "randperm", "bincount", "tril_indices", "triu_indices", "argmax", "argmin"})
_MAKES_ALIKE = frozenset(f"{name}_like" for name in ("zeros", "ones", "empty", "full", "rand", "randn"))
_MAKES_ALIKE_METHODS = frozenset({"new_zeros", "new_ones", "new_empty", "new_full", "new_tensor"})
SHAPE_METHODS = frozenset(
    [
        "view",
        "reshape",
        "repeat",
        "repeat_interleave",
        "expand",
        "expand_as",
        "permute",
        "transpose",
        "t",
        "unsqueeze",
        "squeeze",
        "flatten",
        "unflatten",
        "contiguous",
        "clone",
        "detach",
        "cpu",
        "cuda",
        "roll",
        "flip",
        "narrow",
        "select",
        "movedim",
        "swapaxes",
        "requires_grad_",
        "pin_memory",
        "copy",
        "view_as",
        "reshape_as",
        "tile",
        "requires_grad",
    ]
)
"""Tensor methods that keep numbers and dtype; those that also copy mappings and lists are among them."""
SHAPE_FUNCTIONS = frozenset(
    [
        "unsqueeze",
        "squeeze",
        "reshape",
        "flatten",
        "permute",
        "transpose",
        "movedim",
        "flip",
        "roll",
        "tile",
        "repeat_interleave",
        "clone",
    ]
)
SPLITTING_METHODS = frozenset({"chunk", "split", "tensor_split", "unbind"})
"""Tensor methods that return several tensors of the same dtype."""
JOINING_FUNCTIONS = frozenset({"cat", "concat", "concatenate", "stack", "hstack", "vstack"})
_FLOAT_DTYPES = _words("float float16 float32 float64 half double bfloat16 FloatTensor HalfTensor DoubleTensor")
_OTHER_DTYPES = _words("long int int8 int16 int32 int64 uint8 short bool LongTensor IntTensor BoolTensor ByteTensor")
_FLOAT_METHODS = frozenset({"float", "half", "double", "bfloat16"})
_INTEGER_METHODS = _words("long int short bool byte char argmax argmin eq ne lt gt le ge")


class Made(Enum):
    """What a call makes, if its own text shows that."""

    FLOATS = auto()
    """A floating-point tensor, in the default dtype unless another is passed."""
    INTEGERS = auto()
    ALIKE = auto()
    """A tensor in the dtype of another one, unless a dtype is passed."""
    EXPLICIT = auto()
    """A floating-point tensor in a dtype that the call spells out."""
    DTYPED = auto()
    """A tensor in a dtype that a variable holds."""


def made_by(call: cst.Call) -> Made | None:
    """What a constructor call makes; None: not a known constructor."""
    name = constructor_name(call)
    if name is None or any(arg.star == "**" for arg in call.args):
        return None
    if (dtype := dtype_argument(call)) is not None and dotted(dtype) != "None":
        return _by_dtype(dtype)
    if name in _MAKES_INTEGERS:
        return Made.INTEGERS
    if name in _MAKES_ALIKE or name in _MAKES_ALIKE_METHODS:
        return Made.ALIKE
    if name in _MAKES_WHAT_IT_IS_GIVEN:
        return Made.INTEGERS if _given_integers(name, call) else Made.FLOATS
    return Made.FLOATS


def constructor_name(call: cst.Call) -> str | None:
    """`zeros` for `torch.zeros(...)` and `new_zeros` for `x.new_zeros(...)`."""
    match call.func:
        case cst.Attribute(value=cst.Name(value="torch"), attr=cst.Name(value=name)):
            known = _MAKES_FLOATS | _MAKES_WHAT_IT_IS_GIVEN | _MAKES_INTEGERS | _MAKES_ALIKE
            return name if name in known else None
        case cst.Attribute(attr=cst.Name(value=name)) if name in _MAKES_ALIKE_METHODS:
            return name
    return None


def alike_source(call: cst.Call) -> cst.BaseExpression | None:
    """The tensor whose dtype a `*_like` or `new_*` call takes."""
    if constructor_name(call) in _MAKES_ALIKE_METHODS and isinstance(call.func, cst.Attribute):
        return call.func.value
    return call.args[0].value if call.args and call.args[0].keyword is None else None


def dtype_argument(call: cst.Call) -> cst.BaseExpression | None:
    """The `dtype` of a constructor call, by keyword or, where torch allows that, by position."""
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == "dtype":
            return arg.value
    plain = [arg for arg in call.args if arg.keyword is None and not arg.star]
    if constructor_name(call) == "as_tensor" and len(plain) > 1:
        return plain[1].value
    return None


def written_dtype(node: cst.BaseExpression) -> Made | None:
    """What `torch.float32` or `torch.long` mean as a dtype; None: something else."""
    name = dotted(node).removeprefix("torch.")
    if not dotted(node).startswith("torch."):
        return None
    if name in _FLOAT_DTYPES:
        return Made.EXPLICIT
    return Made.INTEGERS if name in _OTHER_DTYPES else None


def cast_by_name(method: str) -> Made | None:
    """What `.float()` and similar methods make of a tensor; None: `method` is none of them."""
    if method in _FLOAT_METHODS:
        return Made.EXPLICIT
    return Made.INTEGERS if method in _INTEGER_METHODS else None


def _by_dtype(dtype: cst.BaseExpression) -> Made:
    return written_dtype(dtype) or Made.DTYPED


def _given_integers(name: str, call: cst.Call) -> bool:
    """Whether the numbers in the call are whole, so that torch makes an integer tensor."""
    plain = [arg.value for arg in call.args if arg.keyword is None]
    values = plain[1:] + [arg.value for arg in call.args if arg.keyword and arg.keyword.value == "fill_value"]
    if name in ("arange", "range"):
        return not any(_numbers(value)[1] for value in plain)
    whole, broken = _numbers(*(values if name == "full" else plain))
    return whole and not broken


def _numbers(*nodes: cst.BaseExpression) -> tuple[bool, bool]:
    """Whether there are whole numbers or truth values among the literals, and whether there are others."""
    finder = _Numbers()
    for node in nodes:
        node.visit(finder)
    return finder.whole, finder.broken


class _Numbers(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.whole = self.broken = False

    def visit_Subscript(self, node: cst.Subscript) -> bool:
        return False  # What is in a subscript or a call is not an element.

    def visit_Call(self, node: cst.Call) -> bool:
        return False

    def visit_Integer(self, node: cst.Integer) -> None:
        self.whole = True

    def visit_Name(self, node: cst.Name) -> None:
        self.whole = self.whole or node.value in ("True", "False")

    def visit_Float(self, node: cst.Float) -> None:
        self.broken = True

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        self.broken = self.broken or isinstance(node.operator, cst.Divide)
