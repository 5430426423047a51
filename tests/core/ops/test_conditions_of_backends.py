# SPDX-License-Identifier: Apache-2.0
"""Conditions outside the plugin: lists, expectations and evidence see the device that a backend tests."""

from pathlib import Path

import pytest

from core.domain.model import Status
from core.ops import default_backend, expectation, read_op_tests, skips

MANIFEST = """\
cases:
  - {name: a, op: torch.add, skip_if: "cfg.test_device.type == 'tt'", inputs: [{tensor: {shape: [2]}}, {value: 1.0}]}
  - {name: b, op: torch.neg, xfail_if: "cfg.test_device.type == 'xla'", inputs: [{tensor: {shape: [2]}}]}
"""


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("tt", (Status.NOT_SUPPORTED_SKIP, Status.EXPECTED_PASSING)),
        ("xla", (Status.EXPECTED_PASSING, Status.KNOWN_FAILURE_XFAIL)),
        ("inductor", (Status.EXPECTED_PASSING, Status.EXPECTED_PASSING)),
    ],
)
def test_the_device_of_a_backend_decides(tmp_path: Path, backend: str, expected: tuple[Status, Status]) -> None:
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops/net.yaml").write_text(MANIFEST)
    rows = read_op_tests(tmp_path, ["ops"]).rows
    assert tuple(expectation(row, backend, {}).status for row in rows) == expected
    assert ("net::a" in skips(rows, backend, {})) is (backend == "tt")


def test_the_environment_names_the_default_backend(tmp_path: Path) -> None:
    assert (default_backend({}), default_backend({"TEST_COMPILE_BACKEND": "tt"})) == ("inductor", "tt")
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops/net.yaml").write_text(MANIFEST)
    (row, _) = read_op_tests(tmp_path, ["ops"]).rows
    assert expectation(row, environment={"TEST_COMPILE_BACKEND": "tt"}).status is Status.NOT_SUPPORTED_SKIP
