# SPDX-License-Identifier: Apache-2.0
"""The suggestions that a result makes for the entry, in upstream's words (docs/rules.md 5.3)."""

from __future__ import annotations

import math

BUFFER = 0.004
"""How much better than a threshold a PCC must be before it counts."""
DEFAULT_PCC = 0.99


def guidance(pcc: float | None, required: float, checked: bool, status: str, bringup: str | None) -> list[str]:
    """The tags for one result; `checked` says whether the PCC was asserted. All comparisons are strict."""
    return [*_of_pcc(pcc, required, checked), *_of_status(status, bringup)]


def _of_pcc(pcc: float | None, required: float, checked: bool) -> list[str]:
    if pcc is None or math.isnan(pcc):
        return []
    found = []
    if not checked and pcc > required + BUFFER:
        found.append("ENABLE_PCC_099" if required >= DEFAULT_PCC else "ENABLE_PCC")
    if required < DEFAULT_PCC:
        following = min(DEFAULT_PCC, (math.floor(required * 100) + 1) / 100)
        if pcc > DEFAULT_PCC + BUFFER:
            found.append("RAISE_PCC_099")
        elif pcc > following + BUFFER:
            found.append("RAISE_PCC")
    return found


def _of_status(status: str, bringup: str | None) -> list[str]:
    if bringup not in ("PASSED", "INCORRECT_RESULT"):
        return []
    told = {"KNOWN_FAILURE_XFAIL": ["RM_XFAIL"], "UNSPECIFIED": ["ADD_CONFIG"]}
    return told.get(status, [])
