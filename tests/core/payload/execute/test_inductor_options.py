# SPDX-License-Identifier: Apache-2.0
"""A profile's TorchInductor options change the program, and the comparison of programs shows exactly that."""

import importlib
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from core.runs.ir import Change, Stage, diff_programs, read_ops

torch: Any = pytest.importorskip("torch")
execute: Any = importlib.import_module("core.payload.ttmatrix_payload.execute")
options: Any = importlib.import_module("core.payload.ttmatrix_payload.models.compile_options")

pytestmark = [
    pytest.mark.skipif(shutil.which("g++") is None, reason="TorchInductor looks for a C++ compiler"),
    pytest.mark.slow("imports TorchInductor"),
]
_PROFILES: Mapping[str, tuple[Mapping[str, str], Mapping[str, bool]]] = {
    "default": ({}, {}),
    "unfused": ({}, {"tt_enable_torch_fx_fusion_pass": False}),
    "folded": ({"optimization_level": "2"}, {}),
}


class Model(torch.nn.Module):  # type: ignore[misc]
    """A bias before a product, which a pass of TorchInductor fuses into one op."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(8, 8))
        self.bias = torch.nn.Parameter(torch.randn(8, 8))

    def forward(self, x: Any) -> Any:
        """One product."""
        return torch.relu(self.bias + x @ self.weight.t())


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with the graph after the passes under each profile, made one after the other in one process."""
    directory = tmp_path_factory.mktemp("ir")
    backend = execute.choose_backend("inductor")
    keep = backend._keep_graph

    def keep_and_stop(stage: str, graph: Any) -> None:
        """Stop after the passes: the rest does not matter here, and the C++ compiler is slow."""
        keep(stage, graph)
        if stage == "fx-passes":
            raise RuntimeError("enough")

    backend._keep_graph = keep_and_stop
    for name, (values, flags) in _PROFILES.items():
        torch._dynamo.reset()
        asked = options.CompileOptions(values, flags, {}, name, None)
        settings = execute.Settings(serialize_to=directory, compile_options=asked)
        with torch.no_grad(), suppress(torch._dynamo.exc.BackendCompilerFailed), warnings.catch_warnings():
            # PyTorch's own, of importing its compiler.
            warnings.simplefilter("ignore")
            backend.compile(Model().eval(), settings, lambda _: None)(torch.randn(8, 8))
        (directory / f"{name}.fx-passes.0.py").write_text(dict(backend.take_graphs())["fx-passes.0.py"])
    yield directory
    torch._dynamo.reset()


def changes(programs: Path, name: str) -> dict[str, list[str]]:
    """How the program under a profile differs from that under the default one: names of ops by change."""
    before, after = (read_ops(programs / f"{one}.fx-passes.0.py", Stage.FX_PASSES) for one in ("default", name))
    found: dict[str, list[str]] = {}
    for row in diff_programs(before, after):
        op = row.right or row.left
        if row.change is not Change.SAME and op is not None:
            found.setdefault(row.change.value, []).append(op.name)
    return found


def test_without_fusion_one_op_becomes_two(programs: Path) -> None:
    aten = "torch.ops.aten"
    assert changes(programs, "unfused") == {
        "removed": [f"{aten}.addmm.default"],
        "added": [f"{aten}.mm.default", f"{aten}.add.Tensor"],
    }


def test_level_2_folds_the_weights_into_the_program(programs: Path) -> None:
    text = (programs / "folded.fx-passes.0.py").read_text()
    assert "permute" in (programs / "default.fx-passes.0.py").read_text()
    assert "aten.permute" not in text
    assert "changed" in changes(programs, "folded") or "removed" in changes(programs, "folded")


def test_the_same_profile_twice_is_the_same_program(programs: Path) -> None:
    assert changes(programs, "default") == {}
