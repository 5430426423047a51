# SPDX-License-Identifier: Apache-2.0
"""Record a model's torch calls as cases: the function, the shapes, and the source line."""

from __future__ import annotations

import linecache
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.nn.modules import module as module_hooks
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from .called import last_part, manifest_name, unrepeatable
from .cases import Argument, Case, Tensor
from .names import OpKind, kind_of
from .recorded import NotExpressible, Values, keyword, with_tensors_placed
from .registry import NotAnOp, UnknownOp, resolve

LEVELS = ("torch", "aten")
"""`torch`: functions and methods as the model calls them. `aten`: the aten ops they are made of."""

_TORCH = Path(torch.__file__).parent
_HERE = Path(__file__).parents[2]
_INSTALLED = ("site-packages", "dist-packages")
_CONVERSIONS = frozenset(["to", "type", "type_as", "bfloat16", "half", "float", "double", "copy_", "_to_copy", "view"])
_MOST_FRAMES = 60
_MOST_CODE = 160
"""Most characters of a source line in a description."""


class Recorder:
    """The recording: cases in the order of their first call, and calls that cannot be cases, with the reason."""

    def __init__(self, level: str, dtype: str, root: Path, recorded: Callable[[int], None] | None = None) -> None:
        """`recorded` gets the number of torch calls so far after each call; an exception in it ends the model."""
        self._recorded = recorded
        self._seen = 0
        self._level = level
        self._dtype = dtype
        self._root = root
        self._names: dict[str, str] = {}
        """Display names of files."""
        self._values = Values()
        self._modules: list[str] = []
        self._found: dict[str, tuple[Case, str]] = {}
        self._counts: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        """Reasons such as `torch.rand: random`, with their count."""

    @contextmanager
    def recording(self, model: Any) -> Iterator[None]:
        """Record everything inside the block. Modules of `model` are named in the descriptions."""
        names = {id(one): name for name, one in model.named_modules()} if hasattr(model, "named_modules") else {}

        def enter(module: Any, _: Any) -> None:
            self._modules.append(names.get(id(module), ""))

        def leave(*_: Any) -> None:
            if self._modules:
                self._modules.pop()

        mode = _Functions(self) if self._level == "torch" else _Dispatches(self)
        with ExitStack() as stack:
            stack.callback(module_hooks.register_module_forward_pre_hook(enter).remove)
            stack.callback(module_hooks.register_module_forward_hook(leave, always_call=True).remove)
            stack.enter_context(mode)
            yield

    def cases(self, *, counted: bool = True) -> list[Case]:
        """The cases, numbered by op. Equal calls are one case, with their count if `counted`."""
        numbers: Counter[str] = Counter()
        made = []
        for key, (case, place) in self._found.items():
            numbers[case.op] += 1
            count = self._counts[key]
            text = f"{place}; {count:,} calls" if counted and count > 1 else place
            made.append(case._replace(name=f"{case.op}.{numbers[case.op]}", description=text))
        return made

    @property
    def calls(self) -> int:
        """The number of calls that the cases represent."""
        return sum(self._counts.values())

    def prepare(self, name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Case | str:
        """The case of a call, or why there is none. Must precede the call itself, which may change its arguments."""
        try:
            if name == "torch.t" and args[0].dim() > 2:
                # The property `T` reverses any number of dimensions.
                name, args = "torch.permute", (args[0], tuple(range(args[0].dim()))[::-1])
            if reason := unrepeatable(name, function, args, kwargs) or _refused(name):
                return reason
            if kwargs:
                args, kwargs = with_tensors_placed(name, function, args, kwargs)
            keywords = {key: keyword(key, value) for key, value in kwargs.items() if not key.startswith("_")}
            return Case("", name, self._values.arguments(name, args), keywords, self._dtype)
        except NotExpressible as reason:
            return str(reason)
        except Exception as error:  # noqa: BLE001 - tensors that cannot be read must not end the model
            return f"its arguments cannot be read: {type(error).__name__}"

    def take(self, name: str, prepared: Case | str) -> None:
        """Record a call that was made."""
        if isinstance(prepared, str):
            self.left_out[f"{name}: {prepared}"] += 1
        else:
            key = repr(prepared[1:4])
            self._counts[key] += 1
            if key not in self._found:
                self._found[key] = prepared, self._place()
        if self._recorded is not None:
            self._seen += 1
            self._recorded(self._seen)

    def _place(self) -> str:
        """`path:line in function, code: ...; module layer1.conv`."""
        frame = _foreign_frame(sys._getframe(2))
        module = f"; module {self._modules[-1]}" if self._modules and self._modules[-1] else ""
        if frame is None:
            return module.removeprefix("; ")
        file, line = frame.f_code.co_filename, frame.f_lineno
        code = linecache.getline(file, line).strip()
        code = code if len(code) <= _MOST_CODE else f"{code[:_MOST_CODE]} ..."
        return f"{self._shown(file)}:{line} in {frame.f_code.co_name}, code: {code}{module}"

    def _shown(self, name: str) -> str:
        if name not in self._names:
            self._names[name] = _short(Path(name), self._root)
        return self._names[name]


def _short(file: Path, root: Path) -> str:
    parts = file.parts
    for installed in _INSTALLED:
        if installed in parts:
            return "/".join(parts[parts.index(installed) + 1 :])
    return file.relative_to(root).as_posix() if file.is_relative_to(root) else file.name


class _Functions(TorchFunctionMode):
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name, more = manifest_name(func)
        if not name:
            return func(*args, **kwargs)
        prepared = self._recorder.prepare(name, func, (*args, *more), kwargs)
        result = func(*args, **kwargs)
        if _computes(name, result):
            prepared = _of_result(prepared, result)
            if torch.is_autocast_enabled("cpu") and isinstance(prepared, Case):
                prepared = _without_autocast(prepared, func, args, kwargs, result)
            self._recorder.take(name, prepared)
        return result


class _Dispatches(TorchDispatchMode):
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()
        self._recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = f"torch.ops.{func}"
        prepared = self._recorder.prepare(name, func, args, kwargs)
        result = func(*args, **kwargs)
        if _computes(name, result):
            self._recorder.take(name, _of_result(prepared, result))
        return result


def _of_result(prepared: Case | str, result: Any) -> Case | str:
    """The case, unless its result cannot be compared between two sides."""
    leaves = [result] if isinstance(result, torch.Tensor) else tree_leaves(result)
    if any(isinstance(one, torch.Tensor) and (one.is_nested or one.is_quantized) for one in leaves):
        return "its result is quantised or nested"
    return prepared


def _computes(name: str, result: Any) -> bool:
    """Whether a call counts as an op: it returned or changed a tensor."""
    if isinstance(result, torch.Tensor):
        return True
    changes = result is None and (name.endswith("setitem") or name.rpartition(".")[2].endswith("_"))
    return changes or any(isinstance(one, torch.Tensor) for one in tree_leaves(result))


@cache
def _refused(name: str) -> str:
    """Why manifests cannot contain an op of this name; empty if they can."""
    if kind_of(name) not in (OpKind.OP, OpKind.SPECIAL):
        return "not allowed in manifests"
    try:
        resolve(name)
    except (UnknownOp, NotAnOp):
        return "manifests have no op of this name"
    return ""


def _without_autocast(case: Case, function: Any, args: Any, kwargs: Any, result: Any) -> Case:
    """The same call without autocast: its arguments have the dtypes that autocast gave them."""
    wanted = next((one.dtype for one in tree_leaves(result) if _is_float(one)), None)
    given = {one.dtype for one in tree_leaves((args, kwargs)) if _is_float(one)}
    if wanted is None or given == {wanted} or last_part(case.op) in _CONVERSIONS:
        return case
    # Meta tensors do not detect that an op refuses mixed dtypes.
    if wanted != torch.get_autocast_dtype("cpu") and _gives(wanted, function, args, kwargs):
        return case
    dtype = str(wanted).removeprefix("torch.")
    return case._replace(inputs=tuple(_cast(one, dtype) for one in case.inputs))


def _gives(dtype: torch.dtype, function: Any, args: Any, kwargs: Any) -> bool:
    """Whether a call returns this dtype without autocast, tried on meta tensors, which is cheap."""
    try:
        args, kwargs = tree_map(_without_values, (args, kwargs))
        with torch.autocast("cpu", enabled=False):
            tried = function(*args, **kwargs)
    except Exception:  # noqa: BLE001 - whatever is wrong with the call, as it is it cannot be a case
        return False
    return next((one.dtype for one in tree_leaves(tried) if _is_float(one)), None) == dtype


def _without_values(value: Any) -> Any:
    return value.to("meta") if isinstance(value, torch.Tensor) else value


def _is_float(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _cast(argument: Argument, dtype: str) -> Argument:
    if isinstance(argument, Tensor):
        return argument._replace(dtype=dtype) if getattr(torch, argument.dtype).is_floating_point else argument
    if isinstance(argument, tuple) and argument and isinstance(argument[0], Tensor):
        return tuple(_cast(one, dtype) for one in argument)  # type: ignore[arg-type, misc]
    return argument


def _foreign_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame outside torch and this package."""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return None
        if _is_foreign(frame.f_code.co_filename):
            return frame
        frame = frame.f_back
    return None


@cache
def _is_foreign(name: str) -> bool:
    file = Path(name)
    return file.is_absolute() and not file.is_relative_to(_TORCH) and not file.is_relative_to(_HERE)
