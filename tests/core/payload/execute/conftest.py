# SPDX-License-Identifier: Apache-2.0
"""The payload as its own interpreter sees it, a loader to execute, and the models of the sample through torch-xla."""

from collections.abc import Iterator
from typing import Any

import pytest

from core.demo import lay_out
from tests.support.models import QUICK, Ask, model_server, xla_python


class TinyLoader:
    """A minimal loader: a model and inputs in the requested dtype."""

    def __init__(self, model: Any, inputs: Any) -> None:
        self.model = model
        self.inputs = inputs

    def load_model(self, dtype_override: Any = None) -> Any:
        return self.model.to(dtype_override)

    def load_inputs(self, dtype_override: Any = None, batch_size: int = 1) -> Any:
        return self.inputs(batch_size, dtype_override)

    def unpack_forward_output(self, output: Any) -> Any:
        return output


@pytest.fixture
def tiny() -> TinyLoader:
    """One linear layer."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    return TinyLoader(torch.nn.Linear(4, 3), lambda rows, dtype: torch.randn(rows, 4).to(dtype))


@pytest.fixture(scope="session")
def xla_sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Asks for models of the sample checkout through torch-xla on CPU."""
    checkout = tmp_path_factory.mktemp("models") / "sample"
    lay_out(checkout)
    with model_server(xla_python(), QUICK) as server:

        def ask(job: dict[str, Any]) -> dict[str, Any]:
            outcomes = server({"checkout": str(checkout), "backend": "xla", "seconds": 170, "settings": {}, **job})
            (outcome,) = outcomes.values()
            assert isinstance(outcome, dict)
            return outcome

        yield ask
