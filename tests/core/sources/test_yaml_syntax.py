# SPDX-License-Identifier: Apache-2.0
"""core.sources.yaml_syntax: what people write is read, and what takes a parser long is refused at once."""

import time

import pytest
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode

from core.sources import MOST_CHARACTERS, compose_yaml, refuse_unbounded, yaml_syntax as module
from core.sources.yaml_syntax import OutOfBounds

BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


def test_plain_documents_are_read() -> None:
    assert compose_yaml("") is None
    assert isinstance(compose_yaml("test_config:\n  a: {b: [c, d]}\n"), MappingNode)
    with pytest.raises(YAMLError) as caught:
        compose_yaml("a: [")
    assert not isinstance(caught.value, OutOfBounds)


@pytest.mark.parametrize("text", ["x: &a [1]\ny: *a\nz: [*a, *a]\n", "reason: '*not an alias* and [brackets]]]'\n"])
def test_a_few_aliases_are_no_bomb(text: str) -> None:
    assert isinstance(compose_yaml(text), MappingNode)


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * 16_000 + "]" * 16_000,
        "a: " + "{a: " * 16_000 + "}" * 16_000,
        "a:\n  " + "- " * 16_000 + "x",
        "a: [" + "']', [" * 16_000,
        "".join(f"{' ' * depth}a:\n" for depth in range(300)),
    ],
    ids=["lists", "mappings", "compact", "quoted", "block"],
)
def test_what_nests_without_end_is_refused_at_once(text: str) -> None:
    began = time.process_time()
    for read in (compose_yaml, refuse_unbounded):
        with pytest.raises(OutOfBounds, match="nests more than 64 deep on line"):
            read(text)
    assert time.process_time() - began < 1.0


def test_many_brackets_that_do_not_nest_are_read() -> None:
    assert isinstance(compose_yaml("a: [" + "[x], {y: z}, " * 2000 + "]"), MappingNode)
    assert isinstance(compose_yaml("".join(f"{' ' * depth}a:\n" for depth in range(60))), MappingNode)


def test_what_is_too_long_is_not_looked_at() -> None:
    began = time.process_time()
    with pytest.raises(OutOfBounds, match=r"12,000,000 characters; at most 2,097,152"):
        compose_yaml("a: b\n" * 2_400_000)
    assert time.process_time() - began < 1.0
    assert MOST_CHARACTERS == 2 * 2**20


def test_aliases_that_multiply_are_refused() -> None:
    began = time.process_time()
    with pytest.raises(OutOfBounds, match="more than 1,000,000 values"):
        compose_yaml(BOMB)
    assert time.process_time() - began < 1.0


def test_an_alias_within_itself_is_refused() -> None:
    with pytest.raises(OutOfBounds, match="refers to itself"):
        compose_yaml("a: &a [x, *a]")


def test_the_count_of_brackets_is_only_a_first_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FEW_BRACKETS", 0)
    assert isinstance(compose_yaml("a: [b, {c: d}]"), MappingNode)
