# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.kinds: what each kind asks of the machine; the commands are tested where they are planned."""

import os
from pathlib import Path

import pytest

from core.base.settings import Settings
from core.domain.model import TEST_MODULE
from core.runs.planning import CPU_PAYLOAD, KINDS, kind_for, kinds
from core.sources import Checkout


@pytest.mark.parametrize(
    ("value", "devices"), [(None, ("*",)), ("", ("*",)), ("0", ("0",)), (" 1, 3 ", ("1", "3")), (",", ("*",))]
)
def test_a_device_run_wants_what_is_visible_to_it(value: str | None, devices: tuple[str, ...]) -> None:
    environ = {} if value is None else {"TT_VISIBLE_DEVICES": value}
    assert KINDS["device"].devices(environ) == devices
    assert KINDS["cpu"].devices(environ) == ()


def test_repros_stay_within_the_cores() -> None:
    cores = os.cpu_count() or 1
    count = KINDS["cpu"].slot_count
    assert [count(Settings(cpu_slots=slots)) for slots in (0, 1, 10_000)] == [1, 1, cores]
    assert KINDS["device"].slot_count(Settings()) == 0
    assert KINDS["cpu"].memory(Settings(cpu_memory=0.5)) == 2**29


@pytest.mark.parametrize(
    ("backend", "nodes", "devices", "packages"),
    [
        ("auto", True, ("*",), ()),
        ("auto", False, (), ()),
        ("tt", True, ("*",), ("torch_xla", "pjrt_plugin_tt")),
        ("xla", True, (), ("torch_xla",)),
        ("eager", True, (), ()),
    ],
)
def test_our_own_runner_takes_devices_where_it_may_use_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    backend: str,
    nodes: bool,
    devices: tuple[str, ...],
    packages: tuple[str, ...],
) -> None:
    monkeypatch.setattr(kinds, "DEVICE_NODES", tmp_path if nodes else tmp_path / "absent")
    kind = kind_for("device", Checkout(tmp_path), Settings(backend=backend))
    assert kind.devices({}) == devices
    assert kind.packages == ("pytest", "torch", *packages)
    assert not kind.needs_device


def test_a_checkout_with_a_runner_keeps_it(tmp_path: Path) -> None:
    (tmp_path / TEST_MODULE).parent.mkdir(parents=True)
    (tmp_path / TEST_MODULE).touch()
    for name, kind in KINDS.items():
        assert kind_for(name, Checkout(tmp_path), Settings()) is kind
    assert kind_for("cpu", Checkout(tmp_path / "absent"), Settings()) is KINDS["cpu"]


def test_the_payload_is_there() -> None:
    assert CPU_PAYLOAD.is_file()
