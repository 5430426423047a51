# SPDX-License-Identifier: Apache-2.0
"""Three nightlies on two archs, run by the built-in runner over sample models that change from night to night.

All results come from pytest: the models are executed, and crash, in processes of their own.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from core.sources import Checkout

PAYLOAD = Path(__file__).parents[2] / "core/payload"
ARCHS = ("n150", "p150")
NIGHTS = (1, 2, 3)

STALE, STALE_TOO, SEMI, DRIFTED, FLAKY, CRASH, TIGHT, REGRESSED = NAMES = tuple(
    f"{name}-single_device-inference"
    for name in (
        "tabular_fusion/pytorch-Small",
        "tabular_fusion/pytorch-Large",
        "prototype_net/pytorch-Way_5",
        "seq2seq_mini/pytorch-En_De",
        "text_cnn/pytorch-Base",
        "lstm_forecaster/pytorch-Hourly",
        "metric_embedder/pytorch-Dim_32",
        "video_pool3d/pytorch-Clip_8",
    )
)
FATAL = "TT_FATAL: Out of Memory: Not enough space to allocate 8388608 B L1 buffer"
_JOBS = ("expected_passing and not large", "not large and (known_failure_xfail or not_supported_skip)")
"""Endings of the marker expressions of the jobs that select these tests: of the weekly presets."""

_RAISE = f"raise RuntimeError({FATAL!r})"
_ABORT = "import os; os.abort()"
_BLUR = """model = load_model(self, dtype_override=dtype_override)
    calls = []
    def coarse(model, inputs, out):
        # As on a device that is coarser than the CPU, which runs first: a PCC of about 0.97.
        calls.append(out)
        return out + out.roll(1, -1) / 4 if len(calls) > 1 else out
    model.register_forward_hook(coarse)
    return model"""
_IN_FLOAT = """model = load_model(self, dtype_override=dtype_override).float()
    model.register_forward_pre_hook(lambda model, inputs: tuple(one.float() for one in inputs))
    return model"""


def make_nightlies(checkout: Checkout, directory: Path, python: Path) -> Path:
    """Run the nightlies of `checkout` by `python`, and lay their reports out in `directory` as CI names its artefacts.

    The checkout's own models are not changed.
    """
    environ = {
        **os.environ,
        "PYTHONPATH": str(PAYLOAD),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "ENABLE_BRINGUP_STAGE_LOGGING": "1",
    }
    for number, argv in enumerate(_sessions(checkout, directory), 1):
        done = subprocess.run(
            [str(python), "-m", "pytest", *argv],
            cwd=directory,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert len(list(directory.glob("nightly-*/*/*.xml"))) == number, done.stdout + done.stderr
    return directory


def _sessions(checkout: Checkout, directory: Path) -> Iterator[list[str]]:
    """The command lines of pytest, each for the models of one night on one arch."""
    number = 0
    for night in NIGHTS:
        for arch in ARCHS:
            models = directory / "models" / f"{night}-{arch}"
            shutil.copytree(checkout.models, models)
            _change(models, arch, night)
            for job in _JOBS:
                number += 1
                mark = f"{arch} and inference and weekly and {job}"
                artefact = f"test-reports-a1b2c3-1.{number}-{arch}-{mark.replace(' ', '_')}-{9000 + number}"
                options = [
                    "-p",
                    "ttmatrix_payload.runner",
                    "-p",
                    "no:cacheprovider",
                    "--forked",
                    "--disable-perf-measurement",
                ]
                options += [f"--models-root={models}", f"--test-config={checkout.test_config}"]
                options += ["--backend=eager", f"--arch={arch}", f"-m={mark}"]
                report = directory / f"nightly-{night}" / artefact / f"report_{9000 + number}.xml"
                tests = [f"tests/runner/test_models.py::test_all_models_torch[{id}]" for id in NAMES]
                yield [*options, f"--junitxml={report}", *tests]


def _change(models: Path, arch: str, night: int) -> None:
    """Change models so that they differ from their entries."""
    tabular = models / "tabular_fusion/pytorch/loader.py"
    row = "row = torch.zeros(batch_size, 6)"
    text = tabular.read_text()
    assert row in text
    tabular.write_text(text.replace(row, "row = torch.zeros(batch_size, 6, dtype=dtype_override)"))
    _load_by(models, DRIFTED, _RAISE)
    _load_by(models, CRASH, _ABORT)
    _load_by(models, TIGHT, _BLUR)
    if arch == "p150":
        _load_by(models, SEMI, _IN_FLOAT)
    if night == 2:
        _load_by(models, FLAKY, _RAISE)


def _load_by(models: Path, id: str, body: str) -> None:
    """Replace `load_model` in the loader of `id`; the new one can call the old one."""
    loader = models / id.partition("-")[0] / "loader.py"
    with loader.open("a") as file:
        file.write(f"\n\ndef changed(self, *, dtype_override=None, load_model=ModelLoader.load_model):\n    {body}\n")
        file.write("\n\nModelLoader.load_model = changed\n")
