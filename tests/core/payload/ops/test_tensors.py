# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.tensors: the same values for the same seed, in the layout that is asked for."""

import hashlib
import importlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

torch: Any = pytest.importorskip("torch")
tensors: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.tensors")
cases: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.cases")
files: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.files")

HERE = files.Place(Path("m.yaml"), Path(), 2**30)
FLOATS = ["float16", "bfloat16", "float32", "float64"]


def build(seed: int = 1, **keys: Any) -> Any:
    keys.setdefault("shape", (4, 6))
    keys.setdefault("dtype", "float32")
    if "preset" in keys or "stride" in keys:
        keys.setdefault("contiguous", False)
    return tensors.build(cases.Tensor(**keys), seed, HERE)


@pytest.mark.parametrize("dtype", [*FLOATS, "float8_e4m3fn", "complex64"])
@pytest.mark.parametrize("init", ["rand", "randn", "uniform", "xavier"])
def test_a_seed_gives_the_same_values_whatever_ran_before(dtype: str, init: str) -> None:
    first = build(dtype=dtype, init=init)
    torch.rand(7)
    build(seed=2, init="randn")
    assert first.dtype == getattr(torch, dtype)
    assert first.contiguous().view(torch.uint8).equal(build(dtype=dtype, init=init).view(torch.uint8))
    assert not first.view(torch.uint8).equal(build(seed=2, dtype=dtype, init=init).view(torch.uint8))


def test_the_global_generator_is_left_alone() -> None:
    before = torch.random.get_rng_state()
    for init in ("rand", "randn", "uniform", "xavier"):
        build(init=init)
    build(dtype="bool")
    build(dtype="int64", init="randint", init_args={"high": 9})
    assert torch.equal(before, torch.random.get_rng_state())


def test_values_of_the_first_rule() -> None:
    """A change here changes the meaning of earlier results: increase RULE with it."""
    assert tensors.RULE == 1
    assert build(seed=7, shape=(4,), dtype="bfloat16").tolist() == [0.53125, 0.1982421875, 0.65625, 0.65625]
    randint = build(seed=7, shape=(4,), dtype="int32", init="randint", init_args={"high": 1000})
    assert randint.tolist() == [615, 892, 721, 286]
    many = build(seed=7, shape=(3_000_011,), dtype="float16")
    # The same in torch 2.9 and 2.13, which draw other values in float16 itself.
    assert hashlib.sha256(many.numpy().tobytes()).hexdigest().startswith("839dba0d55d9")


def test_inputs_and_items_of_lists_have_seeds_of_their_own() -> None:
    one = cases.Tensor((3,), "float32")
    case = cases.Case("c", "torch.cat", (one, cases.Value(5), (one, one)), seed=3)
    first, value, (second, third) = tensors.build_arguments(case, HERE).positional
    assert value == 5
    assert first.equal(build(seed=3, shape=(3,)))
    assert second.equal(build(seed=2003, shape=(3,)))
    assert third.equal(build(seed=2004, shape=(3,)))


@pytest.mark.parametrize(
    ("keys", "low", "high"),
    [
        ({"init": "rand"}, 0, 1),
        ({"init": "uniform", "init_args": {"low": -2.0, "high": -1.0}}, -2, -1),
        ({"init": "xavier", "shape": (3, 3)}, -1, 1),
        ({"init": "randint", "dtype": "int64", "init_args": {"low": 5, "high": 7}}, 5, 6),
        ({"init": "rand", "dtype": "int64", "init_args": {"high": 3}}, 0, 2),
        ({"init": "full", "init_args": {"fill_value": 4}}, 4, 4),
        ({"init": "zeros"}, 0, 0),
        ({"init": "ones"}, 1, 1),
    ],
)
def test_inits_stay_within_their_bounds(keys: dict[str, Any], low: float, high: float) -> None:
    built = build(**{"shape": (50, 40), **keys}).to(torch.float64)
    assert low <= float(built.min()) <= float(built.max()) <= high


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_rand_stays_below_one_where_rounding_would_reach_it(dtype: str) -> None:
    assert 0.8 < float(build(shape=(20_000,), dtype=dtype).float().max()) < 1


def test_booleans_are_true_half_of_the_time() -> None:
    assert 0.45 < float(build(shape=(1000, 10), dtype="bool").float().mean()) < 0.55


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        ({"init": "arange", "shape": (2, 2)}, [[0, 1], [2, 3]]),
        ({"init": "arange", "shape": ()}, 0),
        ({"init": "eye", "shape": (2, 3)}, [[1, 0, 0], [0, 1, 0]]),
        ({"init": "data", "shape": (2, 1), "data": [5, 6]}, [[5], [6]]),
        ({"init": "data", "shape": (2,), "dtype": "bool", "data": [True, False]}, [True, False]),
        ({"init": "arange", "shape": (2, 2), "stride": (1, 2)}, [[0, 1], [2, 3]]),
        ({"init": "data", "shape": (2,), "stride": (3,), "storage_offset": 2, "data": [5, 6]}, [5, 6]),
        ({"shape": (0, 3)}, []),
        ({"shape": (2, 0), "stride": (9, 9), "storage_offset": 4}, [[], []]),
    ],
)
def test_inits_that_go_by_place(keys: dict[str, Any], wanted: Any) -> None:
    assert build(**keys).tolist() == wanted


def test_presets_are_views() -> None:
    sliced = build(preset="noncontig_slice", shape=(2, 3, 8))
    assert (tuple(sliced.shape), sliced.stride()) == ((2, 3, 8), (48, 16, 1))
    sliced = build(preset="noncontig_slice", preset_args={"dim": 2, "step": 3}, shape=(2, 3, 8))
    assert sliced.stride() == (72, 24, 3)
    turned = build(preset="transpose_view", preset_args={"dim0": 1, "dim1": 2}, shape=(2, 3, 8))
    assert turned.stride() == (24, 1, 3)
    wide = build(preset="expand_view0", base_shape=(1, 5), shape=(4, 5))
    assert wide.stride() == (0, 1)
    assert build(preset="transpose_view", contiguous=True).is_contiguous()


def test_a_preset_has_the_init_that_is_asked_for() -> None:
    assert build(preset="transpose_view", init="arange", shape=(2, 3)).tolist() == [[0, 2, 4], [1, 3, 5]]


@st.composite
def _layouts(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    stride = tuple(draw(st.integers(0, 6)) for _ in shape)
    return shape, stride, draw(st.integers(0, 9))


@given(_layouts(), st.sampled_from(["rand", "randint", "ones"]))
def test_the_memory_behind_a_layout_is_filled(layout: tuple[tuple[int, ...], tuple[int, ...], int], init: str) -> None:
    """Indices stay within their bounds, even if elements share memory."""
    shape, stride, offset = layout
    built = build(
        shape=shape, stride=stride, storage_offset=offset, dtype="int64" if init == "randint" else "float32",
        init=init, init_args={"high": 5} if init == "randint" else {},
    )  # fmt: skip
    assert (tuple(built.shape), built.stride(), built.storage_offset()) == (shape, stride, offset)
    if built.numel():
        assert 0 <= float(built.min()) <= float(built.max()) < 5


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"dtype": "int64"}, "needs init_args.high"),
        ({"dtype": "int64", "init": "randn"}, "gives no int64"),
        ({"dtype": "int64", "init": "randint"}, "needs init_args.high"),
        ({"dtype": "int64", "init": "randint", "init_args": {"low": 3, "high": 3}}, "low < high"),
        ({"dtype": "nosuch"}, "has no dtype nosuch"),
        ({"dtype": "nn"}, "has no dtype nn"),
        ({"init": "xavier", "shape": (3,)}, "two dimensions"),
        ({"init": "eye", "shape": (3,)}, "two dimensions"),
        ({"init": "nosuch"}, "no init nosuch"),
        ({"init": "data", "shape": (2,), "data": [1, 2, 3]}, "invalid for input of size 3"),
        ({"preset": "nosuch"}, "no preset nosuch"),
        ({"preset": "expand_view0"}, "needs base_shape"),
        ({"preset": "transpose_view", "base_shape": (5, 5)}, "gives a shape of"),
        ({"preset": "noncontig_slice", "preset_args": {"dim": 7}}, "no dimension 7"),
        ({"stride": (1,)}, "does not go with a shape"),
        ({"stride": (-1, 1)}, "does not go with a shape"),
        ({"init": "arange", "stride": (0, 1)}, "share memory"),
    ],
)
def test_what_cannot_be_built_says_why(keys: dict[str, Any], text: str) -> None:
    with pytest.raises(tensors.BuildError, match=text):
        build(**keys)
