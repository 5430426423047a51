# SPDX-License-Identifier: Apache-2.0
"""A fault planted in a backend is reported as that op; on a clean backend nothing deviates."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytestmark = pytest.mark.slow("torch captures models and runs them op by op")
torch: Any = pytest.importorskip("torch")

from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

from core.payload.ttmatrix_payload.bisect import sides, verdict  # noqa: E402
from core.payload.ttmatrix_payload.bisect.report import (  # noqa: E402
    described,
    report,
    write_alone,
)
from core.payload.ttmatrix_payload.execute import host  # noqa: E402

ATEN = torch.ops.aten
HERE = Path(__file__).parent


class Gate(torch.nn.Module):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(8, 8)
        self.outer = torch.nn.Linear(8, 4)

    def forward(self, values: Any, scale: float = 2.0) -> Any:
        gate = torch.sigmoid(self.inner(values))
        values = torch.relu(values * gate * scale)
        return {"logits": self.outer(values), "best": values.argmax(-1)}


class Wrong(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Changes the result of one op."""

    def __init__(self, op: Any, change: Callable[[Any], Any]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.op, self.change = op, change

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        return self.change(result) if func is self.op else result


def planted(op: Any, change: Callable[[Any], Any], *, at_least: int = 0) -> Callable[..., Any]:
    """A dynamo backend with a wrong kernel, in graphs of at least `at_least` calls."""

    def backend(graph: Any, inputs: Any) -> Callable[..., Any]:
        calls = sum(node.op.startswith("call_") for node in graph.graph.nodes)

        def run(*values: Any) -> Any:
            if calls < at_least:
                return graph(*values)
            with Wrong(op, change):
                return graph(*values)

        return run

    return backend


def clean(graph: Any, inputs: Any) -> Any:
    return graph


@pytest.fixture(autouse=True)
def without_gradients() -> Iterator[None]:
    torch.manual_seed(0)
    with torch.no_grad():
        yield
    torch._dynamo.reset()


@pytest.fixture
def compare(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    def run(model: Any, *args: Any, backend: Any = clean, rtol: float | None = None, seconds: float = 600) -> Any:
        monkeypatch.setattr(host, "find_compiler", lambda _: backend)
        side = sides.Side("planted" if callable(backend) else backend)
        if not isinstance(model, torch.nn.Module):
            model = SimpleNamespace(run=model).run
        inputs: tuple[list[Any], dict[str, Any]] = (
            [one.clone() if isinstance(one, torch.Tensor) else one for one in args],
            {},
        )
        return verdict.compare_model(model, inputs, side, rtol, seconds, lambda _: None)

    return run


def values(dtype: Any = None) -> Any:
    return torch.randn(16, 8).to(dtype or torch.float32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_two_percent_in_one_sigmoid(compare: Callable[..., Any], dtype: Any) -> None:
    found = compare(Gate().to(dtype), values(dtype), backend=planted(ATEN.sigmoid.default, lambda one: one * 1.02))
    first = found.engine.culprit.step
    assert (found.verdict, found.capture) == ("op", "export")
    assert (first.op, first.place.module) == ("torch.ops.aten.sigmoid.default", "")
    assert "torch.sigmoid(self.inner(values))" in first.place.code
    assert Path(first.place.file) == Path(__file__)
    assert first.isolated.pcc > 0.9999
    assert 0.015 < first.isolated.rel < 0.025
    assert sum(step.departs for step in found.engine.steps) == 1
    after = found.engine.steps[found.engine.culprit.number + 1 :]
    assert after[0].cumulative.rel > 0.01
    assert after[0].isolated.rel < 0.01


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("backend", [clean, "eager"])
def test_nothing_departs_on_a_clean_backend(compare: Callable[..., Any], dtype: Any, backend: Any) -> None:
    found = compare(Gate().to(dtype), values(dtype), backend=backend)
    assert (found.verdict, found.engine.culprit) == ("none", None)
    assert (found.whole.departs, found.by_op.departs) == (False, False)
    assert [step.op.split(".")[3] for step in found.engine.steps] == [
        "linear",
        "sigmoid",
        "mul",
        "mul",
        "relu",
        "linear",
        "argmax",
    ]


@pytest.mark.slow("inductor compiles each op")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_inductor_is_clean(compare: Callable[..., Any]) -> None:
    """Two ops: the C++ compiler takes seconds for each, and for both together."""
    found = compare(lambda values: torch.sigmoid(values) * 2.0, values(), backend="inductor")
    assert found.whole.error == ""
    assert len(found.engine.steps) == 2
    assert (found.verdict, found.engine.culprit) == ("none", None)


def test_the_tolerance_is_the_persons(compare: Callable[..., Any]) -> None:
    fault = planted(ATEN.sigmoid.default, lambda one: one * 1.02)
    assert compare(Gate(), values(), backend=fault, rtol=0.1).verdict == "none"
    slight = planted(ATEN.relu.default, lambda one: one * (1 + 2e-6))
    assert compare(Gate(), values(), backend=slight).verdict == "none"
    found = compare(Gate(), values(), backend=slight, rtol=1e-6)
    assert found.engine.culprit.step.op == "torch.ops.aten.relu.default"


def test_what_a_backend_raises_is_a_departure(compare: Callable[..., Any]) -> None:
    def refuse(_: Any) -> Any:
        raise RuntimeError("no kernel for relu")

    found = compare(Gate(), values(), backend=planted(ATEN.relu.default, refuse))
    step = found.engine.culprit.step
    assert (found.verdict, step.op) == ("op", "torch.ops.aten.relu.default")
    assert "no kernel for relu" in step.error
    assert "no kernel for relu" in found.whole.error
    assert found.engine.steps[-1].cumulative is not None


def test_a_fault_in_the_whole_alone_is_the_graphs(compare: Callable[..., Any]) -> None:
    fault = planted(ATEN.sigmoid.default, lambda one: one * 1.1, at_least=3)
    found = compare(Gate(), values(), backend=fault)
    assert (found.verdict, found.engine.culprit) == ("graph", None)
    assert found.minimised.calls == 3
    assert any("sigmoid" in op for op in found.minimised.ops)
    assert "sigmoid" in found.minimised.code
    assert not list(Path.cwd().glob("repro.py"))


def test_many_small_errors_are_drift(compare: Callable[..., Any]) -> None:
    def chain(values: Any) -> Any:
        for _ in range(60):
            values = values * 1.0
        return values

    found = compare(chain, values(), backend=planted(ATEN.mul.Tensor, lambda one: one * (1 + 6e-5)))
    assert (found.verdict, found.engine.culprit) == ("drift", None)
    sizes = [step.cumulative.rel for step in found.engine.steps]
    assert sizes == sorted(sizes)
    assert sizes[-1] > 3e-3


def test_a_fault_that_only_the_graphs_of_dynamo_show(compare: Callable[..., Any]) -> None:
    def backend(graph: Any, inputs: Any) -> Any:
        for node in graph.graph.nodes:
            if node.target is torch.relu:
                node.target = torch.add
                node.args = (node.args[0], 1)
        graph.recompile()
        return graph

    found = compare(Gate(), values(), backend=backend)
    assert (found.verdict, found.capture) == ("op", "dynamo")
    assert found.engine.culprit.step.op == "torch.relu"
    assert Path(found.engine.culprit.step.place.file) == Path(__file__)


def test_writing_ops_and_views(compare: Callable[..., Any]) -> None:
    def writes(values: Any) -> Any:
        values = values * 2
        head = values[:, :4]
        head.add_(1)
        values[0] = values[1].clone()
        return values.relu_().sum(-1)

    assert compare(writes, values()).verdict == "none"

    def wrong(result: Any) -> Any:
        return result.mul_(1.02)

    found = compare(writes, values(), backend=planted(ATEN.add_.Tensor, wrong))
    assert found.verdict == "op"
    assert found.engine.culprit.step.op.startswith("torch.ops.aten.add_")
    assert sum(step.departs for step in found.engine.steps) == 1


def test_indices_of_equal_values_are_all_right(compare: Callable[..., Any]) -> None:
    def best(values: Any) -> Any:
        return (values * 0).argmax(-1), *values.topk(2)

    shifted = planted(ATEN.argmax.default, lambda one: (one + 1) % 8)
    assert compare(best, values(), backend=shifted).verdict == "none"
    found = compare(best, values(), backend=planted(ATEN.topk.default, lambda both: (both[0], both[1].flip(-1))))
    assert found.engine.culprit.step.op == "torch.ops.aten.topk.default"
    assert "elements differ" in found.engine.culprit.step.isolated.problem


def test_nan_is_a_departure_only_where_the_reference_has_none(compare: Callable[..., Any]) -> None:
    def root(values: Any) -> Any:
        return (values.sqrt() + 1).abs()

    assert compare(root, values()).verdict == "none"

    def broken(one: Any) -> Any:
        one = one.clone()
        one[0] = float("nan")
        return one

    found = compare(root, values().abs(), backend=planted(ATEN.add.Tensor, broken))
    assert found.engine.culprit.step.op == "torch.ops.aten.add.Tensor"
    assert "nan where the reference has" in found.engine.culprit.step.isolated.problem


def test_random_ops_are_passed_over(compare: Callable[..., Any]) -> None:
    def noisy(values: Any) -> Any:
        return torch.nn.functional.dropout(values, 0.5) + torch.rand_like(values)

    found = compare(noisy, values())
    assert (found.verdict, found.engine.culprit) == ("none", None)
    assert set(found.engine.passed_over) == {"torch.ops.aten.dropout.default", "torch.ops.aten.rand_like.default"}


def test_graph_breaks_make_several_graphs(compare: Callable[..., Any]) -> None:
    def breaking(values: Any) -> Any:
        values = torch.sigmoid(values)
        if float(values.sum()) > 0:  # what no export can decide
            values = torch.relu(values)
        return values.cos()

    fault = planted(ATEN.cos.default, lambda one: one * 1.02)
    found = compare(breaking, values(), backend=fault)
    assert (found.verdict, found.capture) == ("op", "dynamo")
    assert found.graphs > 1
    assert found.reasons[0].startswith("export: ")
    assert found.engine.culprit.step.op in ("torch.cos", "torch.Tensor.cos")
    assert compare(breaking, values()).verdict == "none"


def test_what_no_compiler_captures_is_compared_as_it_is_called(
    compare: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("no graph today")

    monkeypatch.setattr(verdict, "exported", fail)
    monkeypatch.setattr(verdict, "walk_compiled", fail)
    found = compare(Gate(), values(), backend=planted(ATEN.sigmoid.default, lambda one: one * 1.02))
    assert (found.verdict, found.capture) == ("op", "eager")
    assert found.reasons == ("export: RuntimeError: no graph today", "dynamo: RuntimeError: no graph today")
    step = found.engine.culprit.step
    assert (step.op, step.place.code) == ("torch.sigmoid", "gate = torch.sigmoid(self.inner(values))")
    assert next(one for one in found.engine.steps if "linear" in one.op).place.module == "inner"
    assert compare(Gate(), values()).verdict == "none"


def test_a_limit_that_comes_first(compare: Callable[..., Any]) -> None:
    with pytest.raises(verdict.NotFinished, match="none departs"):
        compare(Gate(), values(), seconds=-1)


def test_the_report_is_json_of_finite_numbers(compare: Callable[..., Any]) -> None:
    import json

    found = compare(Gate(), values(), backend=planted(ATEN.sigmoid.default, lambda one: one / 0))
    document = report(found, None, HERE)
    json.dumps(document, allow_nan=False)
    assert document["first"]["file"] == Path(__file__).name
    assert "inf where the reference has" in document["first"]["problem"]
    assert (document["case"], document["case_fails"]) == (None, False)


def test_the_case_fails_alone_and_only_on_that_backend(
    compare: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Random inputs hardly have a value above 3, so the case needs those of the model.
    def rare(one: Any) -> Any:
        return torch.where(one > 60, one * 1.02, one)

    fault = planted(ATEN.relu.default, rare)

    class Large(torch.nn.Module):  # type: ignore[misc]
        def forward(self, one: Any) -> Any:
            return torch.relu(one * 50)

    found = compare(Large(), torch.full((9, 9), 2.0), backend=fault)
    path = tmp_path / "alone.yaml"

    def alone(backend: Any) -> Any:
        monkeypatch.setattr(host, "find_compiler", lambda _: backend)
        about = described(found.engine.culprit, HERE)
        return write_alone(found.engine.culprit, "planted", "tiny", about, path, lambda _: None)

    written = alone(fault)
    assert written.fails
    assert "81 of 81 elements differ" in written.message
    text = path.read_text()
    assert "op: torch.ops.aten.relu.default" in text
    assert "init: file" in text
    assert f"{Path(__file__).name}:" in text
    assert path.with_suffix(".pt").is_file()
    assert not alone(clean).fails
