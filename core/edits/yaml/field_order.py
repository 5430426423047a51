# SPDX-License-Identifier: Apache-2.0
"""Where a new field goes in upstream's order (docs/rules.md 2.6); present fields keep their order.

Keys of op cases (docs/ops.md) have an order of their own. No name is in both orders.
"""

from collections.abc import Sequence

from core.edits.operations import OVERRIDES

FIELD_ORDER = (
    "supported_archs",
    "status",
    "bringup_status",
    "reason",
    "required_pcc",
    "assert_pcc",
    "required_atol",
    "assert_atol",
    "assert_allclose",
    "allclose_rtol",
    "allclose_atol",
    "markers",
    "batch_size",
    "optimization_level",
    "enable_weight_bfp8_conversion",
    "inject_custom_moe",
    "emitpy_assert_exact",
    "filechecks",
    "execution_pass",
)
CASE_ORDER = (
    "name",
    "op",
    "dtype",
    "seed",
    "rtol",
    "atol",
    "pcc",
    "skip_if",
    "xfail_if",
    "xfail_reason",
    "xfail_strict",
    "expects_error",
    "expected_errors",
    "inputs",
    "attrs",
    "kwmap",
    "description",
    "mark",
    "marks",
)
"""The order in extracted manifests."""
# `expr` is beside `reason`, because both belong to a condition.
_RANKS = {"expr": -1, **{name: rank for names in (FIELD_ORDER, CASE_ORDER) for rank, name in enumerate(names)}}
_LAST = max(_RANKS.values()) + 1


def position(present: Sequence[str], name: str) -> int:
    """Index in `present` at which the new `name` goes: after its nearest predecessor, overrides at the end.

    Names that are not in the order (archs, unknown fields) go after each other.
    """
    if name == OVERRIDES:
        return len(present)
    rank = _rank(name)
    before = [(_rank(other), index) for index, other in enumerate(present) if _rank(other) <= rank]
    return max(before)[1] + 1 if before else 0


def ordered(names: Sequence[str]) -> list[str]:
    """`names` in upstream's order; names of equal rank keep their order."""
    return sorted(names, key=_rank)


def _rank(name: str) -> int:
    return _RANKS.get(name, _LAST + (name == OVERRIDES))
