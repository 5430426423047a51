# SPDX-License-Identifier: Apache-2.0
"""core.workflows.loader_code.edits.registry: lines of the registry, at their places."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import core.demo
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import REGISTRY_FILE, SourceEdit, read_registry, register, unregister
from core.workflows.loader_code.edits.edit import EditKind
from tests.support.loader_code import changed, reason

SAMPLE = Path(core.demo.__file__).parent / "tree/third_party/tt_forge_models" / REGISTRY_FILE
HEAD = "def _register_attr(name, attr):\n    _register_handler(name, handler)\n\n\n"
NAMES = st.from_regex(r"[A-Z][A-Za-z0-9]{0,8}Output", fullmatch=True)


def registry(names: list[str]) -> str:
    return HEAD + "".join(f'_register_attr("{name}", "logits")\n' for name in names)


def test_the_sample_s() -> None:
    assert read_registry(SAMPLE.read_text(encoding="utf-8")) == dict.fromkeys(
        ("CausalLMOutput", "ImageClassifierOutput", "Seq2SeqLMOutput", "TokenClassifierOutput"), "logits"
    )


def test_a_handler_of_its_own() -> None:
    source = HEAD + '_register_handler("A", lambda x: x[0])\n_register_attr("B", "x")\n'
    assert read_registry(source) == {"A": None, "B": "x"}
    assert "registered already" in reason(register(source, "A", "y"))
    assert "no line" in reason(unregister(source, "A"))


@pytest.mark.parametrize(
    ("name", "line"), [("AOutput", 5), ("CLIPOutput", 7), ("CausalLMOutput", 6), ("DPROutput", 7), ("ZOutput", 8)]
)
def test_the_alphabetical_place_whatever_the_case(name: str, line: int) -> None:
    source = registry(["BertOutput", "clapOutput", "SamOutput"])
    found = register(source, name, "logits")
    assert changed(found) == ([], [f'_register_attr("{name}", "logits")'])
    assert isinstance(found, SourceEdit) and found.kind is EditKind.REGISTER
    assert found.line == line and found.after.splitlines()[line - 1].startswith(f'_register_attr("{name}"')


@pytest.mark.slow("edits of many loaders")
@given(st.lists(NAMES, min_size=1, unique=True), NAMES)
def test_taking_out_what_was_put_in_gives_the_bytes_back(names: list[str], name: str) -> None:
    source = registry(sorted(names, key=str.casefold))
    found = register(source, name, "logits")
    if name in names:
        assert isinstance(found, NoSite)
        return
    assert isinstance(found, SourceEdit)
    assert read_registry(found.after) == {**read_registry(source), name: "logits"}
    order = list(read_registry(found.after))
    assert order == sorted(order, key=str.casefold) or len({one.casefold() for one in order}) < len(order)
    back = unregister(found.after, name)
    assert isinstance(back, SourceEdit) and back.after == source


@pytest.mark.slow("edits of many loaders")
@given(st.lists(NAMES, min_size=2, unique_by=str.casefold), st.data())
def test_a_line_goes_back_to_where_it_was(names: list[str], data: st.DataObject) -> None:
    source = registry(sorted(names, key=str.casefold))
    gone = unregister(source, name := data.draw(st.sampled_from(names)))
    assert isinstance(gone, SourceEdit)
    back = register(gone.after, name, "logits")
    assert isinstance(back, SourceEdit) and back.after == source


def test_line_ends_and_an_open_end() -> None:
    source = registry(["AOutput"]).replace("\n", "\r\n").removesuffix("\r\n")
    found = register(source, "BOutput", "x")
    assert isinstance(found, SourceEdit)
    assert found.after == source + '\r\n_register_attr("BOutput", "x")'
    assert found.after.splitlines()[found.line - 1].startswith('_register_attr("BOutput"')


@pytest.mark.parametrize(("name", "attribute"), [('A", "x")\nimport os#', "x"), ("A", "x.y"), ("", "x"), ("A", "")])
def test_only_names_are_registered(name: str, attribute: str) -> None:
    assert "not names" in reason(register(registry(["B"]), name, attribute))


def test_nothing_to_join() -> None:
    assert "registers no class" in reason(register(HEAD, "A", "x"))
    assert "no line" in reason(unregister(HEAD, "A"))
