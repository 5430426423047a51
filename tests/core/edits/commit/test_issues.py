# SPDX-License-Identifier: Apache-2.0
"""The issues that a change concerns, and those that it resolves."""

from core.domain.model import Entry
from core.edits import EntryChange
from core.edits.commit import cited, issues_in
from core.edits.commit.message import settled_and_other

ONE, TWO = (f"https://github.com/tenstorrent/tt-xla/issues/{number}" for number in (1, 2))


def entry(id: str, status: str, *reasons: str) -> Entry:
    fields: dict[str, object] = {"status": status}
    if reasons:
        fields["reason"] = reasons[0]
    if reasons[1:]:
        fields["arch_overrides"] = {"n150": {"reason": reasons[1]}}
    return Entry(id, "f", 1, 1, fields)


def test_links_in_reasons() -> None:
    text = f"OOM - {ONE}, ({TWO}). http://github.com/a/b/pull/3 https://github.com/a/b.c/issues/4#note #5"
    assert issues_in(text) == ["tenstorrent/tt-xla#1", "tenstorrent/tt-xla#2", "a/b.c#4"]
    assert cited(entry("x", "EXPECTED_PASSING", ONE, TWO)) == ["tenstorrent/tt-xla#1", "tenstorrent/tt-xla#2"]
    assert cited(None) == []


def _sorted(before: Entry, after: Entry | None, *others: Entry) -> tuple[tuple[str, ...], tuple[str, ...]]:
    entries = {one.id: one for one in (before, *others)}
    return settled_and_other([EntryChange("x", before, after)], entries)


def test_an_issue_is_settled_when_the_last_that_cited_it_passes() -> None:
    fails, passes = entry("x", "KNOWN_FAILURE_XFAIL", ONE), entry("x", "EXPECTED_PASSING")
    issue = "tenstorrent/tt-xla#1"
    assert _sorted(fails, passes) == ((issue,), ())
    # Not resolved: another entry still cites it, this one still does, the test does not pass, or no longer exists.
    assert _sorted(fails, passes, entry("y", "NOT_SUPPORTED_SKIP", ONE)) == ((), (issue,))
    assert _sorted(fails, entry("x", "EXPECTED_PASSING", ONE)) == ((), (issue,))
    assert _sorted(fails, entry("x", "NOT_SUPPORTED_SKIP")) == ((), (issue,))
    assert _sorted(fails, None) == ((), (issue,))
    assert _sorted(passes, fails) == ((), (issue,))
    assert _sorted(passes, passes) == ((), ())
