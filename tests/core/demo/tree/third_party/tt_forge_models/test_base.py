# SPDX-License-Identifier: Apache-2.0
"""Every sample model, through the interface of its loader, does what its loader and its entries say it does."""

import importlib.util
import json
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import TestId
from core.domain.model import Entry, Framework
from core.sources import Checkout, Schema, loader_directories, read_expectations, scan_loaders

pytestmark = pytest.mark.slow("the sample's models run")

PROBE = str(Path(__file__).with_name("probe.py"))
PASSES = "EXPECTED_PASSING"

MISTAKES = {
    "patch_vit/pytorch-Small_Patch8-single_device-training",
    "text_cnn/pytorch-Wide-single_device-inference",
    "video_pool3d/pytorch-Clip_8-single_device-inference",
}
"""Entries that are wrong on purpose; the README lists them, and one dead override."""

PASSING = (
    "attention_unet_small",
    "bev_planner",
    "conv_classifier",
    "deep_sets",
    "graph_conv/node_classification",
    "lstm_forecaster",
    "mlp_classifier",
    "mlp_mixer_tiny",
    "nano_lm/causal_lm",
    "nano_lm_lora/causal_lm",
    "patch_vit",
    "subword_classifier",
    "text_cnn",
    "tinynet",
    "variance_pool",
)

FAILING = [
    ("tabular_fusion", "inference", "bfloat16", "forward", "must have the same dtype"),
    ("tabular_fusion", "inference", "float32", "done", ""),
    ("tabular_fusion", "training", "bfloat16", "forward", "must have the same dtype"),
    ("tabular_fusion", "training", "float32", "done", ""),
    ("prototype_net", "training", "bfloat16", "forward", "\"cdist\" not implemented for 'BFloat16'"),
    ("prototype_net", "training", "float32", "done", ""),
    ("video_pool3d", "training", "bfloat16", "forward", "not implemented for 'BFloat16'"),
    ("video_pool3d", "training", "float32", "done", ""),
    ("grid_detector", "training", "float32", "unpack", "No handler for class list exists in `unpack_forward_output`."),
    ("grid_detector", "inference", "bfloat16", "done", ""),
    ("depth_unet", "training", "float32", "unpack", "No handler for class DepthMapOutput exists"),
    ("stereo_depth", "training", "float32", "unpack", "No handler for class DepthMapOutput exists"),
    ("anchor_rcnn", "training", "bfloat16", "forward", "targets should not be none when in training mode"),
    ("anchor_rcnn", "inference", "bfloat16", "done", ""),
    ("seq2seq_mini", "training", "bfloat16", "forward", "either decoder_input_ids or decoder_inputs_embeds"),
    ("seq2seq_mini", "inference", "float32", "forward", "either decoder_input_ids or decoder_inputs_embeds"),
    ("metric_embedder", "training", "bfloat16", "forward", "Expected more than 1 value per channel when training"),
    ("metric_embedder", "inference", "bfloat16", "done", ""),
]


MENDED = {
    "tabular_fusion/pytorch/loader.py": ("zeros(batch_size, 6)", "zeros(batch_size, 6, dtype=dtype_override)"),
    "training_utils.py": (
        '\n_register_attr("I',
        '\n_register_attr("DepthMapOutput", "predicted_depth")\n_register_attr("I',
    ),
    "anchor_rcnn/pytorch/loader.py": (
        "return random_normal(batch_size, 3, 32, 32, dtype=dtype_override)",
        "images = random_normal(batch_size, 3, 32, 32, dtype=dtype_override)\n"
        "        target = {'boxes': torch.tensor([[0.0, 0.0, 8.0, 8.0]]), 'labels': torch.tensor([1])}\n"
        "        return {'images': images, 'targets': [target] * batch_size}",
    ),
    "seq2seq_mini/pytorch/loader.py": (
        "vocabulary=64)}",
        "vocabulary=64), 'decoder_input_ids': random_tokens(batch_size, 4, vocabulary=64)}",
    ),
    "metric_embedder/pytorch/loader.py": ("random_normal(1,", "random_normal(2,"),
    "grid_detector/pytorch/loader.py": (
        "    def load_inputs",
        "    def unpack_forward_output(self, fwd_output):\n"
        "        return torch.cat([grid.flatten(1) for grid in fwd_output], dim=1)\n\n"
        "    def load_inputs",
    ),
}
"""The smallest edit that mends a model, by file below the models root."""


@pytest.fixture(scope="session")
def probed(sample: Checkout, warm_torch: Path) -> dict[str, Any]:
    """What the models did, by loader directory."""
    return _probe(sample.root, warm_torch)


def _probe(root: Path, python: Path) -> dict[str, Any]:
    """All models in one process."""
    done = subprocess.run([str(python), PROBE], cwd=root, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _entries(sample: Checkout) -> list[tuple[Entry, TestId]]:
    found = [entry for file in read_expectations(sample, Schema()) for entry in file.entries]
    parsed = [(entry, TestId.parse(entry.id)) for entry in found]
    return [(entry, test_id) for entry, test_id in parsed if test_id is not None]


@pytest.mark.parametrize("model", PASSING)
def test_a_passing_model_passes_in_both_modes_and_dtypes(probed: dict[str, Any], model: str) -> None:
    for variant, modes in probed[f"{model}/pytorch"]["cells"].items():
        errors = [modes[mode][dtype]["error"] for mode in modes for dtype in ("bfloat16", "float32")]
        assert errors == ["", "", "", ""], variant


@pytest.mark.parametrize(("model", "mode", "dtype", "step", "error"), FAILING)
def test_a_failing_model_fails_where_and_how_it_says(
    probed: dict[str, Any], model: str, mode: str, dtype: str, step: str, error: str
) -> None:
    for variant, modes in probed[f"{model}/pytorch"]["cells"].items():
        result = modes[mode][dtype]
        assert (result["step"], error in result["error"]) == (step, True), (variant, result)


def test_what_a_loader_gets_wrong_is_fixed_by_one_small_edit(
    sample: Checkout, tmp_path: Path, warm_torch: Path
) -> None:
    mended = Checkout(tmp_path / "mended")
    shutil.copytree(sample.root, mended.root)
    for name, (before, after) in MENDED.items():
        file = mended.models / name
        text = file.read_text(encoding="utf-8")
        assert text.count(before) == 1, name
        file.write_text(text.replace(before, after), encoding="utf-8")
    probed = _probe(mended.root, warm_torch)
    models = {name.removesuffix("/loader.py") for name in MENDED if name.endswith("/loader.py")}
    for directory in (*models, "depth_unet/pytorch", "stereo_depth/pytorch"):
        for modes in probed[directory]["cells"].values():
            assert {modes[mode]["bfloat16"]["error"] for mode in modes} == {""}, directory


def test_only_one_model_differs_between_the_dtypes(probed: dict[str, Any]) -> None:
    for directory, facts in probed.items():
        values = [modes["inference"]["pcc"] for modes in facts.get("cells", {}).values()]
        for value in (value for value in values if value is not None):
            assert (value < 0.9) == (directory == "variance_pool/pytorch"), (directory, value)


def test_the_language_models_decode_and_prefill(probed: dict[str, Any]) -> None:
    for directory in ("nano_lm/causal_lm/pytorch", "nano_lm_lora/causal_lm/pytorch"):
        assert probed[directory]["llm"] == {"decode": [1, 1, 256], "prefill": [4, 1024, 256], "sharded": [12]}
        assert probed[directory]["decode"] and probed[directory]["prefill"] == ["Nano_2L"]


JAX = ("log_ratio/jax", "mlp_classifier/jax", "sharded_mlp/jax", "topk_gate/jax")


def test_every_loader_imports_but_the_broken_one_and_jax(probed: dict[str, Any]) -> None:
    errors = {directory: facts["import_error"] for directory, facts in probed.items() if "import_error" in facts}
    if importlib.util.find_spec("jax") is None:
        assert all("'jax'" in errors.pop(directory) for directory in JAX)
    assert errors.keys() == {"spot_detector/pytorch"}
    assert "spot_postprocess" in errors["spot_detector/pytorch"]
    assert len(probed) == 31


def test_names_are_distinct_and_three_groups_take_part(probed: dict[str, Any]) -> None:
    names = [name for facts in probed.values() for name in facts.get("names", ())]
    assert len(set(names)) == len(names) > 50
    assert {group for facts in probed.values() for group in facts.get("groups", ())} == {
        "red",
        "generality",
        "priority",
    }
    assert "pytorch_BEVPlanner_None_mm_action_prediction_custom" in names


def test_what_the_index_reads_is_what_importing_offers(sample: Checkout, probed: dict[str, Any]) -> None:
    read = {loader.directory: loader for loader in scan_loaders(sample, loader_directories(sample.models, ()))[0]}
    assert read.keys() == probed.keys()
    for directory, facts in probed.items():
        if "variants" in facts:
            assert list(read[directory].variants or (None,)) == facts["variants"]
            assert list(read[directory].prefill_variants or ()) == facts["prefill"]
            assert read[directory].has_decode == facts["decode"]


def test_every_key_is_an_id_that_a_loader_produces(sample: Checkout, probed: dict[str, Any]) -> None:
    schema = Schema()
    for entry, test_id in _entries(sample):
        assert str(test_id) == entry.id
        if test_id.framework is Framework.JAX:
            continue
        facts = probed[test_id.directory]
        if test_id.llm is None:
            assert test_id.variant in facts["variants"]
            continue
        decode = test_id.llm.phase == "llm_decode"
        assert facts["decode"] and test_id.variant in facts["variants" if decode else "prefill"], entry.id
        assert test_id.llm.seq_len == 1 if decode else test_id.llm.seq_len in schema.llm_sequence_lengths
        assert test_id.llm.batch_size in schema.llm_batch_sizes
        assert test_id.parallelism in schema.llm_parallelisms and test_id.llm.mesh in schema.llm_meshes
    assert len(_entries(sample)) > 100


def test_entries_are_true_on_cpu_but_for_the_mistakes(sample: Checkout, probed: dict[str, Any]) -> None:
    wrong = {
        entry.id
        for entry, test_id in _entries(sample)
        if test_id.parallelism == "single_device" and test_id.framework is Framework.PYTORCH and test_id.llm is None
        if not _is_true(entry, probed[test_id.directory].get("cells", {}).get(str(test_id.variant), {}), test_id.mode)
    }
    assert wrong == MISTAKES


def _is_true(entry: Entry, modes: dict[str, Any], mode: str) -> bool:
    status, reason = entry.fields.get("status"), str(entry.fields.get("reason", ""))
    if not modes or status in (None, "EXCLUDE_MODEL"):
        return True
    error = modes[mode]["bfloat16"]["error"]
    return not error if status == PASSES else bool(error) and reason in error


def test_the_readme_lists_the_mistakes_and_the_dead_override(sample: Checkout) -> None:
    text = (sample.root / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(\S+)` \|", text.partition("## Mistakes")[2], re.MULTILINE))
    dead = {
        entry.id
        for entry, _ in _entries(sample)
        if set(entry.overrides) - set(_archs(entry.fields.get("supported_archs")))
    }
    assert len(dead) == 1
    assert listed == MISTAKES | dead


def _archs(supported: object) -> list[str]:
    return supported if isinstance(supported, list) else ["n150", "p150"]


def test_the_aborting_model_ends_its_process(sample: Checkout, warm_torch: Path) -> None:
    argv = [str(warm_torch), PROBE, "voxel_scatter/pytorch"]
    done = subprocess.run(argv, cwd=sample.root, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stdout) == (-signal.SIGABRT, "forward\n")


def test_the_hanging_model_neither_ends_nor_prints(sample: Checkout, warm_torch: Path) -> None:
    argv = [str(warm_torch), PROBE, "equilibrium_net/pytorch"]
    with subprocess.Popen(argv, cwd=sample.root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "forward\n"
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(timeout=3)
        finally:
            process.kill()
        assert process.stdout.read() == ""
