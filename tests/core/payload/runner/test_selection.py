# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.selection: which arguments mean our module, and what they want of it."""

from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.runner.selection import MODULE, Selection, closest, take_arguments

HERE = Path("/checkout")
NAME = "test_all_models_torch[a/pytorch-B[1]::c-single_device-inference]"


@pytest.mark.parametrize(
    ("argument", "wanted"),
    [
        (MODULE, Selection(everything=True)),
        (f"./{MODULE}", Selection(everything=True)),
        ("tests", Selection(everything=True)),
        ("tests/runner/", Selection(everything=True)),
        (f"/checkout/{MODULE}", Selection(everything=True)),
        (f"./{MODULE}::test_llms_torch", Selection(functions=frozenset({"test_llms_torch"}))),
        (f"{MODULE}::{NAME}", Selection(names=(NAME,))),
    ],
)
def test_ours(argument: str, wanted: Selection) -> None:
    assert take_arguments([argument], HERE) == (wanted, [])


@pytest.mark.parametrize("argument", ["tests/other.py", "tests/runner/test_x.py::test_y", "tests::x", "other", "test"])
def test_not_ours(argument: str) -> None:
    assert take_arguments([argument], HERE) == (Selection(), [argument])


def test_arguments_add_up() -> None:
    found, rest = take_arguments([f"{MODULE}::{NAME}", "x", f"{MODULE}::test_llms_torch", f"{MODULE}::{NAME}"], HERE)
    assert rest == ["x"]
    assert found.has("test_all_models_torch", NAME)
    assert found.has("test_llms_torch", "test_llms_torch[x]")
    assert not found.has("test_all_models_torch", "test_all_models_torch[x]")
    assert found.ids() == [NAME.removeprefix("test_all_models_torch[")[:-1]]
    assert (found.wants_framework("pytorch"), found.wants_framework("jax")) == (True, False)


def test_a_hint_names_what_is_near() -> None:
    assert closest("abcdef", ["abcdeg", "xyz"]) == "; closest: abcdeg"
    assert closest("abcdef", ["xyz"]) == ""
