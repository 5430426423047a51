# SPDX-License-Identifier: Apache-2.0
"""dtype-bfloat16 on real models: every flavour and every row of its table."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.cli import call
from tests.workflows.conftest import TRAINING, Sample

SMALL, LARGE = (f"tabular_fusion/pytorch-{name}-single_device-training" for name in ("Small", "Large"))
LOADER = "tabular_fusion/pytorch/loader.py"
MODEL = "tabular_fusion/pytorch/src/model.py"
LAST = "return self.head(seen + torch.relu(self.row(row)))"


def test_the_constructor_that_ignores_the_dtype_is_reported(sample: Sample, untouched: Callable[[], None]) -> None:
    untouched()
    told = sample.told(SMALL)
    assert (told["workflow"], told["flavour"], told["decision"]) == ("dtype-bfloat16", "cross_dtype", "fixed")
    assert "+        row = torch.zeros(batch_size, 6, dtype=dtype_override)" in told["loader_edit"]["diff"]
    assert told["scope"] == [SMALL, LARGE]
    assert [phase["ok"] for line in told["cpu"] for phase in line["phases"]] == [False, True] * 2 + [True] * 4
    assert {leaf["name"]: leaf["dtype"] for leaf in told["cpu"][0]["phases"][0]["inputs"]} == {
        "image": "bfloat16",
        "row": "float32",
    }
    assert any("inference" in line for line in told["needs_review"])


def test_the_device_decides_each_variant(sample: Sample, tmp_path: Path) -> None:
    sample.triage(SMALL)
    failure = "<failure message=\"error: 'ttir.add' op no\">E   error: 'ttir.add' op no</failure>"
    xml = sample.device_result(tmp_path / "junit.xml", {SMALL: "", LARGE: failure})
    called = sample.triage(SMALL, "--device-result", xml, "--apply", "--json")
    yaml = (sample.checkout.test_config / TRAINING).read_text()
    assert called.code == 0
    assert f"  {SMALL}:\n    status: EXPECTED_PASSING\n\n" in yaml
    assert f"  {LARGE}:\n    status: KNOWN_FAILURE_XFAIL\n    bringup_status: FAILED_TTMLIR_COMPILATION\n" in yaml
    assert "dtype=dtype_override)\n        return" in sample.read(LOADER)


@pytest.mark.parametrize("name", ["prototype_net/pytorch-Way_5", "video_pool3d/pytorch-Clip_4"])
def test_an_operation_without_kernel_is_expected_to_fail(sample: Sample, name: str) -> None:
    told = sample.told(f"{name}-single_device-training")
    assert (told["flavour"], told["decision"], told["loader_edit"]) == ("op_not_implemented", "expected-failure", None)
    values = {op["path"][0]: op["value"] for op in told["ops"]}
    assert values.items() <= {"status": "KNOWN_FAILURE_XFAIL", "bringup_status": "FAILED_FE_COMPILATION"}.items()


def test_a_failure_that_stays_with_the_edit_takes_it_back(sample: Sample, untouched: Callable[[], None]) -> None:
    more = "seen = seen + torch.zeros(1, 6) @ self.row.weight.T\n        "
    sample.change(MODEL, LAST, f"{more}{LAST}")
    sample.change(
        MODEL, "seen = torch.relu(self.image", "torch.relu(self.row(row))\n        seen = torch.relu(self.image"
    )
    untouched()
    called = sample.triage(SMALL, "--json")
    told = called.json
    assert (called.code, told["waiting"]) == (0, None)
    assert (told["decision"], told["loader_edit"]) == ("wrong-fix-site", None)
    assert any(line.startswith("not fixed: ") for line in told["needs_review"])
    assert "make row by torch.zeros" in told["reverted"][0]
    assert {op["id"] for op in told["ops"]} == {LARGE}  # The other says so already.


def test_another_failure_behind_the_edit_becomes_the_reason_and_the_edit_stays(sample: Sample) -> None:
    sample.change(MODEL, LAST, f"torch.cdist(seen, seen)\n        {LAST}")
    sample.change(
        MODEL, "seen = torch.relu(self.image", "torch.relu(self.row(row))\n        seen = torch.relu(self.image"
    )
    called = sample.triage(SMALL, "--apply", "--json")
    told = called.json
    assert (called.code, told["decision"], told["applied"]) == (0, "new-failure", True)
    assert "dtype=dtype_override" in told["loader_edit"]["diff"]
    reasons = {op["value"] for op in told["ops"] if op["path"] == ["reason"]}
    assert reasons == {"NotImplementedError: \"cdist\" not implemented for 'BFloat16'"}
    assert "cdist" in (sample.checkout.test_config / TRAINING).read_text()
    assert "dtype=dtype_override)\n        return" in sample.read(LOADER)


def test_a_failure_of_float32_too_aborts(sample: Sample, untouched: Callable[[], None]) -> None:
    sample.change(MODEL, LAST, f"assert row.dtype != torch.float32 or seen.dtype == torch.bfloat16\n        {LAST}")
    untouched()
    told = sample.told(SMALL)
    assert "float32 fails too" in told["aborted"]
    assert (told["ops"], told["loader_edit"]) == ([], None)


def test_a_failure_that_is_gone_aborts(sample: Sample, untouched: Callable[[], None]) -> None:
    sample.change(LOADER, "torch.zeros(batch_size, 6)", "torch.zeros(batch_size, 6, dtype=dtype_override)")
    untouched()
    called = sample.triage(SMALL, "--json")
    assert (called.code, called.json["ops"]) == (1, [])
    assert "does not reproduce on CPU" in called.json["aborted"]


def test_another_failure_aborts(sample: Sample) -> None:
    sample.change(MODEL, LAST, "raise ValueError('something else')")
    told = sample.told(SMALL, "--workflow", "dtype-bfloat16")
    assert "due to a dtype mismatch: ValueError: something else" in told["aborted"]
    assert "No workflow handles this failure" in sample.told(SMALL)["aborted"]


def test_a_tensor_that_comes_from_elsewhere_is_cast_unless_there_is_no_override(sample: Sample) -> None:
    sample.change(LOADER, "torch.zeros(batch_size, 6)", "rows(batch_size)")
    sample.change(LOADER, "from .src.model import", "from .src.table import rows\nfrom .src.model import")
    table = sample.checkout.models / "tabular_fusion/pytorch/src/table.py"
    table.write_text("import torch\n\n\ndef rows(count):\n    return torch.zeros(count, 6)\n")
    told = sample.told(SMALL)
    assert told["decision"] == "fixed"
    assert "if dtype_override is not None" in told["loader_edit"]["diff"]
    assert [phase["ok"] for phase in told["cpu"][-1]["phases"]] == [True, True]


ROW = "torch.zeros(batch_size, 6)"


def test_a_model_that_stays_in_float32_is_cast(sample: Sample) -> None:
    sample.change(LOADER, ROW, "torch.zeros(batch_size, 6, dtype=dtype_override)")
    sample.change(LOADER, "return cast_model_to_type(model.eval(), dtype_override)", "return model")
    told = sample.told(SMALL)
    assert (told["flavour"], told["decision"]) == ("cross_dtype", "fixed")
    assert "+            model = model.to(dtype_override)" in told["loader_edit"]["diff"]
    assert [phase["ok"] for phase in told["cpu"][-1]["phases"]] == [True, True]


def test_one_cast_of_all_inputs_is_put_back_into_its_loop(sample: Sample) -> None:
    sample.change(LOADER, "16, 16, dtype=dtype_override)", "16, 16)")
    loop = "inputs = {k: v for k, v in {'image': image, 'row': row}.items()}\n        return inputs"
    sample.change(LOADER, 'return {"image": image, "row": row}', loop)
    told = sample.told(SMALL)
    assert told["decision"] == "fixed"
    assert "{k: v.to(dtype_override or torch.float32) for" in told["loader_edit"]["diff"]
    assert [phase["ok"] for phase in told["cpu"][-1]["phases"]] == [True, True]


def test_without_an_override_to_follow_the_entry_is_written_and_flagged(sample: Sample) -> None:
    sample.change(
        LOADER, "def load_inputs(self, dtype_override=None, batch_size=1)", "def load_inputs(self, batch_size=1)"
    )
    sample.change(LOADER, "16, 16, dtype=dtype_override)", "16, 16)")
    sample.change(MODEL, "self.image(image)", "self.image(image.to(self.image.weight.dtype))")
    called = sample.triage(SMALL, "--apply", "--json")
    told = called.json
    assert (called.code, told["waiting"], told["applied"]) == (0, None, True)
    assert (told["decision"], told["loader_edit"]) == ("no-fix-site", None)
    assert any("not fixed: load_inputs takes no dtype_override" in line for line in told["needs_review"])
    assert {op["value"] for op in told["ops"] if op["path"] == ["status"]} == {"KNOWN_FAILURE_XFAIL"}


def test_variants_are_confirmed_one_by_one(sample: Sample) -> None:
    sample.change(
        LOADER,
        "row = torch.zeros(batch_size, 6)\n",
        "row = torch.zeros(batch_size, 6)\n"
        "        if self._variant == ModelVariant.LARGE and dtype_override is not None:\n"
        "            row = row.to(dtype_override)\n",
    )
    told = sample.told(SMALL)
    assert told["scope"] == [SMALL]
    assert "passes on CPU" in told["states"][LARGE]


def test_a_model_that_aborts_the_process_is_no_case(sample: Sample) -> None:
    told = sample.told("voxel_scatter/pytorch-Grid_8-single_device-training")
    assert "came to no result: crash" in told["aborted"]


@pytest.mark.parametrize("asked", [(), ("--workflow", "dtype-bfloat16"), ("--workflow", "unpack-forward-output")])
def test_an_output_that_nobody_unpacks_beside_it_is_unpacked_first_and_both_are_one_edit(
    sample: Sample, asked: tuple[str, ...], untouched: Callable[[], None]
) -> None:
    sample.change(MODEL, LAST, f"seen = {LAST.removeprefix('return ')}\n        return seen, seen.detach()")
    untouched()
    told = sample.told(SMALL, *asked)
    assert (told["earlier"][0]["workflow"], told["earlier"][0]["decision"]) == ("unpack-forward-output", "override")
    assert (told["workflow"], told["decision"]) == ("dtype-bfloat16", "fixed")
    assert "+        row = torch.zeros(batch_size, 6, dtype=dtype_override)" in told["loader_edit"]["diff"]
    assert "+        return fwd_output[0]" in told["loader_edit"]["diff"]
    assert told["scope"] == [SMALL, LARGE]
    assert all(phase["ok"] for line in told["cpu"][-2:] for phase in line["phases"])


def test_both_edits_stay_with_apply_and_are_restored_as_one(sample: Sample, tmp_path: Path) -> None:
    sample.change(MODEL, LAST, f"seen = {LAST.removeprefix('return ')}\n        return seen, seen.detach()")
    before = sample.read(LOADER)
    assert sample.triage(SMALL, "--apply", "--json").json["loader_edit"]["in_work_tree"] is True
    xml = sample.device_result(tmp_path / "junit.xml", {SMALL: "", LARGE: ""})
    told = sample.told(SMALL, "--device-result", xml, "--apply")
    assert told["applied"] is True
    text = sample.read(LOADER)
    assert "dtype=dtype_override)\n" in text and "def unpack_forward_output" in text
    listed = call("loaders", "--repo", sample.checkout.root, "--json").json
    assert len(listed) == 1
    assert (
        call("loaders", "--restore", f"third_party/tt_forge_models/{LOADER}", "--repo", sample.checkout.root).code == 0
    )
    assert sample.read(LOADER) == before
