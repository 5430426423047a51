# SPDX-License-Identifier: Apache-2.0
"""core.evidence.reports.documents: what names of directories and archives say about the reports in them."""

import pytest

from core.evidence.reports import arch_in
from core.evidence.reports.documents import PathFacts, path_facts
from core.sources import Schema

ARCHS = Schema().archs
MARK = "n150_and_expected_passing_and_not_large"


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("ci/nightly-1/n150/report.xml", PathFacts("n150", "n150")),
        ("ci/nightly-1/report_n300-llmbox.xml", PathFacts("nightly-1", "n300-llmbox")),
        (
            f"ci/nightly-1/test-reports-a1b2-2.13-p150-{MARK}-987/report_987.xml",
            PathFacts("nightly-1", "p150", f"p150-{MARK}", 2),
        ),
        (
            f"ci/8841.zip/test-reports-a-b-1.0-tt-ubuntu-n300-llmbox-stable-{MARK}-9/report_9.xml",
            PathFacts("8841", "n300-llmbox", f"tt-ubuntu-n300-llmbox-stable-{MARK}", 1),
        ),
        (f"test-reports-m-1.0-n150-{MARK}-9.zip/report_9.xml", PathFacts("m", "n150", f"n150-{MARK}", 1)),
        ("x.xml", PathFacts("x")),
    ],
)
def test_a_place(path: str, place: PathFacts) -> None:
    assert path_facts(path.split("/"), ARCHS) == place


def test_a_file_asked_for_by_itself_is_a_run_of_its_own() -> None:
    assert path_facts(("ci", "n1.xml"), ARCHS, alone=True) == PathFacts("n1")


def test_an_attempt_that_nobody_can_count_is_none() -> None:
    name = f"test-reports-m-{'9' * 30}.0-n150-push-1"
    assert path_facts((name, "a.xml"), ("n150",)) == PathFacts(name, "n150")


def test_an_arch_is_a_word_of_its_own() -> None:
    assert arch_in("n300-llmbox and p150", ARCHS) == "n300-llmbox"
    assert arch_in("xn150 n1500", ARCHS) == ""
    assert arch_in("galaxy-wh-6u_n150", ARCHS) == "galaxy-wh-6u"
    assert arch_in("n150", ()) == ""
