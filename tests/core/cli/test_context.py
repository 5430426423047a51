# SPDX-License-Identifier: Apache-2.0
"""The context of commands is read on first use, and only once."""

from pathlib import Path

import pytest

from core.base.errors import QueryError, TTMatrixError, UsageError
from core.base.settings import Settings
from core.cli.console import Console
from core.cli.context import Context
from core.domain.model import TEST_MODULE
from tests.support.tree import sample

ORG = "alpha/pytorch-org/name-single_device-inference"


def _context(repo: Path | None, arch: str = "") -> Context:
    return Context(repo, arch, Console(), lambda request: 0)


def test_nothing_is_read_before_it_is_asked_for(tmp_path: Path) -> None:
    context = _context(tmp_path / "absent")
    assert context.settings == Settings()
    with pytest.raises(TTMatrixError):
        _ = context.checkout


def test_the_matrix_is_read_once(tmp_path: Path) -> None:
    context = _context(sample(tmp_path).root)
    assert context.matrix is context.matrix


def test_a_named_repo_is_not_searched_upward(tmp_path: Path) -> None:
    with pytest.raises(TTMatrixError):
        _ = _context(sample(tmp_path).models).checkout


def test_without_a_name_the_current_directory_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = sample(tmp_path)
    with monkeypatch.context() as patch:
        patch.chdir(checkout.models / "alpha")
        assert _context(None).checkout == checkout


def test_resolve_drops_repetitions(tmp_path: Path) -> None:
    context = _context(sample(tmp_path).root)
    assert context.resolve([ORG, f"{TEST_MODULE}::test_all_models_torch[{ORG}]"]) == [ORG]


def test_arch_must_be_one_of_the_checkout(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="n9"):
        _ = _context(sample(tmp_path).root, "n9").matrix


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("status:", "status: expected_passing, known_failure_xfail"),
        ("tiny !mode:", "mode: inference, training"),
        ("status:xfail,", "status: expected_passing"),
        ("verdict:", "verdict: "),
        ("nope:", "Did you mean op:?"),
        ("reason~", "Write it right after reason~"),
    ],
)
def test_a_query_without_a_value_lists_the_values(tmp_path: Path, text: str, hint: str) -> None:
    context = _context(sample(tmp_path).root)
    for read in (context.parse, context.ids_of):
        with pytest.raises(QueryError) as raised:
            read(text)
        assert raised.value.hint.startswith(hint)
        assert "something" not in str(raised.value)


def test_other_mistakes_in_a_query_stay_what_they_are(tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="A parenthesis is opened and never closed"):
        _context(sample(tmp_path).root).parse("(status:xfail")


def test_a_value_that_only_op_cases_have_is_one(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    directory = checkout.root / "tests/op_manifests"
    directory.mkdir(parents=True)
    (directory / "m.yaml").write_text("cases: [{name: a, op: torch.neg, inputs: [{tensor: {shape: [2]}}]}]\n")
    context = _context(checkout.root)
    assert context.ids_of("op:neg") == frozenset()
    assert ORG in (context.ids_of(f"op:neg or {ORG}") or ())
    with pytest.raises(QueryError, match="No op matches"):
        context.ids_of("op:nosuch")
