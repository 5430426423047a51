# SPDX-License-Identifier: Apache-2.0
"""A checkout of one model with instant CPU repros: a stand-in for the interpreter reads the loader's text."""

import stat
import sys
from pathlib import Path

from core.sources import Checkout
from tests.support.tree import INFERENCE, TRAINING, write_checkout

SMALL, LARGE = (f"net/pytorch-{name}-single_device-training" for name in ("Small", "Large"))
LOADER_FILE = "third_party/tt_forge_models/net/pytorch/loader.py"
MISMATCH = "mat1 and mat2 must have the same dtype, but got Float and BFloat16"

LOADER = """from tt_forge_models.base import ForgeModel
from tt_forge_models.config import StrEnum
import torch


class ModelVariant(StrEnum):
    SMALL = "Small"
    LARGE = "Large"


class ModelLoader(ForgeModel):
    _VARIANTS = {ModelVariant.SMALL: None, ModelVariant.LARGE: None}
    DEFAULT_VARIANT = ModelVariant.SMALL

    def load_model(self, dtype_override=None):
        return None

    def load_inputs(self, dtype_override=None, batch_size=1):
        row = torch.zeros(batch_size, 6)
        return {"row": row}
"""

YAML = {
    TRAINING: f"""\
test_config:
  {SMALL}:
    status: KNOWN_FAILURE_XFAIL
    bringup_status: FAILED_FE_COMPILATION
    reason: "RuntimeError: {MISMATCH}"

  {LARGE}:
    status: NOT_SUPPORTED_SKIP
    bringup_status: FAILED_FE_COMPILATION
    reason: "RuntimeError: {MISMATCH}"
""",
    INFERENCE: """\
test_config:
  net/pytorch-Small-single_device-inference:
    status: EXPECTED_PASSING
""",
}

_SCRIPT = r"""#!@PYTHON@
import json, pathlib, re, sys, time

LINE = " ".join(sys.argv)


def payload():
    root, loader = re.search(r"--checkout=(\S+) --loader=(\S+)", LINE).groups()
    source = (pathlib.Path(root) / "third_party/tt_forge_models" / loader / "loader.py").read_text()
    mended = "dtype=dtype_override" in source
    with open(pathlib.Path(sys.argv[0]).parent / "calls", "a") as calls:
        calls.write(LINE + "\n")
    low = {"dtype": "bfloat16", "ok": mended, "step": None if mended else "forward", "error_type": "RuntimeError",
           "error": None if mended else "@ERROR@", "output": None, "unpacked": None, "frames": [],
           "inputs": [{"name": "row", "type": "Tensor", "dtype": "float32", "shape": [2, 6]}]}
    full = {"dtype": "float32", "ok": True, "step": None, "error_type": None, "error": None, "inputs": []}
    for nonce in [*re.findall(r"--also=[^=]+=(\w+)=", LINE), re.search(r"--nonce=(\w+)", LINE)[1]]:
        result = {"version": 1, "nonce": nonce, "problem": None, "phases": [low, full]}
        print("TTMATRIX-RESULT " + json.dumps(result), flush=True)
    sys.exit(0 if mended else 1)


if sys.argv[1:2] == ["-c"]:
    print("TTMATRIX-PROBE", json.dumps({"python": "3.12.0", "torch": "2.9.0", "pytest": "9.0.2"}))
else:
    payload()
"""

XML = """<testsuites><testsuite name="pytest">{cases}</testsuite></testsuites>"""


def triage_checkout(root: Path, home: Path) -> Checkout:
    """A model in two variants that fails because a dtype is missing; the settings name the stand-in."""
    checkout = write_checkout(root / "tt-xla", {"net/pytorch": LOADER}, YAML)
    (checkout.models / "training_utils.py").write_text("")
    # With its own runner the checkout needs a device, which is not available here.
    (checkout.test_config.parent / "test_models.py").write_text("")
    script = root / "python"
    script.write_text(_SCRIPT.replace("@PYTHON@", sys.executable).replace("@ERROR@", MISMATCH))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    (home / "config").mkdir(parents=True, exist_ok=True)
    (home / "config" / "settings.toml").write_text(f'python = "{script}"\n')
    return checkout


def device_xml(file: Path, **failures: str) -> Path:
    """A JUnit file of a device run of both variants; by variant, the text of its failure."""
    cases = []
    for id in (SMALL, LARGE):
        error = failures.get("Small" if id == SMALL else "Large", "")
        child = f'<failure message="{error}">E   {error}</failure>' if error else ""
        name = f"test_all_models_torch[{id}]"
        cases.append(f'<testcase classname="tests.runner.test_models" name="{name}" time="1">{child}</testcase>')
    file.write_text(XML.format(cases="".join(cases)))
    return file
