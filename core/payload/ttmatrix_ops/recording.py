# SPDX-License-Identifier: Apache-2.0
"""The calls of torch that a model makes, as cases: what was called, with which shapes, and from which line."""

from __future__ import annotations

import inspect
import linecache
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import torch
from torch.nn.modules import module as module_hooks
from torch.overrides import TorchFunctionMode, get_testing_overrides, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .cases import Argument, Case, DeviceName, DtypeName, FormatName, Tensor, Value
from .names import SPECIAL, OpKind, kind_of

LEVELS = ("torch", "aten")
"""`torch`: functions and methods as the model calls them. `aten`: what these come down to."""
MOST_STORED = 64
"""Elements of a tensor of integers or booleans that are written one by one; of a larger one, their bounds."""

_UNDER_TEST = "cuda:0"
"""How manifests write the device under test."""
_TORCH = Path(torch.__file__).parent
_HERE = Path(__file__).parents[1]
_INSTALLED = ("site-packages", "dist-packages")
_MOST_FRAMES = 60
_DUNDERS = frozenset({"getitem", "setitem", "invert", "floordiv", "truediv", "neg", "lshift", "rshift", "mod", "xor"})
_PROPERTIES: Mapping[str, tuple[str, tuple[object, ...]]] = {
    "T": ("torch.t", ()),
    "mT": ("torch.transpose", (-2, -1)),
    "real": ("torch.real", ()),
    "imag": ("torch.imag", ()),
}
"""Properties that are ops, with the arguments that say the same."""
_AS_METHOD = frozenset({"where", "stft", "istft", "unflatten"})
"""Methods whose function of that name takes its arguments in another order."""
_RANDOM = frozenset(
    [
        "rand",
        "randn",
        "randint",
        "randperm",
        "rand_like",
        "randn_like",
        "randint_like",
        "normal",
        "bernoulli",
        "multinomial",
        "poisson",
        "binomial",
        "uniform_",
        "normal_",
        "random_",
        "exponential_",
        "bernoulli_",
        "geometric_",
        "cauchy_",
        "log_normal_",
        "empty",
        "empty_like",
        "empty_strided",
        "new_empty",
        "new_empty_strided",
        "empty_permuted",
        "resize_",
    ]
)
_WHEN_TRAINING = frozenset(
    [
        "dropout",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "alpha_dropout",
        "feature_alpha_dropout",
        "feature_dropout",
        "rrelu",
        "native_dropout",
    ]
)


class NotExpressible(Exception):
    """A call that no case can say."""


class Recorder:
    """What was recorded: cases in the order of their first call, and calls that are no case, with the reason."""

    def __init__(self, level: str, dtype: str, root: Path) -> None:
        self._level = level
        self._dtype = dtype
        self._root = root
        self._modules: list[str] = []
        self._found: dict[str, tuple[Case, str]] = {}
        self._counts: Counter[str] = Counter()
        self.left_out: Counter[str] = Counter()
        """`torch.rand: random`, by how often."""

    @contextmanager
    def recording(self, model: Any) -> Iterator[None]:
        """Record what happens inside. Modules of `model` are named in the descriptions."""
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

    def cases(self) -> list[Case]:
        """The cases, numbered by op. Equal calls are one, with their count."""
        numbers: Counter[str] = Counter()
        made = []
        for key, (case, place) in self._found.items():
            numbers[case.op] += 1
            count = self._counts[key]
            text = f"{place}; {count:,} calls" if count > 1 else place
            made.append(case._replace(name=f"{case.op}.{numbers[case.op]}", description=text))
        return made

    @property
    def calls(self) -> int:
        """How many calls the cases are of."""
        return sum(self._counts.values())

    def prepare(self, name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Case | str:
        """The case of a call, or why there is none. To be asked for before the call: it may change its arguments."""
        try:
            if reason := unrepeatable(name, function, args, kwargs):
                return reason
            if name == "torch.t" and args[0].dim() > 2:
                return "more than two dimensions"
            if kind_of(name) not in (OpKind.OP, OpKind.SPECIAL):
                return "not allowed in manifests"
            args, kwargs = _positional(function, args, kwargs)
            keywords = {key: _keyword(key, value) for key, value in kwargs.items() if not key.startswith("_")}
            return Case("", name, tuple(map(_argument, args)), keywords, self._dtype)
        except NotExpressible as reason:
            return str(reason)

    def take(self, name: str, prepared: Case | str) -> None:
        """Record a call that was made."""
        if isinstance(prepared, str):
            self.left_out[f"{name}: {prepared}"] += 1
            return
        key = repr(prepared)
        self._counts[key] += 1
        if key not in self._found:
            self._found[key] = prepared, self._place()

    def _place(self) -> str:
        """`path:line in function, code: ...; module layer1.conv`."""
        frame = _foreign_frame(sys._getframe(2))
        module = f"; module {self._modules[-1]}" if self._modules and self._modules[-1] else ""
        if frame is None:
            return module.removeprefix("; ")
        file, line = frame.f_code.co_filename, frame.f_lineno
        code = linecache.getline(file, line).strip()
        return f"{self._shown(Path(file))}:{line} in {frame.f_code.co_name}, code: {code}{module}"

    def _shown(self, file: Path) -> str:
        parts = file.parts
        for installed in _INSTALLED:
            if installed in parts:
                return "/".join(parts[parts.index(installed) + 1 :])
        return file.relative_to(self._root).as_posix() if file.is_relative_to(self._root) else file.name


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
            self._recorder.take(name, prepared)
        return result


class _Dispatches(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, recorder: Recorder) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._recorder = recorder

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = f"torch.ops.{func}"
        prepared = self._recorder.prepare(name, func, args, kwargs)
        result = func(*args, **kwargs)
        if _computes(name, result):
            self._recorder.take(name, prepared)
        return result


def manifest_name(function: Any) -> tuple[str, tuple[object, ...]]:
    """What manifests call a function, with the arguments that the name leaves out; empty for what is no op."""
    name = resolve_name(function) or ""
    method = name.removeprefix("torch.Tensor.")
    if method == name:
        # Functions of C have a module of their own that `torch` re-exports.
        return ("", ()) if kind_of(name) is OpKind.NOT_AN_OP else (name, ())
    if method.endswith(".__get__"):
        return _PROPERTIES.get(method.removesuffix(".__get__"), ("", ()))
    if method.endswith((".__set__", ".__delete__")):
        return "", ()
    bare = method.strip("_") if method.startswith("__") else method
    for candidate in (f"torch.{bare}" if bare in _DUNDERS else "", f"torch.{method}"):
        if candidate in SPECIAL:
            return candidate, ()
    if callable(getattr(torch, method, None)) and method not in _AS_METHOD and not method.startswith("_"):
        return f"torch.{method}", ()
    return name, ()


def _computes(name: str, result: Any) -> bool:
    """Whether a call is an op: it gave a tensor, or changed one."""
    changes = result is None and (name.endswith("setitem") or name.rpartition(".")[2].endswith("_"))
    return changes or any(isinstance(one, torch.Tensor) for one in tree_leaves(result))


def unrepeatable(name: str, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Why the call would give something else each time; empty where it would not."""
    parts = name.split(".")
    last = parts[3] if name.startswith("torch.ops.aten.") else parts[-1]
    if last in _RANDOM:
        return "random or uninitialised values"
    named = _by_name(function, args, kwargs)
    training = named.get("training", named.get("train"))
    if last in _WHEN_TRAINING and training is not False:
        return "random values in training"
    return "random values: dropout_p" if named.get("dropout_p") else ""


def _parameters(function: Any) -> list[tuple[str, object]]:
    """The names of a function's parameters with their defaults; empty where nobody knows."""
    if isinstance(function, torch._ops.OpOverload):
        return [
            (one.name, one.default_value if one.has_default_value() else _REQUIRED)
            for one in function._schema.arguments
        ]
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        known = get_testing_overrides().get(function)
        if known is None:
            return []
        signature = inspect.signature(known)
    empty = inspect.Parameter.empty
    return [(one.name, _REQUIRED if one.default is empty else one.default) for one in signature.parameters.values()]


_REQUIRED = object()


def _by_name(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    if not {"dropout_p", "training", "train"} & {name for name, _ in _parameters(function)}:
        return dict(kwargs)
    return {**{name: value for (name, _), value in zip(_parameters(function), args, strict=False)}, **kwargs}


def _positional(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """The same call, its tensors among the positional arguments: keywords of manifests hold no tensors."""
    tensors = {
        name for name, value in kwargs.items() if any(isinstance(one, torch.Tensor) for one in tree_leaves(value))
    }
    if not tensors:
        return args, kwargs
    if "out" in tensors:
        raise NotExpressible("it writes into a tensor given as out")
    rest, placed = dict(kwargs), list(args)
    for name, default in _parameters(function)[len(args) :]:
        if not tensors & rest.keys():
            break
        value = rest.pop(name, default)
        if value is _REQUIRED:
            break
        placed.append(value)
    if tensors & rest.keys():
        raise NotExpressible(f"the keyword argument {min(tensors & rest.keys())} is a tensor")
    return placed, rest


def _argument(value: Any) -> Argument:
    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(one, torch.Tensor) for one in value):
        return tuple(map(_tensor, value))
    return Value(_value(value))


def _keyword(name: str, value: Any) -> object:
    if name == "device" and value is not None:
        # A factory must make its tensor on the side that is tested.
        return DeviceName(_UNDER_TEST)
    return _value(value)


def _value(value: Any) -> object:
    if value is None or value is Ellipsis or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, torch.dtype):
        return DtypeName(str(value).removeprefix("torch."))
    if isinstance(value, (torch.memory_format, torch.layout)):
        return FormatName(str(value).removeprefix("torch."))
    if isinstance(value, torch.device):
        return DeviceName(_UNDER_TEST)
    if isinstance(value, slice):
        return slice(*(_value(one) for one in (value.start, value.stop, value.step)))
    if isinstance(value, tuple):
        return tuple(map(_value, value))
    if isinstance(value, list):
        return [_value(one) for one in value]
    if isinstance(value, torch.Tensor):
        raise NotExpressible("tensors and other values in one argument")
    raise NotExpressible(f"an argument is of type {type(value).__name__}")


def _tensor(tensor: torch.Tensor) -> Tensor:
    if tensor.layout is not torch.strided or tensor.is_quantized or tensor.is_complex():
        raise NotExpressible("a tensor is sparse, quantised or complex")
    dtype = str(tensor.dtype).removeprefix("torch.")
    shape = tuple(tensor.shape)
    stride, offset = (None, 0) if tensor.is_contiguous() else (tuple(tensor.stride()), int(tensor.storage_offset()))
    init, arguments, data = _values(tensor)
    return Tensor(shape, dtype, init, arguments, data, stride=stride, storage_offset=offset, contiguous=stride is None)


def _values(tensor: torch.Tensor) -> tuple[str, dict[str, object], object]:
    """How to fill a tensor like this one: where values decide what happens they are stored, or their bounds."""
    if tensor.dtype.is_floating_point:
        return ("rand" if tensor.numel() and bool((tensor >= 0).all()) else "randn"), {}, None
    # Elements that share their place cannot be written one by one.
    if tensor.numel() <= MOST_STORED and 0 not in tensor.stride():
        return "data", {}, tensor.tolist()
    if tensor.dtype is torch.bool:
        return "rand", {}, None
    return "randint", {"low": int(tensor.min()), "high": int(tensor.max()) + 1}, None


def _foreign_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that is neither torch's nor ours."""
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return None
        file = Path(frame.f_code.co_filename)
        if file.is_absolute() and not file.is_relative_to(_TORCH) and not file.is_relative_to(_HERE):
            return frame
        frame = frame.f_back
    return None
