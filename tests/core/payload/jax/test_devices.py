# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.jax.devices: settings made before jax looks for devices, and the names in reports."""

import importlib
from types import SimpleNamespace
from typing import Any

import pytest

devices: Any = importlib.import_module("core.payload.ttmatrix_payload.jax.devices")
NAMES = ("JAX_ENABLE_X64", "JAX_NUM_CPU_DEVICES", "JAX_PLATFORMS", "CPU_NUM_DEVICES", "XLA_FLAGS")


@pytest.fixture(autouse=True)
def environ(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """None of the variables is set, and none outlives the test."""
    own: dict[str, str] = {}
    monkeypatch.setattr(devices, "os", SimpleNamespace(environ=own))
    return own


def test_the_cpu_poses_as_two_devices_unless_somebody_says_how_many(environ: dict[str, str]) -> None:
    devices.Pjrt.prepare()
    assert environ == {"JAX_ENABLE_X64": "1", "JAX_NUM_CPU_DEVICES": "2"}
    environ.clear()
    environ["CPU_NUM_DEVICES"] = "8"
    devices.Pjrt.prepare()
    assert environ["JAX_NUM_CPU_DEVICES"] == "8"


def test_what_is_set_stays(environ: dict[str, str]) -> None:
    """jax refuses to get the number of devices in both ways."""
    environ.update(XLA_FLAGS="--xla_force_host_platform_device_count=4", JAX_ENABLE_X64="0")
    devices.Pjrt.prepare()
    assert environ["JAX_ENABLE_X64"] == "0"
    assert "JAX_NUM_CPU_DEVICES" not in environ


def test_a_tenstorrent_device_comes_first(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(devices.importlib.util, "find_spec", lambda _: object())
    monkeypatch.setattr(devices, "NODES", tmp_path)
    assert devices.Pjrt().name == "xla"
    (tmp_path / "0").touch()
    devices.Pjrt.prepare()
    assert (devices.Pjrt().name, environ["JAX_PLATFORMS"]) == ("tt", "tt,cpu")
    assert devices.Pjrt().missing() is None


@pytest.mark.parametrize(
    ("platform", "count", "text"),
    [("cpu", 1, "CPU"), ("cpu", 4, "CPU, 4 virtual devices"), ("tt", 1, "TT"), ("tt", 8, "TT, 8 devices")],
)
def test_what_reports_say(monkeypatch: pytest.MonkeyPatch, platform: str, count: int, text: str) -> None:
    backend = devices.Pjrt()
    monkeypatch.setattr(backend, "devices", lambda: [SimpleNamespace(platform=platform)] * 8)
    assert backend.device_text(count) == text
    assert backend.device_count() == 8
