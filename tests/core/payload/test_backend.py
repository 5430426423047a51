# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.backend: every backend offers all of it, and the stages are upstream's."""

import importlib
from typing import Any

import pytest

pytest.importorskip("torch")
backend: Any = importlib.import_module("core.payload.ttmatrix_payload.backend")
choose: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.choose")


@pytest.mark.parametrize("name", choose.BACKENDS)
def test_every_backend_offers_everything(name: str) -> None:
    wanted = {member for member in vars(backend.Backend) if not member.startswith("_")}
    assert wanted - set(dir(choose.BACKENDS[name])) == set()
    assert choose.BACKENDS[name].name == name


def test_the_stages_are_those_of_the_stage_file() -> None:
    stages = (backend.FRONTEND, backend.COMPILATION, backend.EXECUTION)
    assert stages == ("FE_COMPILATION_START", "TTMLIR_COMPILATION_START", "RUNTIME_EXECUTION_START")
