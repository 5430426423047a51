# SPDX-License-Identifier: Apache-2.0
"""core.runs.devices: one list for all stores of a person on this machine."""

from pathlib import Path

import pytest

from core.proc import own_identity
from core.runs.devices import device_claims


def test_every_store_of_this_machine_sees_the_same_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert device_claims().claim(["0"], own_identity()) is None
    assert [claim.names for claim in device_claims().held()] == [{"0"}]
    assert next(tmp_path.iterdir()).name.startswith("ttmatrix-")
