# SPDX-License-Identifier: Apache-2.0
"""A tree of models without torch, a stand-in for what executes them, and pytest sessions with the plugin."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.runs import Testcase, read_testcases
from tests.support.warm_pytest import Session, warm_pytest

PAYLOAD = Path(__file__).parents[4] / "core/payload"
MODULE = "tests/runner/test_models.py"

BASE = """
from enum import Enum

class Text(Enum):
    def __str__(self):
        return self.value

class Info:
    def __init__(self, model, variant, group):
        self.model, self.variant, self.group, self.task = model, variant, Text("group") if group is None else group, "cv"
        self.name = f"pytorch_{model}_{variant}_cv_custom"
    def to_report_dict(self):
        return {"model_arch": self.model, "variant_name": str(self.variant)}

class Group(Text):
    RED = "red"
    GENERALITY = "generality"
    PRIORITY = "priority"

class ForgeModel:
    _VARIANTS = {}
    GROUP = Group.GENERALITY
    def __init__(self, variant=None):
        self.variant = variant
    @classmethod
    def query_available_variants(cls):
        return cls._VARIANTS
    @classmethod
    def get_model_info(cls, variant=None):
        return Info(cls.__module__.split(".")[1], variant, cls.GROUP)
    def load_config(self):
        return None
    def act(self, settings, stage, run):
        run.compare(1.0)

class ForgePrefillModel(ForgeModel):
    pass
"""

LOADER = """
from tt_forge_models.base import *
class ModelVariant(Text):
    BASE = "Base"
    LARGE = "v1.5/Large-2"
class ModelLoader(ForgeModel):
    _VARIANTS = {ModelVariant.BASE: 1, ModelVariant.LARGE: 2}
"""

EXECUTE = """
import math, sys
from types import SimpleNamespace as Settings

sys.modules["ttmatrix_payload.execute"] = sys.modules[__name__]

class BackendMissing(Exception):
    pass

class Run:
    backend, device, samples, input_shape, batch_size = "fake", "paper", [0.25, 0.75], (2, 3, 8, 8), 2
    weights_dtype, model_size_billions, filechecks = None, 0.5, []
    performance, ignored_options = {"compile_s": 1.5}, []
    def __init__(self, settings):
        self.settings, self.comparisons = settings, []
    def compare(self, pcc, atol=0.125):
        required = self.settings.required_pcc
        good = not self.settings.assert_pcc or (pcc >= required and not math.isnan(pcc))
        told = f"PCC comparison failed. Calculated: pcc={pcc}. Required: pcc={required}."
        self.comparisons.append(Settings(pcc=pcc, atol=atol, passed=good, error_message=None if good else told))

def choose_backend(name):
    if name == "inductor":
        raise BackendMissing("inductor needs a C++ compiler")
    return Settings(name="fake")

def skip_reason(settings, backend):
    return "wants 2 devices, there is 1" if settings.parallelism == "tensor_parallel" else None

def execute(loader, settings, backend, stage, begun):
    run = Run(settings)
    begun(run)
    stage("TTMLIR_COMPILATION_START")
    loader.act(settings, stage, run)
    return run

def check(run, settings):
    failed = [f"Evaluation result {n} failed: {one.error_message}" for n, one in enumerate(run.comparisons) if not one.passed]
    if failed:
        raise AssertionError("\\n".join(failed))
"""


@dataclass
class Done:
    """A finished session."""

    code: int
    output: str
    cases: dict[str, Testcase]
    """By id; the plugin's JUnit file as ttmatrix reads any other."""

    def ids(self) -> list[str]:
        """The collected ids, if nothing was to run."""
        return [line.partition("::")[2] for line in self.output.splitlines() if line.startswith(f"{MODULE}::")]


class Checkout:
    """A checkout without a runner, below `root`."""

    def __init__(self, root: Path, session: Session) -> None:
        self.root = root
        self.session = session
        self.models = root / "third_party/tt_forge_models"
        self.config = root / "tests/runner/test_config"
        self.fake = root / "fake"
        for directory in (self.models, self.config / "torch", self.fake):
            directory.mkdir(parents=True)
        (self.models / "base.py").write_text(BASE)
        (self.fake / "fake_execute.py").write_text(EXECUTE)

    def loader(self, directory: str, text: str = LOADER) -> None:
        """Write a loader."""
        (self.models / directory).mkdir(parents=True, exist_ok=True)
        (self.models / directory / "loader.py").write_text(text)

    def acting(self, body: str, directory: str = "tiny/pytorch") -> None:
        """Write a loader whose model behaves as `body` says."""
        self.loader(directory, f"{LOADER}    def act(self, settings, stage, run):\n        {body}\n")

    def entries(self, entries: dict[str, object]) -> None:
        """Write an expectation file; JSON is YAML, too."""
        (self.config / "torch/test_config_all.yaml").write_text(json.dumps({"test_config": entries}))

    def run(self, *arguments: str, environ: dict[str, str] | None = None) -> Done:
        """Run a session in the checkout."""
        path = os.pathsep.join([str(self.fake), str(PAYLOAD)])
        junit = self.root / "junit.xml"
        argv = [
            "-p",
            "fake_execute",
            "-p",
            "ttmatrix_payload.runner",
            "-p",
            "no:cacheprovider",
            *arguments,
            f"--junitxml={junit}",
        ]
        surroundings = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **(environ or {})}
        done = self.session(argv, self.root, surroundings)
        cases = read_testcases(junit) if junit.is_file() else []
        found = {case.name.partition("[")[2].removesuffix("]"): case for case in cases}
        return Done(done.returncode, done.stdout + done.stderr, found)

    def one(self, *arguments: str, mode: str = "inference", environ: dict[str, str] | None = None) -> Testcase:
        """The testcase of the first variant of `tiny/pytorch`."""
        id = f"tiny/pytorch-Base-single_device-{mode}"
        done = self.run(f"{MODULE}::test_all_models_torch[{id}]", *arguments, environ=environ)
        assert id in done.cases, done.output
        return done.cases[id]


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    with warm_pytest() as run:
        yield run


@pytest.fixture
def checkout(tmp_path: Path, session: Session) -> Checkout:
    return Checkout(tmp_path / "checkout", session)
