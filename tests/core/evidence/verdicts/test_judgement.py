# SPDX-License-Identifier: Apache-2.0
"""The words for verdicts are those of the queries and of JSON: their spelling is a contract."""

from core.evidence.verdicts.judgement import Direction, Verdict


def test_the_words_are_pinned() -> None:
    assert " ".join(Verdict) == (
        "stale semi-stale active drifted regressed flaky crash hang slow pcc-loose pcc-tight unused unknown"
    )
    assert " ".join(Direction) == "forward back same"
