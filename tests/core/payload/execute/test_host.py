# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.host: plain PyTorch equals itself; TorchInductor compiles, or says what it lacks."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
host: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.host")
Settings: Any = importlib.import_module("core.payload.ttmatrix_payload.execute").Settings


def test_eager_is_the_model_itself() -> None:
    model, stages = torch.nn.Linear(2, 2), list[str]()
    assert host.Eager().compile(model, Settings(), stages.append) is model
    assert stages == ["RUNTIME_EXECUTION_START"]
    assert (host.Eager().device_text(), host.Eager().device_count(), host.Eager().missing()) == ("CPU", 1, None)


def test_inductor_needs_a_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    assert "no C++ compiler" in host.Inductor().missing()


@pytest.mark.filterwarnings("ignore")  # PyTorch's own, of importing its compiler.
def test_inductor_tells_the_stages_of_what_it_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(compile_fx=lambda graph, _inputs, decompositions: graph)
    monkeypatch.setitem(sys.modules, "torch._inductor.compile_fx", fake)
    stages: list[str] = []
    compiled = host.Inductor().compile(torch.nn.Linear(2, 2), Settings(), stages.append)
    assert stages == []
    with torch.no_grad():
        compiled(torch.ones(1, 2))
    assert stages == ["TTMLIR_COMPILATION_START", "RUNTIME_EXECUTION_START"]


@pytest.mark.parametrize("knows", [True, False])
def test_inductor_makes_products_in_float32_where_the_cpu_has_no_bfloat16(
    monkeypatch: pytest.MonkeyPatch, knows: bool
) -> None:
    given: list[Any] = []

    def compile_fx(graph: Any, _inputs: Any, decompositions: Any) -> Any:
        given.append(decompositions)
        return graph

    monkeypatch.setitem(sys.modules, "torch._inductor.compile_fx", SimpleNamespace(compile_fx=compile_fx))
    monkeypatch.setattr(host, "host_knows_bfloat16", lambda: knows)
    with torch.no_grad():
        host.Inductor().compile(torch.nn.Linear(2, 2), Settings(), [].append)(torch.ones(1, 2))
    (table,) = given
    assert table is None if knows else torch.ops.aten.mm.default in table


def test_eager_runs_as_the_reference_does(monkeypatch: pytest.MonkeyPatch) -> None:
    around = object()
    monkeypatch.setattr(host, "host_numerics", lambda: around)
    assert host.Eager().numerics() is around
    assert host.Inductor().numerics() is not around
