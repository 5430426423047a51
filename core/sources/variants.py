# SPDX-License-Identifier: Apache-2.0
"""Which key of a loader's table of variants an id means, and where the file of the loader has it."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from core.python import (
    Class,
    Expressions,
    Member,
    ModuleScope,
    Program,
    Unknown,
    Value,
    WrittenItem,
    line_of,
    written_items,
)
from core.sources.models_tree import LOADER_CLASS, VARIANTS, loader_file, models_resolver


def variant_line(models: Path, directory: str, variant: str) -> int:
    """The line in a loader's file of a variant's configuration, else of its name, else of the loader's class; else 1.

    `variant` is as in ids; empty: the loader has none.
    """
    # A loader that raises is read to its end, too: it is the one that somebody wants to edit.
    program = Program(models_resolver(models), lenient=True)
    with suppress(Unknown, RecursionError), program.budget():
        module = program.module(loader_file(directory))
        loader = module.names.get(LOADER_CLASS)
        own = [loader.node.lineno] if isinstance(loader, Class) else []
        named = [*_lines(program, module, loader, variant)] if variant and isinstance(loader, Class) else []
        return next(iter([*named, *own]), 1)
    return 1


def is_variant(expressions: Expressions, key: Value, variant: str) -> bool:
    """Whether an id with `variant` means this key (docs/rules.md 1.2). Raises Unknown."""
    return (isinstance(key, Member) and key.value == variant) or expressions.text(key) == variant


def variant_items(expressions: Expressions, loader: Class, variant: str) -> Iterator[WrittenItem]:
    """The items that a loader's table has for a variant, as they are written. Raises Unknown."""
    for item in written_items(loader, VARIANTS):
        with suppress(Unknown):
            if is_variant(expressions, expressions.evaluate(item.key, item.scope), variant):
                yield item


class Replaced(NamedTuple):
    """A variant that a later one of its table replaces: two members of an enum with the same value are one key."""

    name: str
    by: str
    path: str
    """The file that has the table, below the models tree."""
    line: int


def replaced_variants(expressions: Expressions, loader: Class) -> Iterator[Replaced]:
    """The variants that are no keys of a loader's table, though it is written with them."""
    table, seen = None, dict[Member, str]()
    for item in written_items(loader, VARIANTS):
        if item.table is not table:
            # What a base has of the same is replaced on purpose.
            table, seen = item.table, {}
        with suppress(Unknown):
            key = expressions.evaluate(item.key, item.scope)
            if isinstance(key, Member) and item.member:
                if key in seen:
                    yield Replaced(seen[key], item.member, item.scope.module.path, item.key.lineno)
                seen[key] = item.member


def _lines(program: Program, module: ModuleScope, loader: Class, variant: str) -> Iterator[int]:
    for item in variant_items(program.expressions, loader, variant):
        if item.scope.module is module:
            yield item.key.lineno
    for one in module.names.values():
        for name, value in one.names.items() if isinstance(one, Class) else ():
            if value == variant:
                yield line_of(one, name)
