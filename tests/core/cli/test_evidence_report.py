# SPDX-License-Identifier: Apache-2.0
"""Output of evidence: JSON without values that JSON cannot hold, lines without terminal sequences."""

import io
import json

from core.base.text import json_text
from core.cli.console import Console
from core.cli.evidence_report import judgement_document, observation_document, verdicts_table
from core.evidence.verdicts import Judgement, Verdict
from tests.support.evidence import TEST_ID, seen

ONE = Judgement(TEST_ID, "n150", Verdict.STALE, "passed \x1b[31m", (seen(when=1.0),), pinned="later")


def test_a_judgement_is_plain_json() -> None:
    document = json.loads(json_text(judgement_document(ONE, ONE.rows)))
    assert (document["verdict"], document["evidence"]) == ("stale", "n150 P 1/1")
    assert document["rows"][0]["when"] == "1970-01-01T00:00:01+00:00"
    assert (document["rows"][0]["ending"], document["rows"][0]["guidance"]) == ("passed", [])
    assert observation_document(seen()).when is None
    assert judgement_document(ONE, ()).evidence == ""


def test_a_line_is_safe() -> None:
    out = io.StringIO()
    verdicts_table(Console(out=out), [(ONE, ONE.rows)])
    assert "\x1b" not in out.getvalue()
    assert "(pinned: later)" in out.getvalue()
