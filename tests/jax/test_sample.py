# SPDX-License-Identifier: Apache-2.0
"""JAX models of the sample checkout for real: outcomes as documented, on one device and on virtual meshes."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.domain.ids import TestId
from core.domain.model import Framework, Status
from core.runs import Outcome, Testcase as Case
from core.runs.planning.kinds import PROGRAMS
from core.sources import Checkout, Schema, read_expectations
from tests.jax.sessions import output, repro, session
from tests.support.cli import call
from tests.support.models import jax_python
from tests.support.sample import sample_checkout

pytestmark = [pytest.mark.jax, pytest.mark.timeout(900)]

TENSOR = "sharded_mlp/jax-Tensor_Split-tensor_parallel-inference"
BATCH = "sharded_mlp/jax-Batch_Split-data_parallel-inference"
TRAINED = (
    "sharded_mlp/jax-Tensor_Split-tensor_parallel-training",
    "sharded_mlp/jax-Batch_Split-data_parallel-training",
)
NO_MESH = "mlp_classifier/jax-Hidden_256-data_parallel-inference"
WANTED = {
    "mlp_classifier/jax-Hidden_64-single_device-inference": (Outcome.PASS, "PASSED"),
    "mlp_classifier/jax-Hidden_64-single_device-training": (Outcome.PASS, "PASSED"),
    "mlp_classifier/jax-Hidden_256-single_device-inference": (Outcome.PASS, "PASSED"),
    # Its memory is that of a device, which is made up.
    "mlp_classifier/jax-Hidden_256-single_device-training": (Outcome.XFAIL, "PASSED"),
    "sharded_mlp/jax-Tensor_Split-single_device-inference": (Outcome.PASS, "PASSED"),
    "log_ratio/jax-single_device-inference": (Outcome.XFAIL, "INCORRECT_RESULT"),
    "topk_gate/jax-single_device-inference": (Outcome.XFAIL, "FAILED_FE_COMPILATION"),
    "topk_gate/jax-single_device-training": (Outcome.SKIP, "FAILED_FE_COMPILATION"),
    NO_MESH: (Outcome.XFAIL, "FAILED_FE_COMPILATION"),
    TENSOR: (Outcome.PASS, "PASSED"),
    BATCH: (Outcome.PASS, "PASSED"),
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("jax") / "sample")


@pytest.fixture(scope="module")
def on_four(sample: Checkout) -> Mapping[str, Case]:
    return session(sample, 4, *WANTED, *TRAINED)


def test_every_entry_is_known_here(sample: Checkout) -> None:
    found = {entry.id: entry for file in read_expectations(sample, Schema()) for entry in file.entries}
    parsed = {id: TestId.parse(id) for id in found}
    jax = {id for id, one in parsed.items() if one and one.framework is Framework.JAX}
    assert jax == {*WANTED}
    words = {Outcome.PASS: Status.EXPECTED_PASSING, Outcome.XFAIL: Status.KNOWN_FAILURE_XFAIL}
    words[Outcome.SKIP] = Status.NOT_SUPPORTED_SKIP
    assert {id: found[id].fields["status"] for id in jax} == {id: words[end].value for id, (end, _) in WANTED.items()}


def test_every_entry_ends_as_it_says(on_four: Mapping[str, Case]) -> None:
    assert {id: (one.outcome, one.tags["bringup_status"]) for id, one in on_four.items() if id in WANTED} == WANTED


def test_reports_are_those_of_upstream(on_four: Mapping[str, Case]) -> None:
    passed = on_four["mlp_classifier/jax-Hidden_64-single_device-training"]
    assert (passed.tags["pcc"], passed.tags["comparison_passed"]) == (1.0, True)
    assert "'framework': 'jax'" in str(passed.tags["model_info"])
    # Upstream counts parameters of torch models alone.
    assert "model_size_billions" not in passed.tags
    assert (passed.properties["backend"], passed.properties["device"]) == ("xla", "CPU")
    traced = on_four["topk_gate/jax-single_device-inference"]
    assert "TracerBoolConversionError" in str(traced.tags["failing_reason"])
    assert "pcc=nan" in on_four["log_ratio/jax-single_device-inference"].properties["error_message"]


def test_the_log_names_the_file_checks_that_are_not_run(sample: Checkout) -> None:
    entries = sample.root / "tests/runner/test_config/jax"
    id = "mlp_classifier/jax-Hidden_64-single_device-inference"
    (file,) = (one for one in entries.glob("*.yaml") if f"{id}:" in one.read_text())
    text = file.read_text()
    file.write_text(text.replace(f"{id}:\n", f"{id}:\n    filechecks: [fused.ttnn.mlir]\n"))
    try:
        assert "FileCheck is not run on JAX models: fused.ttnn.mlir" in output(sample, id)
    finally:
        file.write_text(text)


def test_a_mesh_of_two_and_of_four(sample: Checkout, on_four: Mapping[str, Case]) -> None:
    assert {on_four[id].properties["device"] for id in (TENSOR, BATCH)} == {"CPU, 4 virtual devices"}
    on_two = session(sample, 2, TENSOR, BATCH)
    assert {id: (one.outcome, one.properties["device"]) for id, one in on_two.items()} == dict.fromkeys(
        (TENSOR, BATCH), (Outcome.PASS, "CPU, 2 virtual devices")
    )


def test_nothing_is_trained_on_a_mesh_as_by_upstreams_tester(on_four: Mapping[str, Case]) -> None:
    for id in TRAINED:
        trained = on_four[id]
        assert (trained.outcome, trained.tags["bringup_status"]) == (Outcome.FAIL, "FAILED_FE_COMPILATION")
        assert trained.properties["error_message"] == "Not specified"
        assert trained.properties["device"] == "CPU, 4 virtual devices"


def test_programs_are_saved(sample: Checkout, on_four: Mapping[str, Case]) -> None:
    assert on_four
    for id, sign in (
        (TENSOR, "num_partitions = 4"),
        ("mlp_classifier/jax-Hidden_64-single_device-training", "dot_general"),
    ):
        place = sample.root / "ir-4" / id.replace("/", "_")
        assert sign in (place / "forward.stablehlo.mlir").read_text()
        assert "let" in (place / "forward.jaxpr").read_text()
    assert "transpose" in (place / "backward.jaxpr").read_text()


def test_the_cpu_repro_shows_dtypes_shapes_and_structure(sample: Checkout) -> None:
    kept = sample.root / "kept"
    code, result, output = repro(sample, "mlp_classifier/jax", "training", "--variant=Hidden_64", f"--programs={kept}")
    assert code == 0, output
    own, other = result["phases"]
    assert [(one["dtype"], one["ok"]) for one in (own, other)] == [("float32", True), ("bfloat16", True)]
    assert (own["inputs"], other["weights"]) == (
        [{"name": "array", "type": "Array", "dtype": "float32", "shape": [1, 784]}],
        {"bfloat16": 4},
    )
    assert own["output"]["leaves"][0]["shape"] == [1, 10]
    assert result["pcc"]["outputs"]["value"] > 0.99
    assert result["pcc"]["gradients"]["compared"] > 1
    assert result["pcc"]["gradients"]["value"] > 0.99
    assert sorted(path.name for path in (kept / "bfloat16").iterdir()) == ["forward.jaxpr", "forward.stablehlo.mlir"]


def test_the_cpu_repro_says_where_a_model_fails(sample: Checkout) -> None:
    code, result, output = repro(sample, "topk_gate/jax", "inference")
    (own,) = result["phases"]
    assert (code, own["step"], own["error_type"]) == (1, "forward", "TracerBoolConversionError"), output
    assert own["frames"][-1]["file"] == "third_party/tt_forge_models/topk_gate/jax/loader.py"


def test_a_run_of_the_command_line(sample: Checkout, own_home: Path) -> None:
    (own_home / "config").mkdir(parents=True)
    (own_home / "config/settings.toml").write_text(f'python = "{jax_python()}"\n')
    id = "mlp_classifier/jax-Hidden_64-single_device-inference"
    for kind in ("cpu", "device"):
        called = call("run", id, "--repo", sample.root, "--kind", kind, "--wait", "--json")
        assert called.code == 0, called.err + called.out
        (run,) = called.json
        assert run["outcome"] == "pass"
        kept = [*own_home.glob(f"**/{run['run']}/{PROGRAMS}/**/forward.stablehlo.mlir")]
        assert kept, run
