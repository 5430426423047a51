# SPDX-License-Identifier: Apache-2.0
"""Triage real loaders that run without a download, as they are and with something taken out of a copy of them.

    python -m tests.bench.workflows CHECKOUT [PYTHON]

PYTHON runs the models; default: the one this runs in. The checkout itself is not touched. A line a case: what was
taken out, the workflow, its decision, whether bfloat16 passes with the edit, and whether the loader is what it was.
"""

import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.cli import call

_MODELS = "third_party/tt_forge_models"


@dataclass(frozen=True, slots=True)
class Case:
    """One entry, and what is replaced in its loader first."""

    id: str
    what: str
    old: str = ""
    new: str = ""

    @property
    def loader(self) -> str:
        directory = self.id.partition("/pytorch")[0]
        return f"{_MODELS}/{directory}/pytorch/loader.py"


_DENSE = "attention_denseunet/pytorch-Base-single_device-training"
_MIXER = "mlp_mixer/lucidrains/pytorch-Base-single_device-training"
_CRF = "bi_lstm_crf/pytorch-Default-single_device-training"
CASES = (
    Case(_MIXER, "as it is"),
    Case(
        _MIXER,
        "its cast",
        "        if dtype_override is not None:\n            img = img.to(dtype_override)\n\n        return img",
        "        return img",
    ),
    Case(_MIXER, "its model's cast", "            model = model.to(dtype_override)\n", "            pass\n"),
    Case(_CRF, "as it is"),
    Case(_CRF, "its override", "def unpack_forward_output(", "def unpacked_by_nobody("),
    Case(_DENSE, "as it is"),
    Case(
        _DENSE,
        "its cast",
        "        if dtype_override is not None:\n            inputs = inputs.to(dtype_override)\n\n        return inputs\n",
        "        return inputs\n",
    ),
    Case(_DENSE, "the cast in its guard", "inputs = inputs.to(dtype_override)", "inputs = inputs"),
    Case(_DENSE, "its model's cast", "            model = model.to(dtype_override)\n", "            pass\n"),
)


def main() -> int:
    source = Path(sys.argv[1]).resolve()
    python = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(sys.executable)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / "home"
        (home / "config").mkdir(parents=True)
        (home / "config" / "settings.toml").write_text(f'python = "{python.absolute()}"\ncpu_memory = 0.0\n')
        os.environ["TTMATRIX_HOME"] = str(home)
        root = Path(directory) / "checkout"
        for part in (_MODELS, "tests/runner", ".github/workflows"):
            shutil.copytree(source / part, root / part, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for case in CASES:
            _try(root, case)
    return 0


def _try(root: Path, case: Case) -> None:
    path = root / case.loader
    whole = path.read_text()
    if case.old not in whole:
        print(f"{case.id}: {case.what}: this loader is another one")
        return
    path.write_text(whole.replace(case.old, case.new))
    mutated, begin = path.read_text(), time.perf_counter()
    told = call("triage", case.id, "--repo", root, "--json").json
    while told.get("waiting") and told["waiting"]["question"]:
        print(f"  asks: {told['waiting']['question']}: {' | '.join(told['waiting']['choices'])}")
        told = call("triage", case.id, "--repo", root, "--json", "--choose", 1).json
    left = "left as it was" if path.read_text() == mutated else "NOT LEFT AS IT WAS"
    print(
        f"{case.id}\n  without {case.what}: {_outcome(told)}; {left}; {time.perf_counter() - begin:.0f} s", flush=True
    )
    for line in ((told.get("loader_edit") or {}).get("diff") or "").splitlines():
        if line[:1] in "+-" and line[:3] not in ("+++", "---"):
            print(f"    {line}")
    path.write_text(whole)


def _outcome(told: dict[str, Any]) -> str:
    if told.get("aborted"):
        return f"aborted: {told['aborted']}"
    after = [line for line in told.get("cpu", ()) if line["when"] == "after"]
    passes = all(line["phases"] and line["phases"][0]["ok"] for line in after)
    cpu = f"bfloat16 {'passes' if passes else 'FAILS'} with the edit" if after else "no edit"
    return f"{told.get('workflow')}: {told.get('decision')}; {cpu}; {len(told.get('scope', ()))} entries"


if __name__ == "__main__":
    sys.exit(main())
