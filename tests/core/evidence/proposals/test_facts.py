# SPDX-License-Identifier: Apache-2.0
"""core.evidence.proposals.facts: what is cited of results, by every output alike."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.base.text import json_text
from core.cli.command_propose import proposal_records
from core.domain.model import Status
from core.edits import CommitRange, RunFacts, evidence_lines
from core.edits.pending import BaseEntry, Change, parse_proposals
from core.edits.pending.change import Put, UndoStep
from core.edits.pending.codec import from_line, to_line
from core.edits.pending.events import Stepped, WriteDone
from core.evidence import Ending, Observation, Series
from core.evidence.proposals import Proposal, propose
from core.evidence.proposals.facts import facts_of
from core.evidence.proposals.proposal import grade_words
from core.evidence.verdicts import Policy, Verdict
from core.evidence.verdicts.expected import Expected
from core.evidence.verdicts.verdict import judge, with_history
from core.matrix import index
from tests.support.evidence import judged, observed
from tests.support.git import committed_checkout, git
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"
RUN = "https://github.com/tenstorrent/tt-xla/actions/runs"
DAY = 86_400.0
BOTH = "on n150, p150, 2 hosts"
MORE = "24 other tests with this error since the same run"


def _night(at: int, ending: Ending, pcc: float, commit: str) -> object:
    source = f"{RUN}/{at}/nightly-{at}/test-reports-0f-1.2-n150-n150_and_x-70{at}.zip!report.xml"
    fields = {"test_id": TINY, "run": f"nightly-{at}", "when": at * DAY, "host": f"host-{at % 2}", "commit": commit}
    low = {"pcc": pcc, "pcc_required": 0.99, "guidance": ("ENABLE_PCC_097",)}
    return observed(ending, "" if ending is Ending.PASSED else "PCC comparison failed", source=source, **fields, **low)


@pytest.fixture
def made(tmp_path: Path) -> Proposal:
    checkout = committed_checkout(sample(tmp_path))
    first = git(checkout.root, "rev-parse", "HEAD").strip()
    for at in (1, 2):
        git(checkout.root, "commit", "-q", "--allow-empty", "-m", f"Change {at}")
    second = git(checkout.root, "rev-parse", "HEAD").strip()
    nights = [_night(at, Ending.PASSED, 0.995, first) for at in range(1, 6)]
    nights += [_night(at, Ending.INACCURATE, 0.9766 + at / 1000, second) for at in (6, 7)]
    expected = {"n150": Expected(Status.EXPECTED_PASSING)}
    found_alone = judge(TINY, expected, {"n150": nights}, Policy())  # type: ignore[dict-item]
    # What a whole matrix adds: since when it is so, and what was before.
    judgements = [with_history(one, Series(nights)) for one in found_alone]  # type: ignore[arg-type]
    assert judgements[0].verdict is Verdict.PCC_TIGHT
    ((found,), _) = propose(index(checkout), judgements)
    return found


def test_the_facts_of_a_cell(made: Proposal) -> None:
    (one,) = made.facts
    assert (one.ending, one.results, one.agreeing, one.hosts) == ("inaccurate", 2, 2, ("host-0", "host-1"))
    assert one.since == RunFacts("nightly-6", "1970-01-07", f"{RUN}/6", f"{RUN}/6/job/706")
    assert one.before == RunFacts("nightly-5", "1970-01-06", f"{RUN}/5", f"{RUN}/5/job/705")
    (commits,) = one.commits
    assert isinstance(commits, CommitRange)
    assert (commits.repository, commits.count) == ("tt-xla", 2)
    assert (one.gate_before, one.gate_after, one.lowest) == (0.99, 0.97, 0.9826)
    assert one.guidance == ("ENABLE_PCC_097",)


def test_a_file_of_proposals_has_the_same_facts(made: Proposal) -> None:
    written = json.loads(json_text(proposal_records([made], "abc")))
    (read,) = parse_proposals(json.dumps(written)).made
    assert read.change.facts == made.facts
    assert parse_proposals(json.dumps(written)).evidence == {TINY: made.facts}


def test_facts_that_cannot_be_understood_are_refused(made: Proposal) -> None:
    written = json.loads(json_text(proposal_records([made], "abc")))
    written[0]["facts"] = [{"id": 7}]
    with pytest.raises(UsageError) as raised:
        parse_proposals(json.dumps(written))
    assert "facts" in raised.value.detail
    written[0] |= {"facts": [], "restore_when_closed": "next week"}
    with pytest.raises(UsageError) as raised:
        parse_proposals(json.dumps(written))
    assert "the address of an issue" in raised.value.detail


def test_the_journal_keeps_facts(made: Proposal) -> None:
    change = Change(made.ops, bases=(made.base,), facts=made.facts, restore="a/b#7", id=1)
    for event in (
        Stepped(UndoStep((Put(None, change),))),
        WriteDone((1,), ("f",), made.ops, {TINY: ("x", *made.facts)}),
    ):
        assert from_line(to_line(event)) == event


def test_a_threshold_typed_over_is_the_one_that_is_cited(made: Proposal) -> None:
    (op,) = made.ops
    typed = Change((replace(op, value=0.975),), bases=(made.base,), facts=made.facts)
    assert "gate 0.99 -> 0.975, lowest 0.9826" in "\n".join(evidence_lines(typed.cited))


def test_what_the_grade_rests_on(made: Proposal) -> None:
    assert made.grade_why == "was inaccurate twice in a row on n150, 2 hosts; passed 5 times before"


def _rows(endings: str, arch: str) -> tuple[Observation, ...]:
    kinds = {"P": Ending.PASSED, "x": Ending.FAILED, "C": Ending.CRASHED, "i": Ending.INACCURATE}
    nights = enumerate(endings)
    return tuple(observed(kinds[one], arch=arch, run=f"nightly-{at}", host=f"host-{arch}") for at, one in nights)


@pytest.mark.parametrize(
    ("cells", "shared", "said"),
    [
        ({"n150": ("", "x")}, 0, "failed once on n150"),
        ({"n150": ("PPPP", "xx"), "p150": ("PPP", "xxx")}, 24, f"failed 2 to 3 times in a row {BOTH}; passed 3 to 4 times before; {MORE}"),
        ({"n150": ("xxx", "P"), "p150": ("xxx", "P")}, 0, f"passed once {BOTH}; failed 3 times before"),
        ({"n150": ("P", "x"), "p150": ("x", "P")}, 0, "failed once on n150; passed once before; passed once on p150; failed once before"),
        ({"n150": ("P", "xxC")}, 1, "failed twice and crashed once on n150; passed once before; 1 other test with this error since the same run"),
        ({"n150": ("PP", "iii")}, 0, "was inaccurate 3 times in a row on n150; passed twice before"),
    ],
)  # fmt: skip
def test_a_grade_in_one_true_line(cells: dict[str, tuple[str, str]], shared: int, said: str) -> None:
    found = [
        judged(Verdict.REGRESSED, _rows(now, arch), earlier=_rows(before, arch))
        for arch, (before, now) in cells.items()
    ]
    assert grade_words(found, shared) == said


def test_what_is_gone_has_no_result() -> None:
    gone = judged(Verdict.MISSING, _rows("PPP", "n150"), earlier=_rows("PPPPP", "n150"), since="nightly-9")
    assert grade_words([gone], 0) == "no result on n150; passed 5 times before"


def test_the_first_run_is_named_also_where_it_decides_no_more() -> None:
    first, *others = _rows("xxxxx", "n150")
    one = judged(Verdict.REGRESSED, others, first=first, since=first.run)
    assert facts_of([one], None, (), lambda *_: ())[0].since.run == "nightly-0"
    whys = [
        judged(Verdict.REGRESSED, _rows("x", arch), why=f"the last {n} failed; OOM")
        for arch, n in (("n150", 2), ("p150", 3))
    ]
    assert (
        Proposal(TINY, tuple(whys), (), BaseEntry("f", TINY, None)).why
        == "n150: the last 2 failed; p150: the last 3 failed; OOM"
    )
