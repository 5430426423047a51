# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.expected: what an entry claims about a cell, with overrides and typos."""

from core.domain.model import BringupStatus, Entry, Status
from core.evidence.verdicts.expected import Expected, declared_on

ARCHS = ("n150", "n300", "p150")
ENTRY = Entry(
    "a/pytorch-single_device-training",
    "torch/x.yaml",
    1,
    9,
    {
        "supported_archs": ["n150", "n300"],
        "status": "known_failure_xfail",
        "bringup_status": "FAILED_RUNTIME",
        "reason": "DRAM OOM",
        "arch_overrides": {
            "n300": {"status": "EXPECTED_PASSING", "required_pcc": 0.97, "assert_pcc": False, "reason": None}
        },
    },
)


def expected_of(
    entry: Entry | None, arch: str, *, training: bool, scheduled: bool | None = None, silent_runs: int = 0
) -> Expected:
    ((_, claim),) = declared_on(entry, [arch])
    return claim.on(arch, training=training, scheduled=scheduled, silent_runs=silent_runs)


def test_what_no_arch_says_otherwise_is_made_out_once() -> None:
    claims = dict(
        declared_on(ENTRY._replace(fields={**ENTRY.fields, "arch_overrides": {"p150": {"reason": "x"}}}), ARCHS)
    )
    assert claims["n150"] is claims["n300"]
    assert claims["p150"].reason == "x"
    assert {arch: claim for arch, claim in declared_on(ENTRY, ARCHS)} == {
        arch: claim for one in ARCHS for arch, claim in declared_on(ENTRY, [one])
    }


def test_each_arch_has_its_own_claims() -> None:
    assert expected_of(ENTRY, "n150", training=True, scheduled=True) == Expected(
        Status.KNOWN_FAILURE_XFAIL, "DRAM OOM", BringupStatus.FAILED_RUNTIME, training=True, scheduled=True
    )
    assert expected_of(ENTRY, "n300", training=True) == Expected(
        Status.EXPECTED_PASSING, "", BringupStatus.FAILED_RUNTIME, 0.97, False, training=True
    )
    assert not expected_of(ENTRY, "p150", training=False).supported


def test_no_entry_expects_nothing() -> None:
    assert expected_of(None, "p150", training=False) == Expected(Status.UNSPECIFIED)
    assert not expected_of(None, "p150", training=False).expects_no_pass
    assert expected_of(ENTRY, "n150", training=False).expects_no_pass


def test_values_that_cannot_be_are_not_there() -> None:
    fields = {"bringup_status": 3, "reason": ["x"], "required_pcc": "high", "assert_pcc": "false", "status": "SOON"}
    one = expected_of(Entry("a", "x.yaml", 1, 2, fields), "n150", training=False)
    assert one == Expected(Status.UNSPECIFIED)
