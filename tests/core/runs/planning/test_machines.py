# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.machines: which runs may leave this machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.hosts import Host
from core.matrix import index
from core.runs.planning import archs_of_hosts, supported_of, with_needs
from tests.core.runs.conftest import MakeSpec
from tests.support.tree import sample

HOSTS = [Host("here", labels=("n150",)), Host("far", "far", labels=("n150", "p150"))]


@pytest.mark.parametrize(
    ("arch", "devices", "backend", "wanted"),
    [
        ("n150", ("*",), "", ("n150", ("*",))),
        ("n150", ("0",), "", ("n150", ("0",))),
        ("n150", (), "auto", ("n150", ("*",))),
        ("p150", (), "tt", ("p150", ("*",))),
        ("n150", (), "inductor", ("", ())),
        ("n150", (), "", ("", ())),
        ("n300", ("*",), "", ("", ("*",))),
        (None, ("*",), "", ("", ("*",))),
    ],
)
def test_a_run_for_a_device_goes_where_its_arch_is_also_from_a_machine_without_one(
    make_spec: MakeSpec, arch: str | None, devices: tuple[str, ...], backend: str, wanted: tuple[str, tuple[str, ...]]
) -> None:
    spec = replace(make_spec(), arch=arch, devices=devices)
    spec = replace(spec, argv=(*spec.argv, f"--backend={backend}")) if backend else spec
    (found,) = with_needs([spec], HOSTS)
    assert (found.needs, found.devices) == wanted


def test_a_run_goes_to_the_machine_that_is_named(make_spec: MakeSpec) -> None:
    (there,), (here,) = with_needs([make_spec()], HOSTS, "far"), with_needs([make_spec()], HOSTS, "here")
    assert (there.needs, here.needs) == ("far", "")
    with pytest.raises(UsageError, match="There is no host near"):
        with_needs([make_spec()], HOSTS, "near")


def test_a_test_runs_on_each_arch_that_hosts_have_and_its_entry_supports(tmp_path: Path) -> None:
    matrix = index(sample(tmp_path / "tt-xla"))
    archs = archs_of_hosts(HOSTS, matrix.schema.archs)
    assert archs == ("n150", "p150")
    assert supported_of(archs, matrix, "alpha/pytorch-tiny-single_device-inference") == ["n150", "p150"]
    assert supported_of(archs, matrix, "alpha/pytorch-net-v1.5+aug-single_device-inference") == ["n150"]
    with pytest.raises(UsageError, match="supports none of: p150"):
        supported_of(("p150",), matrix, "alpha/pytorch-net-v1.5+aug-single_device-inference")
