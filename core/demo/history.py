# SPDX-License-Identifier: Apache-2.0
"""The history of the sample checkout: one commit for each kind of edit that real expectation files see."""

from core.demo.replay import Replacement, ReplayedCommit
from core.demo.template import TEST_CONFIG

_INFERENCE = f"{TEST_CONFIG}/torch/test_config_inference_single_device.yaml"
_DATA_PARALLEL = f"{TEST_CONFIG}/torch/test_config_inference_data_parallel.yaml"
_TENSOR_PARALLEL = f"{TEST_CONFIG}/torch/test_config_inference_tensor_parallel.yaml"
_TRAINING = f"{TEST_CONFIG}/torch/test_config_training_single_device.yaml"
_LLM_INFERENCE = f"{TEST_CONFIG}/torch_llm/test_config_inference_single_device.yaml"
_DURATIONS = ".test_durations"
_LSTM = "third_party/tt_forge_models/lstm_forecaster/pytorch/loader.py"
_TINYNET = "third_party/tt_forge_models/tinynet/pytorch/loader.py"

_PASSES = "    status: EXPECTED_PASSING\n"
_NOT_UNPACKED = """\
    status: KNOWN_FAILURE_XFAIL
    bringup_status: FAILED_FE_COMPILATION
    reason: "ValueError: No handler for class tuple exists in `unpack_forward_output`."
"""
_ABORTS = """\
    status: NOT_SUPPORTED_SKIP
    bringup_status: FAILED_FE_COMPILATION
    reason: "Fatal Python error: Aborted"
"""
_UNPACKING = '''
    def unpack_forward_output(self, fwd_output):
        """The forecast; the final state is not trained on."""
        forecast, _state = fwd_output
        return forecast
'''
_LONGEST_PROMPT = """
  nano_lm/causal_lm/pytorch-Nano_2L-llm_prefill-seq_8192-batch_4-single_device-mesh_default-inference:
    supported_archs: ["p150"]
    status: EXPECTED_PASSING
    markers: [large]
"""


def _fields(path: str, test_id: str, before: str, after: str) -> Replacement:
    """Replaces all fields of one entry."""
    return Replacement(path, f"  {test_id}:\n{before}", f"  {test_id}:\n{after}")


def _renamed(before: str, after: str, *paths: str) -> tuple[Replacement, ...]:
    return tuple(Replacement(path, before, after) for path in paths)


COMMITS = (
    ReplayedCommit("2026-03-02", "Add the sample models and what is expected of them"),
    ReplayedCommit(
        "2026-03-09",
        "Expect training of the LSTM forecaster to pass\n\nIts loader picks the forecast from the output now.",
        (
            Replacement(_LSTM, "", _UNPACKING),
            _fields(_TRAINING, "lstm_forecaster/pytorch-Hourly-single_device-training", _NOT_UNPACKED, _PASSES),
            _fields(_TRAINING, "lstm_forecaster/pytorch-Daily-single_device-training", _NOT_UNPACKED, _PASSES),
        ),
    ),
    ReplayedCommit(
        "2026-03-17",
        "Skip VoxelScatter, which takes the process down\n\nAn expected failure does not survive SIGABRT; a skip does.",
        (
            _fields(_INFERENCE, "voxel_scatter/pytorch-Grid_8-single_device-inference", _PASSES, _ABORTS),
            _fields(_INFERENCE, "voxel_scatter/pytorch-Grid_16-single_device-inference", _PASSES, _ABORTS),
        ),
    ),
    ReplayedCommit(
        "2026-03-30",
        "Name the TinyNet variants as the model hub does",
        (
            *_renamed('V1_5 = "V1_5"', 'V1_5 = "tiny/net-v1.5"', _TINYNET),
            *_renamed('"V1_5_Aug"', '"tiny/net-v1.5+aug"', _TINYNET),
            *_renamed(
                "tinynet/pytorch-V1_5-",
                "tinynet/pytorch-tiny/net-v1.5-",
                *(_INFERENCE, _TRAINING, _DATA_PARALLEL, _DURATIONS),
            ),
            *_renamed("tinynet/pytorch-V1_5_Aug-", "tinynet/pytorch-tiny/net-v1.5+aug-", _INFERENCE, _DURATIONS),
        ),
    ),
    ReplayedCommit(
        "2026-04-13",
        "Take the reasons of training failures from the errors",
        (
            Replacement(
                _TRAINING,
                '"Does not train yet"',
                '"AssertionError: targets should not be none when in training mode"',
            ),
            Replacement(
                _TRAINING,
                '"Decoder inputs are missing"',
                '"ValueError: You have to specify either decoder_input_ids or decoder_inputs_embeds"',
            ),
            Replacement(
                _TRAINING,
                '"BatchNorm fails with ',
                '"ValueError: Expected more than 1 value per channel when training, got ',
            ),
        ),
    ),
    ReplayedCommit(
        "2026-04-27",
        "Run NanoLM on lb-blackhole and with the longest prompt",
        (
            Replacement(_TENSOR_PARALLEL, "", ', "lb-blackhole"'),
            Replacement(_LLM_INFERENCE, "", _LONGEST_PROMPT),
            Replacement(_INFERENCE, "", "    required_pcc: 0.98 # PCC drop when changing inputs.\n"),
        ),
    ),
)
"""Oldest first. Only the last state is shipped; `replay.states` derives the earlier ones."""
