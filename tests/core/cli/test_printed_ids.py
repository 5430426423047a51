# SPDX-License-Identifier: Apache-2.0
"""Every id that is printed can be pasted wherever an id or a query is taken."""

import json
from pathlib import Path

import pytest

from core.base.errors import EXIT_OK, EXIT_USAGE
from core.domain.ids import pasted
from core.matrix.query import Query
from core.sources import Checkout
from tests.support.cli import Called, call
from tests.support.sample import sample_checkout

_COMMANDS = (("show",), ("jobs",), ("run", "--plan", "--kind", "cpu"), ("list",))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return sample_checkout(tmp_path_factory.mktemp("printed") / "tt-xla")


def _listed(checkout: Checkout, *words: str) -> list[str]:
    return call("--repo", checkout.root, "list", *words, "--format", "ids").out.splitlines()


@pytest.mark.parametrize("command", _COMMANDS, ids=lambda words: words[0])
def test_ids_with_their_function(checkout: Checkout, command: tuple[str, ...]) -> None:
    printed = _listed(checkout, "--universe", "collected", "has:entry", "status:pass")
    of_functions = {id.partition("::")[0]: id for id in printed}
    assert len(of_functions) > 1
    for id in of_functions.values():
        done = call("--repo", checkout.root, *command, id)
        # Without its environment nothing runs; the id is known anyway.
        assert done.code == EXIT_OK or "no test" not in done.err.lower(), done.err
        assert "is not an op case" not in done.err and "No field" not in done.err


def test_a_function_narrows_a_query(checkout: Checkout) -> None:
    printed = next(id for id in _listed(checkout, "--universe", "collected", "has:entry") if "models_torch::" in id)
    id = printed.partition("::")[2]
    assert _listed(checkout, printed) == _listed(checkout, f"id:{id}") != []
    assert _listed(checkout, f"test_llms_torch::{id}") == []
    assert _listed(checkout, f"tests/runner/test_models.py::test_all_models_torch[{id}]") == _listed(checkout, printed)


@pytest.mark.parametrize(
    "id",
    [
        "nano_lm::scores",
        "tests/torch/test_ops.py::test_add[(32, 32)]",
        "tests/jax/test_a.py::TestB::test_c[bfloat16-(256, 128, 64)]",
        "tests/torch/test_ops.py::test_add[x:y]",
    ],
)
def test_ids_are_words_of_a_query(id: str) -> None:
    query = Query.parse(f"{id} status:xfail")
    assert query.terms[0] == Query.parse(f'"{id}"').terms[0]
    assert len(query.terms) == 2
    assert Query.parse(str(query)) == query
    assert Query.parse(f"({id} or mode:training)").terms


def test_op_cases(checkout: Checkout) -> None:
    id = _listed(checkout, "kind:op")[0]
    assert _listed(checkout, id) == [id]
    assert call("--repo", checkout.root, "show", id).code == EXIT_OK


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("test_all_models_torch::a/pytorch-x", ("test_all_models_torch", "a/pytorch-x")),
        ("tests/runner/test_models.py::test_llms_torch[a/pytorch-x]", ("test_llms_torch", "a/pytorch-x")),
        ("nano_lm::scores", ("", "nano_lm::scores")),
        ("tests/torch/test_a.py::test_b[c]", ("", "tests/torch/test_a.py::test_b[c]")),
        ("a/pytorch-x", ("", "a/pytorch-x")),
    ],
)
def test_what_is_pasted(text: str, found: tuple[str, str]) -> None:
    assert pasted(text) == found


@pytest.fixture(scope="module")
def twin(checkout: Checkout) -> str:
    """The id of a test that has an op-by-op twin, and an entry."""
    printed = _listed(checkout, "--universe", "collected", "has:entry")
    return next(id for id in printed if id.startswith("test_all_models_op_by_op::")).partition("::")[2]


@pytest.mark.parametrize(
    "form", ["test_all_models_op_by_op::{}", "tests/runner/test_models.py::test_all_models_op_by_op[{}]"]
)
def test_what_a_run_does_not_call_is_refused(checkout: Checkout, twin: str, form: str) -> None:
    done = call("--repo", checkout.root, "run", "--plan", form.format(twin))
    assert done.code == EXIT_USAGE
    assert "Runs do not call test_all_models_op_by_op" in done.err
    assert "pytest --force-run" in done.err
    assert call("--repo", checkout.root, "show", form.format(twin)).code == EXIT_OK


@pytest.mark.parametrize("words", [("show",), ("run", "--plan"), ("jobs",), ("history",), ("since",), ("triage",)])
def test_a_function_without_the_id_is_an_error_everywhere(
    checkout: Checkout, twin: str, words: tuple[str, ...]
) -> None:
    done = call("--repo", checkout.root, *words, f"test_llms_torch::{twin}")
    assert done.code == EXIT_USAGE
    assert f"test_llms_torch has no test {twin}" in done.err


def test_operations_take_ids_with_their_function(checkout: Checkout, twin: str, tmp_path: Path) -> None:
    def edited(id: str) -> Called:
        operations = [{"op": "set", "id": id, "path": ["reason"], "value": "pasted"}]
        (tmp_path / "operations.json").write_text(json.dumps(operations))
        return call("--repo", checkout.root, "edit", "--apply", tmp_path / "operations.json", "--json")

    plain = edited(twin)
    assert plain.json["applied"]
    assert edited(f"test_all_models_op_by_op::{twin}").json == plain.json
    refused = edited(f"test_llms_torch::{twin}")
    assert refused.code == EXIT_USAGE
    assert "has no test" in refused.out
