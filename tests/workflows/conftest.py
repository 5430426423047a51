# SPDX-License-Identifier: Apache-2.0
"""The sample checkout, whose models run for real, and a way to change it before a workflow sees it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.demo import lay_out
from core.sources import Checkout
from tests.support.cli import Called, call
from tests.support.warm_python import use_python

TRAINING = "torch/test_config_training_single_device.yaml"


@dataclass(frozen=True)
class Sample:
    """A checkout to try a workflow on."""

    checkout: Checkout

    def change(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file of the models tree, where it must be."""
        file = self.checkout.models / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def triage(self, *argv: object) -> Called:
        return call("triage", *argv, "--repo", self.checkout.root)

    def told(self, *argv: object) -> Any:
        """The document of the report."""
        return self.triage(*argv, "--json").json

    def read(self, path: str) -> str:
        return (self.checkout.models / path).read_text()

    @property
    def files(self) -> dict[Path, bytes]:
        """All that a workflow could have touched."""
        found = [*self.checkout.models.rglob("*.py"), *self.checkout.test_config.rglob("*.yaml")]
        return {path: path.read_bytes() for path in found}

    def device_result(self, file: Path, outcomes: dict[str, str]) -> Path:
        """A JUnit file of a device run: by id, the element within its testcase; empty: it passed."""
        cases = "".join(
            f'<testcase classname="tests.runner.test_models" name="test_all_models_torch[{id}]" time="1">{child}'
            "</testcase>"
            for id, child in outcomes.items()
        )
        file.write_text(f'<testsuites><testsuite name="pytest">{cases}</testsuite></testsuites>')
        return file


@pytest.fixture
def sample(tmp_path: Path, own_home: Path, warm_torch: Path) -> Sample:
    lay_out(tmp_path / "demo")
    # With a runner of its own the checkout wants a device, which is not here.
    (tmp_path / "demo/tests/runner/test_models.py").write_text("")
    use_python(warm_torch, own_home, "cpu_memory = 0.0\n")
    return Sample(Checkout(tmp_path / "demo"))


@pytest.fixture
def untouched(sample: Sample) -> Iterator[Callable[[], None]]:
    """Checks at the end that the checkout is as it was when the fixture was called."""
    before: list[dict[Path, bytes]] = []
    yield lambda: before.append(sample.files)
    assert all(sample.files == one for one in before)
