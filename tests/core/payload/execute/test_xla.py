# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.xla: models of the sample through torch-xla for real, on one device and on several."""

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.models import Ask

pytest.importorskip("torch")
xla: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.xla")

ONE_RUN = ["FE_COMPILATION_START", "TTMLIR_COMPILATION_START", "RUNTIME_EXECUTION_START"]
NANO = {"loader": "nano_lm/causal_lm/pytorch", "variants": ["Nano_1L"]}
PREFILL = {**NANO, "variants": ["Nano_2L"]}


def test_the_cpu_is_used_where_nobody_names_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla.importlib.util, "find_spec", lambda _: object())
    monkeypatch.setenv("PJRT_DEVICE", "TPU")
    assert xla.Xla().missing() is None
    assert xla.os.environ["PJRT_DEVICE"] == "TPU"
    monkeypatch.delenv("PJRT_DEVICE")
    xla.Xla().missing()
    assert xla.os.environ.pop("PJRT_DEVICE") == "CPU"


@pytest.mark.xla
def test_inference_is_compiled_timed_and_close(xla_sample: Ask) -> None:
    done = xla_sample({"loader": "conv_classifier/pytorch", "variants": ["Width_8"]})
    assert (done["passed"], done["device"], done["stages"], done["samples"]) == (True, "CPU", ONE_RUN, 2), done
    assert done["pcc"][0] > 0.999


@pytest.mark.xla
@pytest.mark.parametrize("loader", ["attention_unet_small/pytorch", "bev_planner/pytorch"])
def test_gradients_are_close(xla_sample: Ask, loader: str) -> None:
    """Gradients of biases are not, if XLA sums in bfloat16: 0.0 and 0.96."""
    done = xla_sample({"loader": loader, "variants": [None], "settings": {"mode": "training"}})
    assert done["stages"] == [*ONE_RUN, *ONE_RUN[1:]], done
    assert len(done["pcc"]) == 2
    assert done["passed"], done["text"]


@pytest.mark.xla
@pytest.mark.parametrize(
    ("job", "settings", "device"),
    [
        (NANO, {"phase": "llm_decode"}, "CPU"),
        (NANO, {"parallelism": "data_parallel"}, "CPU, 2 virtual devices"),
        (NANO, {"parallelism": "tensor_parallel", "mode": "training"}, "CPU, 2 virtual devices"),
        (
            PREFILL,
            {"parallelism": "tensor_parallel", "mesh": [2, 4], "strategy": "fsdp", "shard_inputs": True},
            "CPU, 8 virtual devices",
        ),
        (PREFILL, {"parallelism": "tensor_parallel", "mesh": [1, 4], "strategy": "megatron"}, "CPU, 4 virtual devices"),
    ],
)
def test_a_language_model_is_spread_over_devices(
    xla_sample: Ask, job: dict[str, Any], settings: dict[str, Any], device: str
) -> None:
    if "mesh" in settings:
        settings = {"phase": "llm_prefill", "seq_len": 128, "batch_size": 2, **settings}
    done = xla_sample({**job, "settings": settings})
    assert (done.get("passed"), done.get("device")) == (True, device), done


@pytest.mark.xla
def test_a_parallel_test_on_too_few_devices_says_so(xla_sample: Ask) -> None:
    settings = {"parallelism": "data_parallel"}
    done = xla_sample({**NANO, "settings": settings, "environ": {"CPU_NUM_DEVICES": "1"}})
    assert done == {"skip": "data_parallel wants 2 or more devices, the backend xla has 1"}


@pytest.mark.xla
def test_what_the_compiler_was_given_is_saved(xla_sample: Ask, tmp_path: Path) -> None:
    settings = {"parallelism": "tensor_parallel", "measure": False, "serialize_to": str(tmp_path / "ir")}
    done = xla_sample({**NANO, "settings": settings})
    assert done.get("passed"), done
    text = (tmp_path / "ir/forward.stablehlo.mlir").read_text()
    assert "stablehlo.dot_general" in text
    assert "mhlo.sharding" in text
    told = json.loads((tmp_path / "ir/compile_options.json").read_text())
    assert told == {"backend": "xla", "device": "CPU, 2 virtual devices", "options": {}}
