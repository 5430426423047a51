# SPDX-License-Identifier: Apache-2.0
"""Reports that were made without a device: ttmatrix's own runner says in each testcase what has really run it."""

from collections.abc import Iterable

from core.runs import Testcase

_DEVICE_BACKEND = "tt"
_HOST = "CPU"

Maker = tuple[str, str]
"""A backend and a device."""


def stand_in(cases: Iterable[Testcase]) -> str:
    """As `stand_in_of`, for the testcases of one session."""
    return stand_in_of(map(maker_of, cases))


def maker_of(case: Testcase) -> Maker:
    """What a testcase says of what ran it; both empty where it says nothing."""
    return case.properties.get("backend", ""), case.properties.get("device", "")


def stand_in_of(makers: Iterable[Maker]) -> str:
    """What ran the testcases of a session in place of a device, in words; empty: a device, as far as anything says.

    Upstream's runner names no backend, and knows no other than the device. A testcase whose process died names no
    device, so that the others of its session have to.
    """
    known = list(makers)
    backends = sorted({backend for backend, _ in known if backend})
    if not backends or any(_is_device(*one) for one in known):
        return ""
    return f"ttmatrix's own runner with the backend {backends[0]} on the CPU"


def _is_device(backend: str, device: str) -> bool:
    # The backend xla has the device that PJRT_DEVICE names.
    return backend == _DEVICE_BACKEND or (bool(device) and not device.startswith(_HOST))
