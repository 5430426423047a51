# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.loader: loaders import as upstream imports them, and what is missing is named."""

import sys
from argparse import Namespace
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.models.loader import missing_package
from tests.core.payload.conftest import Repro
from tests.core.payload.models.test_phase import HEAD

VARIANTS = """
import enum
class Variant(str, enum.Enum):
    BIG = "org/Big-1.5"
    SMALL = "small"
class ModelLoader(ModelLoader):
    _VARIANTS = {Variant.BIG: None, Variant.SMALL: None}
    def load_model(self, dtype_override=None):
        print("variant is", repr(self.variant))
        return super().load_model(dtype_override)
"""


def test_a_variant_is_found_by_its_value_slash_and_all(repro: Repro) -> None:
    ran = repro(HEAD + VARIANTS, "--variant=org/Big-1.5")
    assert ran.code == 0, ran.output
    assert "variant is <Variant.BIG: 'org/Big-1.5'>" in ran.output


@pytest.mark.parametrize("options", [["--variant=BIG"], []])
def test_an_unknown_variant_lists_the_known_ones(repro: Repro, options: list[str]) -> None:
    ran = repro(HEAD + VARIANTS, *options)
    assert ran.code == 2
    assert ran.result
    assert ran.result["problem"]["kind"] == "unknown-variant"
    assert "ModelLoader has org/Big-1.5, small" in ran.result["problem"]["message"]


def test_relative_and_both_absolute_imports_work_in_any_directory(repro: Repro, models: Path) -> None:
    (models / "tools.py").write_text("")
    absolute = "import third_party.tt_forge_models.tools, tt_forge_models.tools, os\nprint('at', os.getcwd())\n"
    ran = repro(absolute + HEAD.replace("...base", "....base"), directory="Solar-10_7B/x/pytorch")
    assert ran.code == 0, ran.output
    assert f"at {models.parents[1]}" in ran.output


def test_neither_our_options_nor_our_directory_reach_the_model(repro: Repro) -> None:
    spy = "import sys\nprint('argv', len(sys.argv), 'ours', [p for p in sys.path if p.endswith('core/payload')])\n"
    assert "argv 1 ours []" in repro(spy + HEAD).output


def test_another_class_of_the_module_can_be_asked_for(repro: Repro) -> None:
    ran = repro(
        HEAD + "\nclass Other(ModelLoader):\n    def load_inputs(self): return torch.ones(5, 4)\n", "--class=Other"
    )
    assert ran.phases[0]["inputs"][0]["shape"] == [5, 4]


def test_a_missing_package_is_named_with_the_interpreter_and_the_requirements(
    repro: Repro, models: Path, warm_torch: Path
) -> None:
    (models / "tiny/pytorch").mkdir(parents=True)
    (models / "tiny/pytorch/requirements.txt").write_text("absent-package\n")
    ran = repro("import absent_package.sub\n" + HEAD)
    assert ran.code == 2
    assert ran.result
    assert ran.result["problem"]["kind"] == "missing-package"
    message = ran.result["problem"]["message"]
    assert f"'absent_package' is not installed for {warm_torch}" in message
    assert message.endswith("tiny/pytorch/requirements.txt")
    assert [phase["step"] for phase in ran.phases] == ["import"]


def test_a_package_that_is_missing_only_later_is_no_fault_of_the_model_either(repro: Repro) -> None:
    ran = repro(HEAD + "\nclass ModelLoader(ModelLoader):\n    def load_model(self): import absent_package\n")
    assert (ran.code, ran.phases[0]["step"]) == (2, "load_model")
    assert "Cannot run: Package 'absent_package'" in ran.output


@pytest.mark.parametrize("line", ["from ...absent import x", "import third_party.tt_forge_models.absent", "1 / 0", "("])
def test_a_loader_that_is_broken_itself_fails_both_phases_in_import(repro: Repro, line: str) -> None:
    ran = repro(f"{line}\n{HEAD}")
    assert ran.code == 1
    assert ran.result
    assert ran.result["problem"] is None
    assert [(phase["ok"], phase["step"]) for phase in ran.phases] == [(False, "import")] * 2


def test_only_what_is_outside_the_checkout_counts_as_missing(tmp_path: Path) -> None:
    models = tmp_path / "third_party/tt_forge_models"
    (models / "yolo/pytorch").mkdir(parents=True)
    args = Namespace(checkout=tmp_path, loader="yolo/pytorch")
    assert missing_package(ImportError("x", name="requests"), args) is None
    assert missing_package(None, args) is None
    for ours in ("third_party.x", "tt_forge_models.y", "yolo.z"):
        assert missing_package(ModuleNotFoundError("x", name=ours), args) is None
    found = missing_package(ModuleNotFoundError("x", name="timm.models"), args)
    assert found is not None
    assert str(found) == f"Package 'timm' is not installed for {sys.executable}"
    (models / "yolo/pytorch/requirements.txt").write_text("timm\n")
    found = missing_package(ModuleNotFoundError("x", name="timm"), args)
    assert str(found).endswith("yolo/pytorch/requirements.txt")
