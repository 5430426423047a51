# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.widen: float32 inside, the same dtypes and the same errors outside."""

import importlib
from contextlib import nullcontext
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
widen: Any = importlib.import_module("core.payload.ttmatrix_payload.models.widen")
LOW = torch.bfloat16


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The context for a model on a CPU without bfloat16."""
    monkeypatch.setattr(widen, "host_knows_bfloat16", lambda: False)
    return widen.host_numerics


def test_a_cpu_that_knows_bfloat16_is_left_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(widen.host_knows_bfloat16(), bool)
    monkeypatch.setattr(widen, "host_knows_bfloat16", lambda: True)
    assert isinstance(widen.host_numerics(), nullcontext)


@pytest.mark.parametrize(
    "make", [lambda: torch.nn.Linear(6, 5), lambda: torch.nn.Conv1d(4, 5, 3), lambda: torch.nn.LSTM(6, 5)]
)
def test_a_model_is_what_float32_gives_rounded_once(wide: Any, make: Any) -> None:
    """Forward and backward; and the mode ends with its block."""
    torch.manual_seed(0)
    model, rows = make().to(LOW), torch.randn(3, 4, 6).to(LOW)
    with wide():
        output = model(rows)
        output = output[0] if isinstance(output, tuple) else output
        output.square().sum().backward()
    assert output.dtype == LOW and all(one.grad.dtype == LOW for one in model.parameters())
    full = make()
    full.load_state_dict(model.state_dict())
    expected = full(rows.float())
    expected = expected[0] if isinstance(expected, tuple) else expected
    torch.testing.assert_close(output.float(), expected, rtol=0.03, atol=0.03)
    if isinstance(model, torch.nn.Conv1d):
        assert torch.equal(output, expected.to(LOW))


def test_the_function_is_given_float32() -> None:
    seen = []

    def func(one: Any, other: Any, scale: Any) -> Any:
        seen.extend([one.dtype, other.dtype])
        return [one @ other, None, scale]

    found = widen.widened(func, (torch.ones(2, 2).to(LOW), torch.ones(2, 2).to(LOW)), {"scale": 3}, LOW)
    assert seen == [torch.float32] * 2
    assert (found[0].dtype, found[1:]) == (LOW, [None, 3])


@pytest.mark.parametrize("layer", [torch.nn.Linear(6, 5), torch.nn.Conv1d(4, 5, 3)])
@pytest.mark.parametrize("dtypes", [(LOW, torch.float32), (torch.float32, LOW)])
def test_dtypes_that_do_not_fit_fail_as_they_do_without(wide: Any, layer: Any, dtypes: tuple[Any, Any]) -> None:
    model, rows = layer.to(dtypes[0]), torch.randn(3, 4, 6).to(dtypes[1])
    with pytest.raises(RuntimeError) as plain:
        model(rows)
    with pytest.raises(RuntimeError) as within, wide():
        model(rows)
    assert str(within.value) == str(plain.value)


@pytest.mark.parametrize(
    ("dtypes", "found"),
    [
        ((LOW, LOW), LOW),
        ((torch.float16,), torch.float16),
        ((LOW, torch.int64), LOW),
        ((LOW, torch.float32), None),
        ((torch.float32,), None),
        ((), None),
    ],
)
def test_the_one_narrow_dtype(dtypes: tuple[Any, ...], found: Any) -> None:
    assert widen.narrow_dtype([torch.zeros(1, dtype=one) for one in dtypes]) is found


def test_a_compiler_gets_the_same(wide: Any) -> None:
    mm = torch.ops.aten.mm.default
    decomposed = widen.wide_decompositions()[mm]
    one = torch.randn(4, 4).to(LOW)
    assert torch.equal(decomposed(one, one), (one.float() @ one.float()).to(LOW))
    assert decomposed(one.float(), one.float()) is NotImplemented
