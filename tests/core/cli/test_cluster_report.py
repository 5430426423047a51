# SPDX-License-Identifier: Apache-2.0
"""core.cli.command_clusters: how issues are printed (the command's own tests cover the rest)."""

import io

from core.cli.command_clusters import print_issues
from core.cli.console import Console
from core.evidence.analysis import Citation
from core.issues import IssueState, State


def test_nobody_has_asked_yet() -> None:
    out, err = io.StringIO(), io.StringIO()
    print_issues([Citation(IssueState("o/r#1"), (("a", "n150"), ("a", "p150")))], (), Console(out=out, err=err))
    assert out.getvalue().splitlines()[1].split() == ["1", "unknown", "o/r#1"]
    assert "--refresh" in err.getvalue()


def test_when_it_was_closed() -> None:
    out = io.StringIO()
    state = IssueState("o/r#1", State.CLOSED, "gone", "2026-04-03", "2026-05-01")
    print_issues([Citation(state, (("a", "n150"),))], (), Console(out=out, err=io.StringIO()))
    assert "gone (closed 2026-04-03)" in out.getvalue()
