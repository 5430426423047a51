# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.execute.choose: the working backend nearest to a device, and clear messages for the others."""

import importlib
import importlib.util
from typing import Any

import pytest

pytest.importorskip("torch")
choose: Any = importlib.import_module("core.payload.ttmatrix_payload.execute.choose")
BackendMissing: Any = importlib.import_module("core.payload.ttmatrix_payload.execute").BackendMissing


@pytest.mark.parametrize("able", [["tt", "xla", "inductor"], ["xla", "inductor"], ["inductor"], []])
def test_auto_takes_the_nearest_to_a_device(able: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("tt", "xla", "inductor"):
        monkeypatch.setattr(choose.BACKENDS[name], "missing", lambda _, name=name: None if name in able else "absent")
    assert choose.choose_backend("auto").name == [*able, "eager"][0]


def test_an_unknown_name_gets_the_known_ones() -> None:
    with pytest.raises(BackendMissing, match=r"no backend 'cuda'; there are auto, tt, xla, inductor, eager"):
        choose.choose_backend("cuda")


@pytest.mark.skipif(importlib.util.find_spec("torch_xla") is not None, reason="torch-xla is here")
@pytest.mark.parametrize("name", ["xla", "tt"])
def test_a_missing_package_is_named_with_the_remedy(name: str) -> None:
    with pytest.raises(BackendMissing, match=f"The backend {name} cannot work here: .*torch_xla.*not installed"):
        choose.choose_backend(name)
