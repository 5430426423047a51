# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_facts: where in the checkout a failure came from."""

from .conftest import Repro
from .test_ttmatrix_phase import HEAD

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
