# SPDX-License-Identifier: Apache-2.0
"""The script that exports a model: graphs without a plugin, and code with a stand-in for tt-xla's plugin."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.export.files import CPP, PYTHON
from tests.core.payload.conftest import PAYLOAD, Ran, last_result
from tests.support.models import QUICK, jax_python, xla_python
from tests.support.sample import sample_checkout

_LOADER = """
import torch
from tt_forge_models.base import ForgeModel

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = torch.nn.Linear(4, 4)

    def forward(self, x, pair, scale=1, mask=None):
        a, b = pair
        return torch.relu(self.gate(x) + a * scale) + (b if mask is None else b * mask)

class ModelLoader(ForgeModel):
    def load_model(self, *, dtype_override=None):
        return Net().to(dtype_override)

    def load_inputs(self, dtype_override=None, batch_size=2):
        x = torch.ones(batch_size, 4, dtype=dtype_override)
        return {"x": x, "pair": (x + 1, x + 2), "scale": 3, "mask": x}
"""
_PLUGIN = """
import json, os, pathlib, sys

def _write(module, args, export_path, export_tensors, compiler_options, name, text, **kwargs):
    assert not kwargs and module(*args).shape == (2, 4)
    place = pathlib.Path(export_path) / "graph_0"
    place.mkdir(parents=True)
    (place / "asked.json").write_text(json.dumps([len(args), export_tensors, compiler_options]))
    mode = os.environ.get("FAKE_PLUGIN", "")
    if mode == "raises":
        raise RuntimeError("Error code: 13")
    if mode == "aborts":
        os.abort()
    (place / name).write_text({"empty": "", "broken": "def forward(:"}.get(mode, text))
    if export_tensors and mode != "no tensors":
        (place / "tensors").mkdir()
        (place / "tensors/arg0.tensorbin").write_bytes(b"1")

def codegen_py(module, *args, **kwargs):
    _write(module, args, name="main.py", text="def forward(inputs, device):\\n    return inputs\\n", **kwargs)

def codegen_cpp(module, *args, **kwargs):
    _write(module, args, name="ttnn-standalone.cpp", text="int main() {}", **kwargs)
"""

Export = Callable[..., Ran]


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in for tt-xla's packages, at the boundary of the process."""
    place = tmp_path / "plugin"
    for name in ("torch_xla", "pjrt_plugin_tt", "tt_torch"):
        (place / name).mkdir(parents=True)
        (place / name / "__init__.py").write_text(_PLUGIN if name == "tt_torch" else "")
    monkeypatch.setenv("PYTHONPATH", str(place))
    return place


@pytest.fixture
def loader(models: Path) -> Path:
    place = models / "tiny/pytorch"
    place.mkdir(parents=True)
    (place / "loader.py").write_text(_LOADER)
    return models.parents[1]


@pytest.fixture
def export(tmp_path: Path, loader: Path, warm_torch: Path) -> Export:
    def run(*options: str, python: Path = warm_torch) -> Ran:
        argv = [f"--checkout={loader}", "--loader=tiny/pytorch", f"--directory={tmp_path / 'ir'}", "--nonce=cafe"]
        command = [str(python), str(PAYLOAD / "export_code.py"), *argv, *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **QUICK})
        return Ran(done.returncode, done.stdout + done.stderr, last_result(done.stdout))

    return run


def _result(ran: Ran) -> dict[str, object]:
    assert ran.result is not None, ran.output
    return ran.result


def test_the_fx_graph_is_python_and_without_torch_xla_the_missing_program_is_said(
    tmp_path: Path, export: Export
) -> None:
    ran = export("--batch-size=3", "--export-tensors=true", f"--export-path={tmp_path / 'out'}")
    result = _result(ran)
    assert ran.code == 0, ran.output
    assert result["exported"] == ["forward.fx.0.py"]
    assert str(result["message"]).startswith("1 file, ")
    assert "no StableHLO" in str(result["message"])
    text = (tmp_path / "out/forward.fx.0.py").read_text()
    assert "torch._C._nn.linear" in text
    assert '"bf16[3, 4]' in text
    # Two parameters, x, the pair and the mask, which is x.
    assert len(list((tmp_path / "out/graph_0/tensors").iterdir())) == 5


@pytest.mark.xla
def test_stablehlo_is_exported_on_the_cpu(tmp_path: Path, export: Export) -> None:
    ran = export(python=xla_python())
    assert ran.code == 0, ran.output
    assert _result(ran)["exported"] == ["forward.fx.0.py", "forward.stablehlo.mlir"]
    assert "stablehlo.dot" in (tmp_path / "ir/forward.stablehlo.mlir").read_text()


@pytest.mark.jax
def test_jaxpr_and_stablehlo_of_a_jax_model_are_exported(tmp_path: Path) -> None:
    checkout, ir = sample_checkout(tmp_path / "tt-xla"), tmp_path / "ir"
    argv = [f"--checkout={checkout.root}", "--loader=mlp_classifier/jax", "--variant=Hidden_64", f"--directory={ir}"]
    command = [str(jax_python()), str(PAYLOAD / "export_code.py"), *argv]
    done = subprocess.run([*command, "--nonce=cafe"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert sorted(one.name for one in ir.iterdir()) == ["forward.jaxpr", "forward.stablehlo.mlir"]
    refused = subprocess.run([*command, f"--to={PYTHON}"], capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "jax_plugin_tt, tt_jax are not installed" in refused.stdout


@pytest.mark.parametrize(("target", "name"), [(PYTHON, "main.py"), (CPP, "ttnn-standalone.cpp")])
def test_the_plugin_generates_code_with_the_options_of_a_profile(
    tmp_path: Path, plugin: Path, export: Export, target: str, name: str
) -> None:
    ran = export(f"--to={target}", "--compile-option=optimization_level=1", "--compile-option=export_path=elsewhere")
    result = _result(ran)
    assert ran.code == 0, ran.output
    assert result["exported"] == ["graph_0/asked.json", f"graph_0/{name}"]
    assert "1 of tensors besides" in str(result["message"])
    # All four tensors, including nested ones, and no number; upstream exports tensors with code.
    asked = (tmp_path / "ir/graph_0/asked.json").read_text()
    assert asked == '[4, true, {"optimization_level": "1"}]'


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("empty", "graph_0/main.py is empty"),
        ("broken", "graph_0/main.py, line 1: invalid syntax"),
        ("no tensors", "no tensors were written"),
        ("raises", "RuntimeError: Error code: 13; graph_0 has no main.py file"),
    ],
)
def test_code_that_is_not_whole_is_a_failure_and_is_not_copied(
    tmp_path: Path, plugin: Path, export: Export, monkeypatch: pytest.MonkeyPatch, mode: str, said: str
) -> None:
    monkeypatch.setenv("FAKE_PLUGIN", mode)
    ran = export(f"--to={PYTHON}", f"--export-path={tmp_path / 'out'}")
    assert ran.code == 1, ran.output
    assert str(_result(ran)["message"]).startswith(said)
    assert not (tmp_path / "out").exists()


def test_a_plugin_that_aborts_ends_the_process_by_its_signal(
    plugin: Path, export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_PLUGIN", "aborts")
    assert export(f"--to={PYTHON}").code < 0


def test_without_a_plugin_there_is_no_code_and_the_message_says_what_needs_none(export: Export) -> None:
    ran = export(f"--to={PYTHON}")
    assert ran.code == 2
    problem = _result(ran)["problem"]
    assert isinstance(problem, dict)
    assert problem["message"].startswith("codegen_py needs Tenstorrent's plugin: torch_xla, pjrt_plugin_tt, tt_torch")
    assert problem["message"].endswith("Graphs and StableHLO need none: --kind export")


def test_a_place_with_files_is_left_as_it_is_and_nothing_is_run(tmp_path: Path, export: Export) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/main.py").write_text("edited")
    ran = export(f"--export-path={tmp_path / 'out'}")
    assert ran.code == 2
    assert "is not empty" in ran.output
    assert "FX" not in ran.output
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["main.py"]


_NET = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = torch.nn.LSTM(4, 4)

    {before}
    def forward(self, x, pair, scale=1, mask=None):
        y, _ = self.lstm(x)
        torch._dynamo.graph_break()
        return {result}

"""
_POOLED = "torch.nn.functional.avg_pool3d(y.reshape(1, 1, 1, 2, 4), 1)"


def _with_net(checkout: Path, before: str, result: str) -> None:
    """Write the loader with a model that has an LSTM and a graph break."""
    head, _, tail = _LOADER.partition("class Net(torch.nn.Module):")
    net, rest = _NET.format(before=before, result=result), tail.partition("class ModelLoader")[2]
    (checkout / "third_party/tt_forge_models/tiny/pytorch/loader.py").write_text(f"{head}{net}class ModelLoader{rest}")


def test_recurrent_models_graph_breaks_and_ops_that_the_cpu_lacks(tmp_path: Path, loader: Path, export: Export) -> None:
    _with_net(loader, "", _POOLED)
    ran = export()
    assert ran.code == 0, ran.output
    assert _result(ran)["exported"] == ["forward.fx.0.py", "forward.fx.1.py"]
    assert "torch.lstm" in (tmp_path / "ir/forward.fx.0.py").read_text()
    assert "avg_pool3d" in (tmp_path / "ir/forward.fx.1.py").read_text()


def test_a_model_of_which_no_graph_is_traced_is_a_failure(loader: Path, export: Export) -> None:
    _with_net(loader, "@torch._dynamo.disable", "y")
    ran = export()
    assert ran.code == 1
    assert "torch.compile has traced no graph of this model" in str(_result(ran)["message"])
