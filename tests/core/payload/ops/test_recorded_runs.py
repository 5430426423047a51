# SPDX-License-Identifier: Apache-2.0
"""Recorded calls run again: written, read and run on eager, whatever arguments the op needs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from core.payload.ttmatrix_payload.ops.backends import choose_backend  # noqa: E402
from core.payload.ttmatrix_payload.ops.cases import Case, Manifest, Tensor, Value  # noqa: E402
from core.payload.ttmatrix_payload.ops.files import Place  # noqa: E402
from core.payload.ttmatrix_payload.ops.load import read_text  # noqa: E402
from core.payload.ttmatrix_payload.ops.reading import Defaults  # noqa: E402
from core.payload.ttmatrix_payload.ops.recorded import MOST_EXACT, MOST_INDEX, MOST_STORED  # noqa: E402
from core.payload.ttmatrix_payload.ops.recording import Recorder  # noqa: E402
from core.payload.ttmatrix_payload.ops.running import run_case  # noqa: E402
from core.payload.ttmatrix_payload.ops.writing import manifest_text  # noqa: E402

F = torch.nn.functional
HERE = Path(__file__).parent
X = torch.linspace(-1, 1, 600).view(20, 30)
INDEX = torch.tensor([2, 0])
LARGE = torch.arange(MOST_STORED + 1)


def record(function: Callable[[], Any], level: str = "torch") -> Recorder:
    recorder = Recorder(level, "float32", HERE)
    with torch.no_grad(), recorder.recording(None):
        function()
    return recorder


def again(function: Callable[[], Any], level: str = "torch") -> list[Case]:
    """The cases of all calls in `function`, each of which passes on eager."""
    recorder = record(function, level)
    assert not recorder.left_out
    cases = recorder.cases()
    read = read_text(manifest_text(Manifest("", "m", tuple(cases)), Defaults(dtype="float32")), "m.yaml")
    assert not read.problems
    place, backend = Place(HERE / "m.yaml", HERE, 2**30), choose_backend("eager")
    results = {case.name: run_case(case, backend, place) for case in read.cases}
    assert {name: (one.status, one.message) for name, one in results.items() if one.status != "pass"} == {}
    assert cases
    return cases


def masked(x: Any) -> None:
    mask = x > 0.3
    x.clone()[mask] = x[mask] * 2


def packed() -> None:
    sequence = torch.nn.utils.rnn.pack_padded_sequence(X.view(20, 6, 5), torch.tensor([6] * 15 + [2] * 5), True)
    outcome, _ = LSTM(sequence)
    torch.nn.utils.rnn.pad_packed_sequence(outcome, batch_first=True)


LSTM = torch.nn.LSTM(5, 4, batch_first=True, bidirectional=True).eval()
ATTENTION = torch.nn.MultiheadAttention(30, 2, dropout=0.1, batch_first=True).eval()
POSITIVE = torch.eye(30) + 0.1 * X.t() @ X
REPEATS = LARGE % 3


INDICES = [
    pytest.param(packed, id="sequences of several lengths"),
    pytest.param(lambda: X[:, INDEX], id="an index beside a slice"),
    pytest.param(lambda: X[..., LARGE % 30], id="a large index beside an ellipsis"),
    pytest.param(lambda: X[:, X[0] > 0], id="a mask beside a slice"),
    pytest.param(lambda: X[INDEX, 1:, None], id="an index beside None"),
    pytest.param(lambda: X.clone().__setitem__((slice(None), INDEX), 0.0), id="writing by an index"),
    pytest.param(lambda: X.view(2, 10, 30).T, id="reversed dimensions"),
]
"""Calls whose aten ops take index lists with gaps, or return uninitialised memory."""
CALLS = [
    pytest.param(lambda: X[torch.tensor(1)], id="an index without dimensions"),
    pytest.param(lambda: masked(X), id="as many values as a mask has true elements"),
    pytest.param(lambda: X.masked_scatter(X > 0.3, X), id="values for a mask"),
    pytest.param(lambda: torch.repeat_interleave(LARGE, REPEATS, output_size=int(REPEATS.sum())), id="repeats"),
    pytest.param(lambda: F.embedding_bag(LARGE % 20, X, LARGE), id="offsets"),
    pytest.param(lambda: F.cross_entropy(X[:, :5], (LARGE[:20] % 7 - 2).clamp(0)), id="classes"),
    pytest.param(lambda: F.cross_entropy(torch.ones(66, 5), torch.tensor([0, -100] * 33)), id="ignored classes"),
    pytest.param(lambda: torch.linalg.cholesky(POSITIVE), id="a positive definite matrix"),
    pytest.param(lambda: torch.view_as_real(torch.view_as_complex(X.view(300, 2)) * 2), id="complex tensors"),
    pytest.param(lambda: torch.fft.irfft(torch.fft.rfft(X)), id="fourier transforms"),
    pytest.param(lambda: X * X.numpy().sum(), id="numbers of numpy"),
    pytest.param(lambda: X.view(X.numpy().shape[1], -1).sum(dtype=float), id="types for dtypes"),
    pytest.param(lambda: torch.where(condition=X > 0, input=X, other=X), id="tensors as keywords"),
    pytest.param(lambda: ATTENTION(X[None], X[None], X[None], need_weights=False), id="attention without training"),
    pytest.param(lambda: LARGE.expand(3, -1) + 1, id="a large tensor that shares elements"),
    pytest.param(lambda: INDEX.expand(3, 2) + 1, id="a small tensor that shares elements"),
    pytest.param(lambda: (LARGE - 20) // (LARGE - 70), id="no division by zero"),
    pytest.param(lambda: torch.full((70,), 2**63 - 1) + 0, id="the largest integer"),
    pytest.param(lambda: 2 << LARGE % 5, id="a reflected shift"),
    pytest.param(lambda: X.clone().__ipow__(2), id="a power in place"),
    pytest.param(lambda: X.to(torch.float8_e5m2).float(), id="eight bits"),
    pytest.param(lambda: torch.ops.aten.add(X, 1), id="an op of aten that is called by name"),
    pytest.param(lambda: X.permute(1, 0)[1:, ::2].add(1), id="a view of a view"),
    pytest.param(lambda: torch.tensor(3.0) * torch.tensor(2), id="scalars"),
]


@pytest.mark.parametrize("function", [*INDICES, *CALLS])
@pytest.mark.filterwarnings("ignore:The use of `x.T`")
def test_what_is_recorded_passes_on_eager(function: Callable[[], Any]) -> None:
    again(function)


@pytest.mark.parametrize("function", CALLS)
def test_what_is_recorded_below_torch_passes_on_eager(function: Callable[[], Any]) -> None:
    again(function, "aten")


@pytest.mark.parametrize(
    "function",
    [
        lambda: F.linear(X, X),
        lambda: X @ X.t().bfloat16(),
        lambda: F.scaled_dot_product_attention(X[None], X[None].bfloat16(), X[None]),
        lambda: F.softmax(F.linear(X, X), -1),
        lambda: F.layer_norm(F.linear(X, X), (20,), torch.ones(20)),
        lambda: torch.cat([F.linear(X, X), X], -1),
        lambda: F.linear(X, X).float(),
    ],
)
def test_ops_under_autocast_pass_without_it(function: Callable[[], Any]) -> None:
    def cast() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            function()

    again(cast)


def test_what_autocast_casts_is_recorded_as_it_is_then() -> None:
    def cast() -> None:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            torch.bmm(X[None], X.t()[None].bfloat16())

    case = again(cast)[-1]
    assert [one.dtype for one in case.inputs if isinstance(one, Tensor)] == ["bfloat16", "bfloat16"]


def test_a_mask_that_shares_elements_is_stored_once() -> None:
    mask = (torch.arange(50)[:, None] % 2 > 0).expand(50, 80)
    case = again(lambda: torch.zeros(50, 80).masked_scatter(mask, torch.ones(2000)))[-1]
    stored = case.inputs[1]
    assert isinstance(stored, Tensor)
    assert (stored.preset, stored.base_shape, stored.data) == ("expand_view0", (50, 1), [[False], [True]] * 25)


def test_constant_masks_and_integers_stay_constant() -> None:
    (case,) = again(lambda: torch.where(torch.full((70,), True), LARGE[:1], torch.full((70,), 7)))[-1:]
    fills = [(one.init, dict(one.init_args)) for one in case.inputs if isinstance(one, Tensor)]
    assert fills == [("ones", {}), ("data", {}), ("full", {"fill_value": 7})]


def test_an_index_becomes_a_list_beside_other_ones() -> None:
    assert again(lambda: X[:, INDEX])[0].inputs[1] == Value((slice(None), [2, 0]))


def nested() -> Any:
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]) * 2


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda: torch.ones(6000).masked_scatter(torch.arange(6000) % 2 > 0, torch.ones(6000)), "too many to write"),
        (lambda: X.new_ones(2000)[torch.arange(MOST_INDEX + 1), None], "a large index beside other ones"),
        (lambda: torch.vmap(lambda row: row.sum() > 0)(X), "inside of vmap"),
        (lambda: torch.ones(3, device="meta") + 1, "on the meta device"),
        (nested, "nested"),
        (lambda: torch.quantize_per_tensor(X, 0.1, 0, torch.qint8), "quantised"),
        (lambda: F.gumbel_softmax(X), "random or uninitialised values"),
        (lambda: X.new(3), "random or uninitialised values"),
        (lambda: torch.add(X, X, out=X.clone()), "given as out"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_cannot_run_again_is_left_out_and_the_model_goes_on(function: Callable[[], Any], reason: str) -> None:
    assert any(reason in one for one in record(function).left_out)
    assert MOST_EXACT < 6000


def test_what_computes_nothing_is_neither_a_case_nor_left_out() -> None:
    recorder = record(lambda: (torch.ones(2).detach_(), X.requires_grad_(False), X.numpy()))
    assert ([case.op for case in recorder.cases()], dict(recorder.left_out)) == (["torch.ones"], {})


def test_hooks_and_outputs_that_are_no_tensors() -> None:
    class Two(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(30, 4)
            self.inner.register_forward_hook(lambda _module, _inputs, output: output.tanh())
            self.register_forward_pre_hook(lambda _module, inputs: (inputs[0] + 1,))

        def forward(self, x: Any, mask: Any = None) -> Any:
            return None, {"logits": [self.inner(x), mask]}

    model = Two()
    recorder = Recorder("torch", "float32", HERE)
    with torch.no_grad(), recorder.recording(model):
        model(X, mask=None)
    places = {case.op: case.description for case in recorder.cases()}
    assert list(places) == ["torch.add", "torch.nn.functional.linear", "torch.tanh"]
    assert places["torch.nn.functional.linear"].endswith("module inner")
