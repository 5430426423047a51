# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.models.facts: the origin of a failure in the checkout."""

from pathlib import Path

import pytest

from tests.core.payload.conftest import PAYLOAD, Repro
from tests.core.payload.models.test_phase import HEAD

RAISES = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)

    def forward(self, image, targets=None):
        return self.layer(image)

class ModelLoader(ModelLoader):
    def load_model(self, dtype_override=None):
        return Net().to(dtype_override)

    def load_inputs(self, dtype_override=None):
        return self.wrong()

    def wrong(self):
        return [torch.ones(2, 5, dtype=torch.bfloat16)][3]
"""


def test_frames_are_those_of_the_checkout_and_the_last_one_raised(repro: Repro) -> None:
    low = repro(HEAD + RAISES).phases[0]
    assert {frame["file"] for frame in low["frames"]} == {"third_party/tt_forge_models/tiny/pytorch/loader.py"}
    assert [frame["function"] for frame in low["frames"]] == ["load_inputs", "wrong"]
    assert low["frames"][-1]["code"] == "return [torch.ones(2, 5, dtype=torch.bfloat16)][3]"


def test_a_phase_that_passes_has_no_frames(repro: Repro) -> None:
    assert [phase["frames"] for phase in repro(HEAD).phases] == [[], []]


def test_what_is_installed_within_the_checkout_is_no_file_of_its_own(repro: Repro, models: Path) -> None:
    package = models.parents[1] / "venv/lib/python3/site-packages/broken"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def load():\n    raise KeyError('inner')\n")
    loader = f"import sys; sys.path.append({str(package.parent)!r})\n{HEAD}"
    loader += "\nimport broken\nclass ModelLoader(ModelLoader):\n    def load_model(self): broken.load()\n"
    low = repro(loader).phases[0]
    assert [frame["function"] for frame in low["frames"]] == ["load_model"]


CAUSED = """
class ModelLoader(ModelLoader):
    def load_inputs(self, dtype_override=None):
        try:
            self.inner()
        except KeyError as error:
            raise ValueError("outer") from error

    def inner(self):
        raise KeyError("inner")
"""

WIDE = """
from ttmatrix_payload.models import widen
widen.host_knows_bfloat16 = lambda: False

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(3, 3, 3)
    def forward(self, x):
        return self.layer(x)

class ModelLoader(ModelLoader):
    def load_model(self, dtype_override=None):
        return Net().to(dtype_override)
    def load_inputs(self, dtype_override=None):
        return torch.ones(2, 5, 8, 8, dtype=dtype_override)
"""


@pytest.mark.parametrize(
    ("lines", "code", "causes"),
    [
        (CAUSED, 'raise ValueError("outer") from error', 1),
        (WIDE, "return self.layer(x)", 0),
        ("raise ImportError('at once')", "raise ImportError('at once')", 0),
        ("class ModelLoader(ModelLoader):\n    def load_inputs(self): return 7", None, 0),
    ],
)
def test_a_traceback_shows_the_loader_and_nothing_of_ours(
    repro: Repro, lines: str, code: str | None, causes: int
) -> None:
    ran = repro(HEAD + lines)
    shown = [line for line in ran.output.splitlines() if line.startswith('  File "')]
    assert not [line for line in shown if str(PAYLOAD) in line or "importlib" in line or "_ops.py" in line], ran.output
    assert not [line for line in shown if "eval_frame" in line or "_compile.py" in line], ran.output
    assert ran.output.count("direct cause") == 2 * causes
    assert code is None or ran.output.count(f"    {code}\n") == 2
    assert ran.output.count(f"\n{ran.phases[0]['error_type']}: ") == 2
