# SPDX-License-Identifier: Apache-2.0
"""core.evidence.reports.classify: results of our own runner on a CPU are recognised, and no other report is."""

import pytest

from core.evidence.reports import stand_in
from core.runs import Outcome, Testcase


def case(backend: str = "", device: str = "") -> Testcase:
    told = {"backend": backend, "device": device}
    return Testcase("t", "n", Outcome.PASS, "", "", None, 1.0, {name: text for name, text in told.items() if text}, {})


@pytest.mark.parametrize(
    ("cases", "backend"),
    [
        ([case("eager", "CPU")], "eager"),
        ([case("xla", "CPU, 2 virtual devices")], "xla"),
        # Its process died before it could report its backend.
        ([case(), case("inductor")], "inductor"),
        ([case("tt", "n150")], ""),
        ([case("xla", "TT"), case("xla")], ""),
        # Upstream's runner reports neither.
        ([case()], ""),
        ([], ""),
    ],
)
def test_a_report_without_a_device_is_known(cases: list[Testcase], backend: str) -> None:
    told = stand_in(cases)
    assert told == (f"ttmatrix's own runner with the backend {backend} on the CPU" if backend else "")
