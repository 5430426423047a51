# SPDX-License-Identifier: Apache-2.0
"""Each kind of finding has its section on the page of findings, and no section is of another kind."""

from core.doctor import explanation, kinds, severity
from core.doctor.explained import sections
from core.doctor.severities import ERRORS, NOTES
from tests.support.cli import call


def test_each_kind_has_its_section_in_the_order_of_the_kinds() -> None:
    assert list(sections()) == list(kinds())
    for kind, help in kinds().items():
        first, *paragraphs = explanation(kind).split("\n\n")
        assert first == f"{severity(kind).capitalize()}: {help}."
        assert len(paragraphs) >= 2, f"{kind}: why it hurts, and how it is fixed"


def test_every_severity_is_of_a_kind() -> None:
    assert kinds().keys() >= ERRORS | NOTES
    assert not ERRORS & NOTES


def test_explain_prints_the_section() -> None:
    done = call("doctor", "--explain", "same-job")
    assert done.code == 0
    assert done.out.startswith("same-job\n\nWarning: ")
    assert call("doctor", "--explain", "same-jobs").code == 64
    assert call("doctor", "--explain", "same-job", "--json").json["severity"] == "warning"
