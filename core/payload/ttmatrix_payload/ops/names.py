# SPDX-License-Identifier: Apache-2.0
"""Classify names of ops without torch: which may be looked up, which are not ops, and which are refused.

A name consists of a namespace ("room": `torch`, `torch.nn.functional`, ...) and one name in it. Rooms are listed,
so no name reaches a module that torch happens to import. Names that touch files, processes or libraries are refused.
"""

from __future__ import annotations

import difflib
import enum
import functools
import re
from collections.abc import Iterable

from .known_ops import names_in

ROOMS = (
    "torch",
    "torch.Tensor",
    "torch.nn.functional",
    "torch.special",
    "torch.linalg",
    "torch.fft",
    "torch.functional",
    "torch.ops.aten",
    "torch._C._nn",
    "torch._C._linalg",
    "torch._C._fft",
    "torch._C._special",
)
"""Below `torch.ops.aten` a name may have its overload after a dot: `torch.ops.aten.view.default`."""

_METHODS = """
    bool byte clone contiguous copy_ cpu detach double expand expand_as fill_ float half index_copy_ index_fill_ int
    item long masked_fill_ masked_scatter_ new_empty new_full new_ones new_tensor new_zeros permute repeat reshape_as
    scatter_ scatter_add_ size squeeze t to tolist type type_as unfold unsqueeze view view_as zero_
"""
"""Methods of tensors that recorders write as functions."""
_OPERATORS = """
    getitem setitem truediv floordiv neg invert and_ or_ xor lshift rshift mod iadd isub imul itruediv
    ifloordiv imod ipow ilshift irshift iand ior ixor __ifloordiv__ __imod__ __ipow__ __ilshift__ __irshift__
    __and__ __or__ __xor__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __getitem__ __setitem__ __add__ __radd__ __iadd__
    __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __truediv__ __rtruediv__ __itruediv__ __floordiv__ __rfloordiv__
    __mod__ __rmod__ __pow__ __rpow__ __matmul__ __rmatmul__ __neg__ __invert__ __abs__ __lshift__ __rshift__ __iand__
    __ior__ __ixor__ __rand__ __ror__ __rxor__ __rlshift__ __rrshift__ __pos__
"""
"""Some of these are also in the module object under the same name."""
SPECIAL = frozenset(f"torch.{name}" for name in (*_METHODS.split(), *_OPERATORS.split()))
"""Names that do not mean the attribute of that name, or that exist only in a table."""

_NOT_OPS = re.compile(
    r"torch\.(?:_C\.(?:_log_api_usage\w*|_set_grad_enabled|_functorch\.\w+|_get_\w+|_set_\w+|_autograd\w*|"
    r"_(?:add|remove)_batch_dim|_vmap\w*|_is_\w+|_has_\w+|_InferenceMode|_jit\w*|_dynamo\.\w+|_unset\w*|_push\w*|_pop\w*)|"
    r"(?:amp\.)?(?:autocast_mode\.)?_(?:enter|exit)_autocast|autocast_\w+_nesting|clear_autocast_cache|"
    r"(?:is|set)_autocast\w*|(?:get|set)_autocast\w*|set_grad_enabled|is_grad_enabled|is_inference_mode_enabled|"
    r"_functorch\.\S+|_vmap\w*|vmap|_(?:add|remove)_batch_dim|is_tensor|is_storage|is_floating_point_mode|"
    r"_dynamo\.\S+|compiler\.\S+|overrides\.\S+|jit\.\S+|cuda\.\S+|_assert|_check\w*)"
)
"""Names that tracers record although they compute nothing of the model."""

_REFUSED = re.compile(
    r"(?:load|save|from_file|_?from_blob|compile|fork|wait|import_ir_module\w*|parse_\w+|jit|hub|package|classes|ops|"
    r"(?:get|set|reset|init)_\w*|manual_seed|seed|initial_seed|use_deterministic_algorithms|while_loop|"
    r"prepare_multiprocessing_environment|_?(?:import|load|preload|register|init|overload|disable|enable|functionalize)"
    r"_\w+|_initExtension|_overload|_disable_functionalization|_enable_functionalization|_print|_sync|"
    r"share_memory_?|_share_\w+|_new_shared\w*|storage|untyped_storage|_typed_storage|data_ptr|set_|"
    r"register_\w+|backward|apply_|map_|map2_|module_load|_make_subclass|_make_wrapper_subclass|_backward_hooks|"
    r"__reduce\w*|__setstate__|__torch_function__|__dlpack\w*|from_dlpack|to_dlpack|_to_dlpack|frombuffer|"
    r"handle_torch_function|importlib|os|sys|math|warnings|builtins|ctypes|inspect|platform|textwrap|threading|torch|"
    r"load_library|import_module|system|popen|exec\w*|eval|open)",
)
_PART = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_CHARACTERS = 200


class OpKind(enum.Enum):
    """The class of a name."""

    OP = "op"
    """It may be looked up."""
    SPECIAL = "special"
    """Like `OP`, but resolved by the table instead of as an attribute."""
    NOT_AN_OP = "not-an-op"
    """Recorded by a tracer, but computes nothing."""
    REFUSED = "refused"
    """It is never looked up."""


def kind_of(name: str) -> OpKind:
    """The kind of a name."""
    if len(name) > _MOST_CHARACTERS or not all(map(_PART.fullmatch, name.split("."))):
        return OpKind.REFUSED
    if name in SPECIAL:
        return OpKind.SPECIAL
    if _NOT_OPS.fullmatch(name):
        return OpKind.NOT_AN_OP
    room, last = room_of(name)
    if room in ("torch.Tensor", "torch.ops.aten") and last.split(".")[0] in _OPERATORS.split():
        return OpKind.OP
    if not room or last.startswith("__") or any(map(_REFUSED.fullmatch, last.split("."))):
        return OpKind.REFUSED
    return OpKind.OP


def room_of(name: str) -> tuple[str, str]:
    """A name split into its room and the name inside; two empty texts if it is in no room."""
    room, _, last = name.rpartition(".")
    if room in ROOMS:
        return room, last
    above, _, packet = room.rpartition(".")
    return (above, f"{packet}.{last}") if above == "torch.ops.aten" else ("", "")


def is_known(name: str) -> bool:
    """Whether torch has an op of that name, as far as its public names are listed; also where they are not."""
    room, last = room_of(name)
    known, packet = names_in(room), last.split(".")[0]
    return kind_of(name) is not OpKind.OP or not known or packet in known or packet.startswith("_")


def meant_by(name: str) -> str:
    """The op in the same module that an unknown name is a misspelling of; empty if none is similar."""
    room, last = room_of(name)
    packet, dot, overload = last.partition(".")
    found = nearest(packet, names_in(room))
    return f"{room}.{found}{dot}{overload}" if found else ""


def refusal(name: str) -> str:
    """Why a name is refused, for a person; empty if it is not."""
    if kind_of(name) is not OpKind.REFUSED:
        return ""
    if len(name) > _MOST_CHARACTERS or not all(map(_PART.fullmatch, name.split("."))):
        return f"{name[:60]!r} is not a name of an op, such as torch.add"
    if not room_of(name)[0]:
        return f"{name} is in no module that ops are looked up in ({', '.join(ROOMS)})"
    return f"{name} is not allowed: ops may not touch files, processes, libraries or private parts of torch"


def nearest(name: str, known: Iterable[str]) -> str:
    """The name that was probably meant; empty if none is similar."""
    close = difflib.get_close_matches(name, list(known), 1, 0.8)
    return close[0] if close else ""


_COMMON = """
    abs add addmm all amax amin any arange argmax argmin as_strided baddbmm bitwise_and bitwise_not bitwise_or
    bmm cat ceil chunk clamp clone concat conv1d conv2d conv3d cos cumsum div einsum empty eq erf exp
    expand_dims flatten flip floor floor_divide full full_like gather ge gt index_add index_select isnan
    layer_norm le linspace log log_softmax logical_and logical_not logical_or lt masked_fill masked_scatter
    matmul max maximum mean min minimum mm movedim mul multinomial narrow ne neg nonzero norm ones ones_like
    outer pad polar pow prod rand randn reciprocal relu remainder repeat_interleave reshape roll rsqrt rsub
    scatter select sigmoid sign silu sin softmax sort split sqrt square squeeze stack std sub sum tan tanh
    tensor topk transpose tril triu unbind unflatten unsqueeze var where zeros zeros_like
"""
_COMMON_FUNCTIONAL = """
    adaptive_avg_pool2d avg_pool2d batch_norm conv1d conv2d conv3d conv_transpose2d cross_entropy dropout elu
    embedding gelu glu grid_sample group_norm hardswish instance_norm interpolate layer_norm leaky_relu linear
    log_softmax max_pool2d mish normalize one_hot pad pixel_shuffle relu relu6 rms_norm
    scaled_dot_product_attention sigmoid silu softmax softplus tanh unfold upsample
"""


@functools.lru_cache(maxsize=1)
def common_names() -> tuple[str, ...]:
    """Ops that are common in manifests. Only these are suggested for misspelled names; other ops exist as well."""
    return (
        *sorted(SPECIAL),
        *(f"torch.{name}" for name in _COMMON.split()),
        *(f"torch.nn.functional.{name}" for name in _COMMON_FUNCTIONAL.split()),
        *(f"torch.Tensor.{name}" for name in _METHODS.split()),
    )


def nearest_op(name: str) -> str:
    """The op that was probably meant; empty if none is similar, or if the name is refused on purpose."""
    if room_of(name)[0]:
        return nearest(name, common_names()) if kind_of(name) is not OpKind.REFUSED else ""
    last = name.rpartition(".")[2]
    return nearest(f"torch.{last}", common_names()) or nearest(f"torch.nn.functional.{last}", common_names())
