# SPDX-License-Identifier: Apache-2.0
"""Facts about torch, numpy and jax without importing them: which of their values have a name, and their texts."""

import math

from core.python.values import External, Unknown, Value


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TORCH_DTYPES = _words(
    """bfloat16 bool complex32 complex64 complex128 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32
    uint64 qint8 qint32 quint8 quint4x2 quint2x4 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz
    float8_e8m0fnu float4_e2m1fn_x2 bits8 bits16"""
)
_TORCH_ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "chalf": "complex32",
    "cfloat": "complex64",
    "cdouble": "complex128",
}
_TORCH_PLAIN = _words(
    """strided sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc contiguous_format channels_last channels_last_3d
    preserve_format per_tensor_affine per_channel_affine"""
)
"""Values of torch that are neither dtypes nor functions, and have no `__name__`."""
_SCALARS = _words(
    """int2 int4 int8 int16 int32 int64 uint2 uint4 uint8 uint16 uint32 uint64 float16 float32 float64 bfloat16
    complex64 complex128 float8_e4m3fn float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2 float8_e5m2fnuz"""
)
"""Scalar types of numpy and jax whose `__name__` is the name they are accessed by."""
_FUNCTION_HOMES = ("torch", "torch.nn.functional", "torch.nn", "jax.numpy", "jax.lax", "jax.nn", "operator", "math")
_OTHER_NAMES = _words(
    """torch.nn.functional.logsigmoid torch.nn.functional.threshold torch.sym_sqrt torch.symeig torch.to_dlpack
    torch.bit torch.jagged torch.default_generator torch.Storage jax.nn.swish jax.nn.hard_swish jax.lax.cond
    jax.lax.dtype jax.numpy.ndarray jax.numpy.mgrid jax.numpy.ogrid"""
)
"""Values whose `__name__` differs from the name they are accessed by, or is missing."""
_CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi, "e": math.e, "newaxis": None}
_NAMELESS_CALLS = _words(
    """torch.tensor torch.rand torch.randn torch.randint torch.zeros torch.ones torch.full torch.empty torch.arange
    torch.eye torch.linspace numpy.array numpy.zeros numpy.ones numpy.arange jax.numpy.array jax.numpy.zeros
    jax.numpy.ones jax.numpy.arange functools.partial torch.device"""
)
_TENSOR_METHODS = _words(
    """abs bfloat16 bool clone contiguous cpu detach double expand flatten float half int long permute repeat
    requires_grad_ reshape squeeze sum t to transpose type unsqueeze view"""
)
"""Methods of tensors that return tensors."""
_HARMLESS = _words("torch numpy jax math os sys pathlib functools itertools operator re transformers flax")


def constant(external: External) -> Value:
    """The number that it names, else itself; a dtype of torch under its own name."""
    head, _, last = external.name.rpartition(".")
    if head == "torch" and last in _TORCH_ALIASES:
        return External(f"torch.{_TORCH_ALIASES[last]}")
    if external.name == "typing.TYPE_CHECKING":
        return False
    return _CONSTANTS.get(last, external) if head in ("math", "torch", "numpy", "jax.numpy") else external


def torch_dtype(external: External) -> str:
    """The dtype's own name, for a dtype of torch; else empty."""
    head, _, last = external.name.rpartition(".")
    return last if head == "torch" and last in _TORCH_DTYPES else ""


def name_of(external: External) -> str | None:
    """Its `__name__`; None: it has none. Raises Unknown if that is not known."""
    head, _, last = external.name.rpartition(".")
    if external.is_module:
        return external.name
    if head == "builtins":
        return last
    if torch_dtype(external) or (head == "torch" and last in _TORCH_PLAIN):
        return None
    if last in _SCALARS and head in ("jax.numpy", "numpy"):
        return last
    if head in _FUNCTION_HOMES and external.name not in _OTHER_NAMES and not last.isupper() and last[-1:] not in "_":
        return last
    raise Unknown(f"the name of {external.name} is not known without importing it")


def text_of(external: External) -> str:
    """Its text, as from `str`. Raises Unknown."""
    head, _, last = external.name.rpartition(".")
    if dtype := torch_dtype(external):
        return f"torch.{dtype}"
    if head == "builtins":
        return f"<class '{last}'>"
    if last in _SCALARS and head in ("jax.numpy", "numpy"):
        return f"<class '{external.name}'>"
    raise Unknown(f"the text of {external.name} is not known without importing it")


def same(left: External, right: External) -> bool:
    """Whether both are the same object. Raises Unknown if two names may be of one object."""
    if left == right:
        return True
    if torch_dtype(left) and torch_dtype(right):
        return False
    names = name_of(left), name_of(right)
    if names[0] == names[1]:
        raise Unknown(f"whether {left.name} and {right.name} are one is not known")
    return False


def tensor_method(name: str) -> External | None:
    """A method of a tensor that returns a tensor; None: it may return something else."""
    return External(f"torch.Tensor.{name}") if name in _TENSOR_METHODS else None


def nameless_result(external: External) -> bool:
    """Whether the result of calling it is known to have no `__name__`."""
    return external.name in _NAMELESS_CALLS or external.name.startswith("torch.Tensor.")


def leaves_alone(external: External) -> bool:
    """Whether calling it leaves the collections among its arguments unchanged."""
    return external.name.partition(".")[0] in _HARMLESS
