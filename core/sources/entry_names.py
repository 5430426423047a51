# SPDX-License-Identifier: Apache-2.0
"""The name a test id gives its model, apart from how it is written: what stays when ids are renamed."""

import re
from functools import lru_cache
from typing import NamedTuple

from core.ids import TestId

_WORD = re.compile(r"[a-z]+|[0-9]+")


class Name(NamedTuple):
    """The parts of an id that tell whether another one can name the same test."""

    kind: tuple[str, str, str]
    """Framework, parallelism without its sharding, mode: tests that differ in one are never the same."""
    directory: str
    variant: str
    """In lower case."""
    words: tuple[str, ...]
    """Words and numbers of directory and variant, sorted; a variant need not repeat the words of its directory."""
    shape: tuple[str | int | None, ...]
    """Phase, sequence length, batch size, sharding and mesh of an LLM test; None: the id does not say."""

    @property
    def text(self) -> str:
        """Directory and variant, without the framework."""
        return f"{self.directory.rpartition('/')[0]}-{self.variant}"


@lru_cache(maxsize=1 << 12)
def name_of(id: str) -> Name | None:
    """The name in `id`; None where it follows no grammar."""
    parsed = TestId.parse(id)
    if parsed is None:
        return None
    variant = (parsed.variant or "").lower()
    shape: tuple[str | int | None, ...] = (None,) * 5
    if parsed.llm is not None:
        llm = parsed.llm
        sharding = None if llm.seq_len is None else parsed.parallelism
        shape = (llm.phase, llm.seq_len, llm.batch_size, sharding, llm.mesh or None)
    directory = _WORD.findall(parsed.directory.rpartition("/")[0].lower())
    words = [*directory, *(word for word in _WORD.findall(variant) if word.isdigit() or word not in directory)]
    kind = (parsed.framework.value, parsed.parallelism.rpartition("-")[2], parsed.mode)
    return Name(kind, parsed.directory, variant, tuple(sorted(words)), shape)


def shape_differences(one: Name, other: Name) -> int:
    """In how many parts the shapes differ that both names give."""
    return sum(a != b for a, b in zip(one.shape, other.shape, strict=True) if a is not None and b is not None)
