# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.run: one test from loader to comparison, through plain PyTorch."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from .conftest import TinyLoader

torch: Any = pytest.importorskip("torch")
execute: Any = importlib.import_module("core.payload.ttmatrix_payload.execute")


def run(loader: Any, backend: Any = None, **asked: Any) -> Any:
    backend = backend or execute.choose_backend("eager")
    return execute.execute(loader, execute.Settings(**asked), backend, lambda _: None)


def test_inference_gives_one_comparison_and_two_samples(tiny: TinyLoader) -> None:
    done = run(tiny)
    assert [(one.passed, one.pcc) for one in done.comparisons] == [(True, 1.0)]
    assert len(done.samples) == 2
    assert (done.backend, done.device, done.batch_size, done.input_shape) == ("eager", "CPU", 1, (1, 4))
    assert done.parameters == 15
    assert not tiny.model.training
    assert run(tiny, measure=False).samples == []


def test_training_compares_gradients_then_outputs(tiny: TinyLoader) -> None:
    done = run(tiny, mode="training")
    assert [one.passed for one in done.comparisons] == [True, True]
    assert done.batch_size == 2
    assert done.samples == []
    assert tiny.model.training
    assert run(tiny, mode="training", batch_size=5).batch_size == 5


def test_dropout_is_the_same_on_both_sides(tiny: TinyLoader) -> None:
    tiny.model = torch.nn.Sequential(tiny.model, torch.nn.Dropout(0.5))
    done = run(tiny, mode="training", batch_size=64)
    assert [one.atol for one in done.comparisons] == [0.0, 0.0]


def test_stages_come_in_order_and_the_result_early(tiny: TinyLoader) -> None:
    told: list[Any] = []
    execute.execute(tiny, execute.Settings(), execute.choose_backend("eager"), told.append, told.append)
    first, early, last = told
    assert (first, last) == ("FE_COMPILATION_START", "RUNTIME_EXECUTION_START")
    assert early.parameters == 15


class Wrong(execute.choose_backend("eager").__class__):  # type: ignore[misc]
    """A compiler with a mistake."""

    def compile(self, model: Any, settings: Any, stage: Any) -> Any:
        return lambda x: model(x).flip(-1)


def test_a_wrong_compiler_is_found_out(tiny: TinyLoader) -> None:
    for mode in ("inference", "training"):
        done = run(tiny, Wrong(), mode=mode)
        assert [one.passed for one in done.comparisons] == [False] * len(done.comparisons)
        with pytest.raises(AssertionError, match=r"^Evaluation result 0 failed: (\[\w+\] )?PCC comparison failed\. "):
            execute.check(done, execute.Settings(mode=mode))
        execute.check(done, execute.Settings(mode=mode, assert_pcc=False))


def test_a_failed_pattern_fails_the_test(tiny: TinyLoader) -> None:
    done = run(tiny)
    done.filechecks = [execute.FileCheck("mul.ttnn", True)]
    execute.check(done, execute.Settings())
    done.filechecks = [execute.FileCheck("add.ttnn", None, "no FileCheck")]
    with pytest.raises(AssertionError, match=r"FileCheck did not run for pattern 'add\.ttnn': no FileCheck"):
        execute.check(done, execute.Settings())
    done.filechecks = []
    done.filechecks.append(execute.FileCheck("sub.ttnn", False, "expected string not found"))
    with pytest.raises(AssertionError, match=r"FileCheck failed for pattern 'sub\.ttnn': expected string not found"):
        execute.check(done, execute.Settings())


@pytest.mark.parametrize("mode", ["inference", "training"])
def test_patterns_are_looked_at_in_both_modes(tiny: TinyLoader, tmp_path: Path, mode: str) -> None:
    absent = tmp_path / "absent.ttnn.mlir"
    done = run(tiny, mode=mode, filechecks=(absent,))
    with pytest.raises(AssertionError, match=r"FileCheck failed for pattern 'absent\.ttnn': there is no /"):
        execute.check(done, execute.Settings(mode=mode))


def test_what_the_model_raises_is_raised(tiny: TinyLoader) -> None:
    tiny.inputs = lambda rows, dtype: torch.ones(rows, 5, dtype=dtype)
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        run(tiny)
    tiny.inputs = lambda rows, dtype: 7
    with pytest.raises(TypeError, match="load_inputs gave int"):
        run(tiny)


def test_a_list_that_nobody_unpacks_has_no_shape(tiny: TinyLoader) -> None:
    tiny.unpack_forward_output = lambda output: [output]  # type: ignore[method-assign]
    with pytest.raises(AttributeError, match="'list' object has no attribute 'shape'"):
        run(tiny, mode="training")


def test_a_model_may_write_to_its_inputs(tiny: TinyLoader) -> None:
    class Counting(torch.nn.Module):  # type: ignore[misc]
        def forward(self, cache: Any) -> Any:
            cache += 1
            return cache * 1

    tiny.model = Counting()
    assert run(tiny).comparisons[0].atol == 0.0


def test_the_host_alone_cannot_be_parallel() -> None:
    eager = execute.choose_backend("eager")
    assert execute.skip_reason(execute.Settings(), eager) is None
    two = execute.skip_reason(execute.Settings(parallelism="data_parallel"), eager)
    assert two == "data_parallel wants 2 or more devices, the backend eager has 1"
    mesh = execute.skip_reason(execute.Settings(parallelism="tensor_parallel", mesh=(2, 4)), eager)
    assert mesh == "tensor_parallel wants 8 devices, the backend eager has 1"


def test_padding_of_a_prefill_does_not_count(tiny: TinyLoader) -> None:
    torch.manual_seed(1)
    mask = torch.tensor([[1, 1, 1, 0]])

    class Model(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, attention_mask: Any) -> Any:
            return x * 1

    class NoisyPadding(Wrong):
        def compile(self, model: Any, settings: Any, stage: Any) -> Any:
            return lambda x, attention_mask: x + (1 - attention_mask)[..., None] * 100

    tiny.model = Model()
    tiny.load_inputs_prefill = (  # type: ignore[attr-defined]
        lambda dtype_override, batch_size, seq_len: {"x": torch.randn(1, 4, 8), "attention_mask": mask}
    )
    tiny.inputs = lambda rows, dtype: tiny.load_inputs_prefill(dtype, 1, 4)  # type: ignore[attr-defined]
    assert run(tiny, NoisyPadding(), phase="llm_prefill", seq_len=4).comparisons[0].passed
    assert not run(tiny, NoisyPadding()).comparisons[0].passed


@pytest.mark.parametrize(
    ("mesh", "there", "skipped"), [(None, 1, True), (None, 3, False), ((2, 4), 8, False), ((2, 4), 9, True)]
)
def test_a_mesh_wants_exactly_its_devices(mesh: tuple[int, int] | None, there: int, skipped: bool) -> None:
    class Several(execute.choose_backend("eager").__class__):  # type: ignore[misc]
        def device_count(self) -> int:
            return there

    reason = execute.skip_reason(execute.Settings(parallelism="tensor_parallel", mesh=mesh), Several())
    assert (reason is not None) is skipped
    assert execute.skip_reason(execute.Settings(), Several()) is None
