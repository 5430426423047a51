# SPDX-License-Identifier: Apache-2.0
"""Run `load_inputs` of a loader with shadows for torch and all other imports, to see the dtype of each input.

It is independent of the code it judges: control flow is Python's own, and a shadow knows only its dtype.
"""

import ast
import builtins
import enum
import importlib
import math
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_MADE = frozenset(
    {"zeros", "ones", "empty", "rand", "randn", "eye", "linspace", "tensor", "as_tensor", "full", "Tensor"}
)
_INTEGERS = frozenset({"randint", "randperm", "arange", "argmax"})
_JOINED = frozenset({"cat", "concat", "stack", "hstack", "vstack"})
_REAL = sys.stdlib_module_names - {"os", "subprocess", "sys", "urllib", "importlib", "tempfile", "shutil"}


class DType:
    """One of torch's dtypes."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_floating_point = "float" in name

    def __repr__(self) -> str:
        return self.name


DTYPES = {
    name: DType(name) for name in ("float32", "bfloat16", "float16", "float64", "int64", "int32", "uint8", "bool")
}
DTYPES.update(long=DTYPES["int64"], float=DTYPES["float32"], half=DTYPES["float16"], int=DTYPES["int32"])
FLOAT, OVERRIDE, INTEGER = DTYPES["float32"], DTYPES["bfloat16"], DTYPES["int64"]


class Shadow:
    """Replaces a tensor, a mapping of tensors, or any other foreign object."""

    def __init__(self, dtype: DType = FLOAT, owner: "Shadow | None" = None, name: str = "") -> None:
        self.dtype = dtype
        self.shape = (2, 3, 4, 5)
        self.parts: dict[Any, Any] = {}
        self.owner, self.name = owner, name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.parts.setdefault(name, Shadow(self.dtype, self, name))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.owner is None:
            return Shadow(_given(args, kwargs) or FLOAT)
        name, owner = self.name, self.owner
        if name in ("to", "type"):
            return owner.cast(_given(args, kwargs) or owner.dtype)
        if name in DTYPES:
            return owner.cast(DTYPES[name])
        if name == "items":
            return [(key, owner[key]) for key in owner]
        if name in ("get", "pop"):
            return owner[args[0]]
        if name == "update":
            owner.parts.update(*args, **kwargs)
            return None
        return Shadow(_given(args, kwargs) or owner.dtype)

    def cast(self, dtype: DType) -> "Shadow":
        made = Shadow(dtype)
        made.parts = {key: one.cast(dtype) for key, one in self.tensors().items()}
        return made

    def tensors(self) -> "dict[Any, Shadow]":
        """The parts that were read or set by key."""
        return {key: one for key, one in self.parts.items() if isinstance(one, Shadow) and one.owner is None}

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str | int):
            found = self.parts.get(key)
            if found is None or (isinstance(found, Shadow) and found.owner is not None):
                # Read as an attribute before: the same part under its other name.
                self.parts[key] = Shadow(found.dtype if found is not None else self.dtype)
            return self.parts[key]
        return Shadow(self.dtype)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(key, str | int):
            self.parts[key] = value

    def __setattr__(self, name: str, value: Any) -> None:
        if "parts" in self.__dict__ and name not in ("dtype", "shape", "owner", "name"):
            self.parts[name] = value
        else:
            object.__setattr__(self, name, value)

    def __iter__(self) -> Iterator[Any]:
        return iter([key for key in self.tensors() if isinstance(key, str)] or ["pixel_values", "input_ids"])

    def __len__(self) -> int:
        return 2

    def __contains__(self, key: object) -> bool:
        return True

    def __bool__(self) -> bool:
        return True

    def __index__(self) -> int:
        return 2

    def __float__(self) -> float:
        return 2.0

    def __fspath__(self) -> str:
        return "/shadow"

    def __hash__(self) -> int:
        return id(self)

    def __enter__(self) -> "Shadow":
        return self

    def __exit__(self, *raised: object) -> None:
        return None

    def _with(self, other: Any = None) -> "Shadow":
        wide = isinstance(other, Shadow) and FLOAT in (self.dtype, other.dtype)
        return Shadow(FLOAT if wide else self.dtype)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _with
    __floordiv__ = __rfloordiv__ = __mod__ = __pow__ = __matmul__ = __neg__ = _with

    def _compared(self, other: object) -> bool:
        return False

    __lt__ = __gt__ = __le__ = __ge__ = _compared


class Torch(Shadow):
    """Replaces the module torch."""

    def __init__(self) -> None:
        super().__init__()
        self.parts |= {**DTYPES, "Tensor": Shadow, "dtype": DType, "is_tensor": lambda one: isinstance(one, Shadow)}
        self.parts["float"] = FLOAT
        nn = Shadow()
        nn.parts["Module"] = object
        self.parts["nn"] = nn
        self.parts["Module"] = object
        self.parts["is_floating_point"] = lambda one: one.dtype.is_floating_point

    def __getattr__(self, name: str) -> Any:
        if name in self.parts or name.startswith("__"):
            return super().__getattr__(name)
        return lambda *args, **kwargs: _function(name, args, kwargs)


def _function(name: str, args: Any, kwargs: Any) -> Shadow:
    given = kwargs.get("dtype") or _given(args, {})
    if name in _INTEGERS or (name == "full" and type(args[1]) is int) or (name == "tensor" and _whole(args[0])):
        return Shadow(given or INTEGER)
    if name in _MADE:
        return Shadow(given or FLOAT)
    if name in _JOINED:
        dtypes = [one.dtype for one in args[0]] if isinstance(args[0], list | tuple) else [args[0].dtype]
        return Shadow(FLOAT if FLOAT in dtypes else dtypes[0])
    first = next((one for one in args if isinstance(one, Shadow)), None)
    return Shadow(given or (first.dtype if first is not None else FLOAT))


def _whole(data: Any) -> bool:
    if isinstance(data, list | tuple):
        return bool(data) and all(_whole(one) for one in data)
    return type(data) in (int, bool)


def _given(args: Any, kwargs: Any) -> DType | None:
    return next((one for one in (*args, *kwargs.values()) if isinstance(one, DType)), None)


class _Base:
    _VARIANTS: typing.ClassVar[dict[Any, Any]] = {}

    def __init__(self, variant: Any = None) -> None:
        self._variant = variant
        self._variant_config = self._VARIANTS.get(variant) or Shadow()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Shadow()


@dataclass
class _Config:
    pretrained_model_name: Any


@dataclass
class _LongConfig(_Config):
    max_length: Any = 8


class _Imports(ast.NodeTransformer):
    """Turns imports into shadows, and unpacking into access by index."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        return [_bind(alias.asname or alias.name.split(".")[0], alias.name, "") for alias in node.names]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        module = "" if node.level else node.module or ""
        return [_bind(alias.asname or alias.name, module, alias.name) for alias in node.names if alias.name != "*"]

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        if isinstance(node.targets[0], ast.Tuple) and not any(
            isinstance(one, ast.Starred) for one in node.targets[0].elts
        ):
            number = ast.Constant(len(node.targets[0].elts))
            node.value = ast.Call(ast.Name("_taken_apart", ast.Load()), [node.value, number], [])
        return node


def _bind(name: str, module: str, member: str) -> ast.stmt:
    call = ast.Call(ast.Name("_imported", ast.Load()), [ast.Constant(module), ast.Constant(member)], [])
    return ast.Assign([ast.Name(name, ast.Store())], call)


def _taken_apart(value: Any, number: int) -> Any:
    return [value[index] for index in range(number)] if isinstance(value, Shadow) else value


def _imported(torch: Torch, bases: set[str], module: str, member: str) -> Any:
    top = module.split(".")[0]
    if member in bases and top not in _REAL - {"enum"}:
        known = {"StrEnum": enum.StrEnum, "ForgeModel": _Base, "ForgePrefillModel": _Base, "ModelConfig": _Config}
        known |= {"LLMModelConfig": _LongConfig, "Enum": enum.StrEnum}
        return known.get(member) or type(member, (_Base,), {})
    if top == "torch":
        return torch if not member else getattr(torch, member)
    if top in _REAL and top:
        real = importlib.import_module(module)
        return getattr(real, member) if member else sys.modules[top]
    return Shadow()


def input_dtypes(source: str, variants: int = 40) -> dict[str, dict[str, str]]:
    """The dtype of each input under bfloat16, by variant (empty: none) and by the name the CPU repro gives it.

    Variants that fail among shadows are left out; if all do, raises the error of the last one.
    """
    tree = ast.fix_missing_locations(_Imports().visit(ast.parse(source)))
    bases = {
        node.id
        for cls in ast.walk(tree)
        if isinstance(cls, ast.ClassDef)
        for node in cls.bases
        if isinstance(node, ast.Name)
    }
    torch = Torch()
    names: dict[str, Any] = {"__name__": "shadowed", "__file__": "/shadow/loader.py"}
    names["_imported"] = lambda module, member: _imported(torch, bases, module, member)
    names["_taken_apart"] = _taken_apart
    names["iter"] = lambda one: one if isinstance(one, Shadow) else builtins.iter(one)
    names["next"] = lambda one, *rest: Shadow() if isinstance(one, Shadow) else builtins.next(one, *rest)
    names["print"] = names["open"] = lambda *args, **kwargs: Shadow()
    names["math"] = math
    exec(compile(tree, "loader.py", "exec"), names)
    loader = names["ModelLoader"]
    found: dict[str, dict[str, str]] = {}
    problem: Exception | None = None
    for variant in list(loader._VARIANTS)[:variants] or [None]:
        try:
            inputs = loader(variant).load_inputs(dtype_override=OVERRIDE)
            found[str(variant or "")] = {name: dtype.name for name, dtype in _leaves(inputs)}
        except Exception as error:  # noqa: BLE001 - what is no tensor casts no shadow worth the name
            problem = error
    if problem is not None and not found:
        raise problem
    return found


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, DType]]:
    if isinstance(value, Shadow):
        value = {key: part for key, part in value.tensors().items() if isinstance(key, str)} or value
    if isinstance(value, Shadow):
        yield name or "tensor", value.dtype
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _leaves(part, f"{name}[{index}]")
