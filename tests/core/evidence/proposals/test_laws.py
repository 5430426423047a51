# SPDX-License-Identifier: Apache-2.0
"""Laws of proposals: what is proposed makes the results agree, so no rule contradicts its own evidence."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from core.domain.model import BringupStatus, Entry, Status
from core.edits.apply import after
from core.edits.commit import issues_in
from core.evidence import RAN, Ending, Observation, Origin
from core.evidence.proposals import Proposal, propose
from core.evidence.series import Gap
from core.evidence.verdicts import NO_DIFFERENCE, Judgement, Policy, Verdict
from core.evidence.verdicts.expected import declared_on
from core.evidence.verdicts.verdict import judge
from core.matrix import Matrix, index, resolve, status_on, supports, with_fields
from tests.support.evidence import seen
from tests.support.tree import INFERENCE, TRAINING, loader_source, write_checkout

LINK = "https://github.com/tenstorrent/tt-xla/issues/7"
OOM = "Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks"
NO_OP = "TT_FATAL: unsupported data type for input tensor"
NEAR = "PCC comparison failed. Calculated: pcc=0.9671. Required: pcc=0.99"
ARCHS = ("n150", "p150", "n300-llmbox")
RUNTIME, INCORRECT = BringupStatus.FAILED_RUNTIME, BringupStatus.INCORRECT_RESULT


def _number(pcc: float, required: float = 0.99) -> Observation:
    if pcc >= required:
        return seen(pcc=pcc, pcc_required=required, pcc_checked=True)
    reason = f"PCC comparison failed. Calculated: pcc={pcc}. Required: pcc={required}"
    return seen(Ending.INACCURATE, pcc=pcc, pcc_required=required, pcc_checked=True, reason=reason)


KINDS = {
    "a pass": _number(0.9965),
    "barely a pass": _number(0.9912),
    "a pass without a number": seen(),
    "close enough": seen(pcc=1.0, shortcut=True, pcc_required=0.99),
    "a near miss": _number(0.9671),
    "another near miss": _number(0.9851),
    "below what is useful": _number(0.71),
    "at the edge of what is useful": _number(0.9032),
    "nan": seen(Ending.INACCURATE, pcc_required=0.99, reason="PCC comparison failed. Calculated: pcc=nan"),
    "out of memory": seen(Ending.FAILED, stage=RUNTIME, reason=OOM),
    "an operation": seen(Ending.FAILED, stage=RUNTIME, reason=NO_OP),
    "a stage unknown": seen(Ending.FAILED, reason="ValueError: no such layout"),
    "no reason": seen(Ending.FAILED, stage=RUNTIME),
    "a crash": seen(Ending.CRASHED, signal=11, reason="CRASHED with signal 11"),
    "a hang": seen(Ending.HUNG),
    "slow": seen(Ending.SLOW, reason="stopped after 60 s, still working; the limit is 60 s"),
    "out of time": seen(Ending.OUT_OF_TIME, reason="Failed: Timeout (>60.0s) from pytest-timeout."),
    "twice": seen(Ending.FLAKY, reason=OOM),
    "skipped by its entry": seen(Ending.NOT_RUN, expected=Status.NOT_SUPPORTED_SKIP, reason="hangs"),
    "skipped otherwise": seen(Ending.NOT_RUN),
    "a forced pass": seen(pcc=0.9965, expected=Status.NOT_SUPPORTED_SKIP, forced=True),
    "a forced failure": seen(Ending.FAILED, expected=Status.NOT_SUPPORTED_SKIP, forced=True, reason=OOM, stage=RUNTIME),
    "broken": seen(Ending.BROKEN, reason="pip failed"),
}
_nights = st.lists(st.tuples(st.sampled_from(list(KINDS)), st.integers(1, 4)), max_size=5)
"""Kinds of results, each with the number of nights in a row that had it."""
_series = st.dictionaries(st.sampled_from((*ARCHS, "galaxy-bh")), _nights, min_size=1, max_size=3)
_fields = st.fixed_dictionaries(
    {"status": st.sampled_from([str(one) for one in Status if one is not Status.UNSPECIFIED])},
    optional={
        "reason": st.sampled_from([OOM, NO_OP, NEAR, f"Wrong here - {LINK}", f"{NEAR} - {LINK}", "Test hangs"]),
        "bringup_status": st.sampled_from([str(RUNTIME), str(INCORRECT), str(BringupStatus.FAILED_FE_COMPILATION)]),
        "required_pcc": st.sampled_from([0.9, 0.96, 0.979, 0.985]),
        "assert_pcc": st.just(False),
    },
)
_entries = st.none() | st.builds(
    lambda fields, archs, overrides: fields | archs | ({"arch_overrides": overrides} if overrides else {}),
    _fields,
    st.sampled_from([{}, {"supported_archs": list(ARCHS)}, {"supported_archs": ["n150"]}]),
    st.dictionaries(st.sampled_from(ARCHS), _fields, max_size=2),
)


def _yaml(fields: Mapping[str, object], indent: str = "    ") -> str:
    lines = ""
    for name, value in fields.items():
        written = f"\n{_yaml(value, indent + '  ')}" if isinstance(value, dict) else f" {json.dumps(value)}\n"
        lines += f"{indent}{name}:{written}"
    return lines


@pytest.fixture(scope="module")
def matrices(tmp_path_factory: pytest.TempPathFactory) -> "Matrices":
    return Matrices(tmp_path_factory)


class Matrices:
    """Checkouts with one test and one entry for it."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory

    def of(self, id: str, fields: Mapping[str, object] | None) -> Matrix:
        """The matrix with `fields` as the entry of `id`; None: it has no entry."""
        texts = {INFERENCE: "test_config:\n", TRAINING: "test_config:\n"}
        home = INFERENCE if id.endswith("inference") else TRAINING
        texts[home] += f"  {id}:\n{_yaml(fields)}" if fields is not None else ""
        loaders = {"alpha/pytorch": loader_source(["tiny"])}
        return index(write_checkout(self._factory.mktemp("tree"), loaders, texts))


def _placed(id: str, by_arch: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, list[Observation]]:
    """Results as a nightly a day has them."""
    return {
        arch: [
            replace(KINDS[kind], test_id=id, arch=arch, when=86_400.0 * at, run=f"nightly-{at}", origin=Origin.CI)
            for at, kind in enumerate((kind for kind, count in stretches for _ in range(count)), 1)
        ]
        for arch, stretches in by_arch.items()
    }


def _judged(
    id: str, entry: Entry | None, rows: Mapping[str, Sequence[Observation]], gone: Sequence[str]
) -> list[Judgement]:
    archs = [arch for arch in (*ARCHS, "galaxy-bh") if supports(entry, arch) or arch in rows]
    gaps = {arch: Gap(2, "nightly-40", 30) for arch in gone if rows.get(arch)}
    training = id.endswith("training")
    expected = {
        arch: claim.on(arch, training=training, scheduled=True, gap=gaps.get(arch))
        for arch, claim in declared_on(entry, archs)
    }
    return judge(id, expected, rows, Policy())


def _applied(entry: Entry | None, proposal: Proposal) -> Entry:
    fields: Mapping[str, object] | None = entry.fields if entry else None
    for op in proposal.ops:
        fields = after(fields, op)
    return with_fields(None, fields or {})


@given(
    fields=_entries,
    by_arch=_series,
    gone=st.sampled_from([(), (), (), ARCHS[:1], ARCHS]),
    mode=st.sampled_from(["inference", "inference", "training"]),
)
def test_after_a_proposal_the_same_results_agree(
    matrices: Matrices,
    fields: dict[str, object] | None,
    by_arch: dict[str, list[tuple[str, int]]],
    gone: tuple[str, ...],
    mode: str,
) -> None:
    id = f"alpha/pytorch-tiny-single_device-{mode}"
    matrix, rows = matrices.of(id, fields), _placed(id, by_arch)
    entry = matrix.entries.get(id)
    proposals, _ = propose(matrix, _judged(id, entry, rows, gone))
    for made in proposals:
        new = _applied(entry, made)
        judged = _judged(id, new, rows, gone)
        for one in (one for one in judged if one.arch in made.archs):
            # Numbers that go up and down from night to night may be flaky whatever the threshold.
            assert one.verdict in NO_DIFFERENCE | {Verdict.FLAKY}, (one.arch, one.why, made.why, new.fields)
        again, _ = propose(matrices.of(id, new.fields), judged)
        assert not {arch for one in again for arch in one.archs} & set(made.archs), (again[0].why, made.why, new.fields)
        _loses_no_link(entry, new, made)
        _passes_only_what_passed(entry, new, made, rows)


def _loses_no_link(entry: Entry | None, new: Entry, made: Proposal) -> None:
    """A link to an issue is never lost without saying so."""
    for arch in made.archs:
        had, has = (issues_in(str(resolve(one, "reason", arch).value or "")) for one in (entry, new))
        lost = set(had) - set(has)
        assert all(str(issue) in made.why for issue in lost), (lost, made.why)


def _passes_only_what_passed(
    entry: Entry | None, new: Entry, made: Proposal, rows: Mapping[str, Sequence[Observation]]
) -> None:
    """What shall pass has passed, or has a number above its threshold, or was unchecked before."""
    for arch in made.archs:
        newest = next((row for row in reversed(rows[arch]) if row.ending in RAN), None)
        if newest is None or status_on(new, arch) is not Status.EXPECTED_PASSING:
            continue
        assert newest.ending in (Ending.PASSED, Ending.INACCURATE)
        if newest.ending is Ending.INACCURATE and newest.test_id.endswith("inference"):
            threshold = resolve(new, "required_pcc", arch).value
            off = resolve(new, "assert_pcc", arch).value is False
            was_off = resolve(entry, "assert_pcc", arch).value is False
            reached = newest.pcc is not None and isinstance(threshold, float) and newest.pcc > threshold
            assert was_off if off else reached
