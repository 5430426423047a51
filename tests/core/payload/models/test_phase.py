# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.phase: real models in both dtypes, and the step and text of every failure."""

from pathlib import Path

import pytest

from tests.core.payload.conftest import Repro
from tests.support.wheels import wheel

HEAD = """
import torch
from ...base import ForgeModel, ForgePrefillModel

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)
    def forward(self, x):
        return self.linear(x)

class ModelLoader(ForgeModel):
    def load_model(self, dtype_override=None):
        return Net().to(dtype_override or torch.float32)
    def load_inputs(self, dtype_override=None, batch_size=1):
        return torch.ones(batch_size, 4, dtype=dtype_override)
"""
"""A model that passes; appended lines change it."""


def test_training_runs_forward_and_backward_in_both_dtypes(repro: Repro) -> None:
    ran = repro(HEAD)
    assert ran.code == 0, ran.output
    assert [(phase["dtype"], phase["ok"], phase["step"]) for phase in ran.phases] == [
        ("bfloat16", True, None),
        ("float32", True, None),
    ]
    low, full = ran.phases
    assert low["inputs"] == [{"name": "tensor", "type": "Tensor", "dtype": "bfloat16", "shape": [2, 4]}]
    assert full["output"]["leaves"] == [
        {"name": "tensor", "type": "Tensor", "dtype": "float32", "shape": [2, 3], "requires_grad": True}
    ]
    assert (low["container"], low["frames"]) == ("Tensor", [])
    assert low["parameters"] == full["parameters"] == ["x"]
    assert (low["weights"], full["weights"]) == ({"bfloat16": 2}, {"float32": 2})
    assert full["output"]["access"] == [""]
    assert ran.result
    assert ran.result["pcc"]["outputs"]["value"] > 0.999
    assert ran.result["pcc"]["gradients"]["compared"] == 2
    assert "PCC of gradients" in ran.output


def test_inference_takes_no_gradient_no_training_mode_and_the_loaders_own_batch(repro: Repro) -> None:
    ran = repro(
        HEAD
        + """
class ModelLoader(ModelLoader):
    def load_model(self, dtype_override=None):
        model = super().load_model(dtype_override)
        model.register_forward_hook(lambda m, i, o: print("grad", torch.is_grad_enabled(), "train", m.training))
        return model
    def unpack_forward_output(self, output):
        raise AssertionError("only training unpacks")
""",
        mode="inference",
    )
    assert ran.code == 0, ran.output
    assert "grad False train False" in ran.output
    assert ran.phases[0]["inputs"][0]["shape"] == [1, 4]
    assert ran.phases[0]["unpacked"] is None


@pytest.mark.parametrize(
    ("inputs", "names"),
    [
        ("[torch.ones(2, 4, dtype=dtype_override)]", ["[0]"]),
        ("(torch.ones(2, 4, dtype=dtype_override),)", ["[0]"]),
        ("{'x': torch.ones(2, 4, dtype=dtype_override)}", ["x"]),
        ("collections.UserDict(x=torch.ones(2, 4, dtype=dtype_override))", ["x"]),
    ],
)
def test_inputs_reach_the_model_as_the_runner_passes_them(repro: Repro, inputs: str, names: list[str]) -> None:
    ran = repro(
        f"""{HEAD}
import collections
class ModelLoader(ModelLoader):
    def load_inputs(self, dtype_override=None):
        return {inputs}
"""
    )
    assert ran.code == 0, ran.output
    assert [leaf["name"] for leaf in ran.phases[0]["inputs"]] == names


def test_a_loader_without_the_dtype_argument_is_called_without_it(repro: Repro) -> None:
    ran = repro(
        HEAD
        + """
class ModelLoader(ModelLoader):
    def load_model(self, **kwargs):
        assert not kwargs
        return Net()
    def load_inputs(self):
        return torch.ones(2, 4)
"""
    )
    assert ran.code == 0, ran.output
    assert ran.phases[0]["inputs"][0]["dtype"] == "float32"


def test_the_float32_phase_leaves_the_dtype_to_the_loader(repro: Repro) -> None:
    """As in the procedure: the argument is omitted, so that a loader with another default shows it."""
    ran = repro(
        HEAD
        + """
class ModelLoader(ModelLoader):
    def load_model(self, dtype_override="left out"):
        print("model:", dtype_override)
        return Net().to(torch.bfloat16 if dtype_override == "left out" else dtype_override)
    def load_inputs(self, dtype_override="left out"):
        print("inputs:", dtype_override)
        return torch.ones(2, 4, dtype=torch.bfloat16)
"""
    )
    assert ran.code == 0, ran.output
    low, _, full = ran.output.partition("===== FLOAT32 (dtype_override left out) =====")
    assert "model: torch.bfloat16" in low and "inputs: torch.bfloat16" in low and "weights that" not in low
    assert "model: left out" in full and "inputs: left out" in full
    assert "weights that are not float32: 2 of bfloat16" in full


def test_an_input_that_ignores_the_dtype_fails_in_bfloat16_only(repro: Repro) -> None:
    ran = repro(
        HEAD
        + """
class ModelLoader(ModelLoader):
    def load_inputs(self, dtype_override=None):
        return {"x": torch.ones(2, 4)}
"""
    )
    low, full = ran.phases
    assert ran.code == 1
    assert (low["ok"], low["step"], low["error_type"]) == (False, "forward", "RuntimeError")
    assert "must have the same dtype" in low["error"]
    assert low["inputs"] == [{"name": "x", "type": "Tensor", "dtype": "float32", "shape": [2, 4]}]
    assert low["container"] == "dict"
    assert full["ok"] is True
    assert "Traceback" in ran.output
    assert f"BFLOAT16: FAILED in forward: RuntimeError: {low['error']}" in ran.output


def test_an_output_without_a_handler_fails_in_unpack_with_its_structure(repro: Repro) -> None:
    ran = repro(
        HEAD
        + """
class Boxes(dict):
    pass
class Net(Net):
    def forward(self, x):
        y = super().forward(x)
        return Boxes(logits=y, levels=[y, (y, None)], count=3)
"""
    )
    low = ran.phases[0]
    assert (ran.code, low["step"], low["error_type"]) == (1, "unpack", "ValueError")
    assert low["error"] == "No handler for class Boxes exists"
    assert low["output"]["class"] == "Boxes"
    assert [(leaf["name"], leaf["type"], leaf["dtype"]) for leaf in low["output"]["leaves"]] == [
        ("logits", "Tensor", "bfloat16"),
        ("levels[0]", "Tensor", "bfloat16"),
        ("levels[1][0]", "Tensor", "bfloat16"),
        ("levels[1][1]", "NoneType", None),
        ("count", "int", None),
    ]


def test_several_unpacked_tensors_are_summed_and_that_is_said(repro: Repro) -> None:
    ran = repro(
        HEAD
        + """
class ModelLoader(ModelLoader):
    def unpack_forward_output(self, output):
        return {"a": output, "b": [output * 2, torch.ones(1)], "names": ["x"]}
"""
    )
    assert ran.code == 0, ran.output
    assert "the sum of its 2 floating-point tensors" in ran.output
    assert ran.phases[0]["unpacked"]["class"] == "dict"


@pytest.mark.parametrize(
    ("lines", "step", "error_type", "error"),
    [
        ("def load_model(self): raise KeyError('weights')", "load_model", "KeyError", "'weights'"),
        ("def load_model(self): return None", "load_model", "AttributeError", "train"),
        ("def load_inputs(self): raise OSError('offline')", "load_inputs", "OSError", "offline"),
        ("def load_inputs(self): return 7", "forward", "TypeError", "load_inputs gave int"),
        ("def load_inputs(self): import sys; sys.exit(0)", "load_inputs", "SystemExit", "0"),
        ("def unpack_forward_output(self, o): return 'x'", "backward", "TypeError", "without a tensor"),
        ("def unpack_forward_output(self, o): return o.detach()", "backward", "RuntimeError", "does not require grad"),
        (
            "def unpack_forward_output(self, o): return torch.ones(1, requires_grad=True)",
            "backward",
            "AssertionError",
            "No gradients",
        ),
    ],
)
def test_every_step_tells_its_failure(repro: Repro, lines: str, step: str, error_type: str, error: str) -> None:
    ran = repro(f"{HEAD}\nclass ModelLoader(ModelLoader):\n    {lines}\n")
    low = ran.phases[0]
    assert (ran.code, low["step"], low["error_type"]) == (1, step, error_type), ran.output
    assert error in low["error"]
    assert len(ran.phases) == 2


def test_decode_and_prefill_load_inputs_of_their_own(repro: Repro) -> None:
    loader = (
        HEAD
        + """
class ModelLoader(ModelLoader):
    _VARIANTS = {"small": None}
    def load_inputs_decode(self, dtype_override=None, batch_size=7):
        return torch.ones(batch_size, 4, dtype=dtype_override)

class ModelLoaderPrefill(ForgePrefillModel):
    _VARIANTS = {"large": None}
    load_model = ModelLoader.load_model
    def load_inputs_prefill(self, dtype_override, batch_size, seq_len):
        return torch.ones(batch_size, seq_len, 4, dtype=dtype_override)
"""
    )
    decode = repro(loader, "--phase=llm_decode", "--batch-size=1", "--variant=small", mode="inference")
    assert decode.code == 0, decode.output
    assert decode.phases[0]["inputs"][0]["shape"] == [1, 4]
    options = ["--phase=llm_prefill", "--batch-size=3", "--seq-len=16", "--variant=large"]
    prefill = repro(loader, *options, mode="inference", directory="other/pytorch")
    assert prefill.code == 0, prefill.output
    assert prefill.phases[0]["inputs"][0]["shape"] == [3, 16, 4]


NEEDS = """
class ModelLoader(ModelLoader):
    def load_model(self, dtype_override=None):
        import tt_probe
        print("probe", tt_probe.VERSION)
        return super().load_model(dtype_override)
"""


def test_a_model_gets_the_packages_of_its_loader_as_on_a_device(repro: Repro, models: Path, tmp_path: Path) -> None:
    place = models / "tiny/pytorch"
    place.mkdir(parents=True)
    wheel(tmp_path, "tt_probe", "1.5")
    (place / "requirements.txt").write_text(f"--no-index\n--find-links {tmp_path}\ntt_probe\n")
    ran = repro(HEAD + NEEDS)
    assert ran.code == 0, ran.output
    assert ran.output.count("probe 1.5") == 2
    assert "packages that the loader asks for: /" in ran.output


def test_packages_that_cannot_be_had_are_a_problem_of_the_environment(
    repro: Repro, models: Path, tmp_path: Path
) -> None:
    place = models / "tiny/pytorch"
    place.mkdir(parents=True)
    (place / "requirements.txt").write_text(f"--no-index\n--find-links {tmp_path}\nno_such_probe\n")
    ran = repro(HEAD)
    assert ran.code == 2
    assert ran.result is not None
    assert ran.result["problem"]["kind"] == "requirements"
    assert "TT_XLA_DISABLE_MODEL_REQS=1 leaves them out): pip failed" in ran.result["problem"]["message"]
    assert "no_such_probe" in ran.result["problem"]["message"]


def test_an_interruption_ends_it_without_a_result(repro: Repro) -> None:
    ran = repro(f"{HEAD}\nclass ModelLoader(ModelLoader):\n    def load_inputs(self): raise KeyboardInterrupt\n")
    assert ran.code == 99
    assert ran.result is None
    assert "FLOAT32" not in ran.output


def test_numbers_that_json_cannot_hold_stay_out(repro: Repro) -> None:
    ran = repro(
        HEAD
        + """
class Net(Net):
    def forward(self, x):
        return super().forward(x) * float("nan")
""",
        mode="inference",
    )
    assert ran.code == 0, ran.output
    assert ran.result
    assert ran.result["pcc"] == {"outputs": None, "gradients": None}


@pytest.mark.parametrize(
    ("configs", "told"),
    [
        ({"config": 5}, {"holder": "config", "token": 5}),
        ({"config": None, "generation_config": 7}, {"holder": "generation_config", "token": 7}),
        ({"config": None}, None),
        ({}, None),
    ],
)
def test_the_token_that_decoders_start_with_is_reported(
    repro: Repro, configs: dict[str, int | None], told: dict[str, object] | None
) -> None:
    lines = "".join(f"        model.{name} = C({token})\n" for name, token in configs.items())
    ran = repro(
        f"""{HEAD}
class C:
    def __init__(self, token):
        self.decoder_start_token_id = token

class ModelLoader(ModelLoader):
    def load_model(self, dtype_override=None):
        model = super().load_model(dtype_override)
{lines}        return model
"""
    )
    assert ran.code == 0, ran.output
    assert ran.phases[0]["decoder_start"] == told
