# SPDX-License-Identifier: Apache-2.0
"""Texts of fields: their meaning, and the message for those without one."""

from pathlib import Path

import pytest

from core.base.errors import UsageError
from core.ci.known_markers import registered_markers
from core.edits import marker_doubt, words
from core.edits.form_fields import read_field
from core.matrix import Matrix, index
from tests.support.tree import sample


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    checkout = sample(tmp_path_factory.mktemp("checkout"))
    (checkout.root / "pytest.ini").write_text(
        "[pytest]\naddopts = --tb=short\nmarkers =\n    push: on pull requests\n    # a note\n    slow(reason): takes long\n"
    )
    return index(checkout)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("status", " known_failure_xfail ", "KNOWN_FAILURE_XFAIL"),
        ("required_pcc", "0.97", 0.97),
        ("assert_pcc", "False", False),
        ("reason", "  out of memory ", "out of memory"),
        ("markers", "push, large nightly", ["push", "large", "nightly"]),
        ("supported_archs", "n150", ["n150"]),
        ("required_pcc", "  ", None),
    ],
)
def test_texts_and_their_values(matrix: Matrix, name: str, text: str, value: object) -> None:
    assert read_field(matrix, name, text) == value


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("required_pcc", "abc", "required_pcc must be a number from 0 to 1, not 'abc'"),
        ("required_pcc", "1.5", "required_pcc must be a number from 0 to 1, not '1.5'"),
        ("required_pcc", "nan", "required_pcc must be a number from 0 to 1, not 'nan'"),
        ("assert_pcc", "maybe", "assert_pcc must be true or false, not 'maybe'"),
        (
            "supported_archs",
            "n151",
            "supported_archs: n151 is not an arch of this checkout; archs are .*Did you mean n150?",
        ),
        ("status", "EXPECTED_PASING", "status must be one of .*Did you mean EXPECTED_PASSING?"),
    ],
)
def test_a_text_that_cannot_be_is_refused_in_the_words_of_the_field(
    matrix: Matrix, name: str, text: str, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        read_field(matrix, name, text)
    start, _, end = said.partition(".*")
    told = " ".join(str(caught.value).split("\n"))
    assert told.startswith(start)
    assert told.endswith(end)


def test_a_marker_that_nobody_knows_is_doubted_with_what_was_meant(matrix: Matrix) -> None:
    assert marker_doubt(matrix, ["pussh"]).endswith("Did you mean push?")
    assert marker_doubt(matrix, ["push", "large"]) == ""
    assert "zzzzzz" in marker_doubt(matrix, ["push", "zzzzzz"])
    assert "supported_archs" in marker_doubt(matrix, ["n150"])


@pytest.mark.parametrize("text", ["no section", "[pytest\n", "[tool]\nmarkers = x\n", "[pytest]\nmarkers = %(x)s\n"])
def test_a_pytest_ini_that_says_nothing_is_passed_over(tmp_path: Path, text: str) -> None:
    checkout = sample(tmp_path / "tt-xla")
    (checkout.root / "pytest.ini").write_text(text)
    assert "x" not in registered_markers(checkout.root)


def test_items_with_commas_or_spaces() -> None:
    assert words(" a,b  c ,, d") == ["a", "b", "c", "d"]
