# SPDX-License-Identifier: Apache-2.0
"""Print models and cases instead of running them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest

from .item import OpTest


def is_asked_for(config: pytest.Config) -> bool:
    """Whether the command line asks for a list."""
    option = config.option
    return option.list_models or option.list_cases or option.list_cases_by_mark is not None


def print_list(config: pytest.Config, session: pytest.Session) -> None:
    """Collect, and print the requested list."""
    excluded: list[pytest.Item] = []
    config.pluginmanager.register(_Excluded(excluded), "ttmatrix_ops_excluded")
    session.perform_collect()
    option = config.option
    cases = [item for item in session.items if isinstance(item, OpTest)]
    for line in (
        *(_models(cases) if option.list_models else ()),
        *(map(_listed, cases) if option.list_cases or option.list_cases_by_mark else ()),
        *(_by_mark(cases) if option.list_cases_by_mark == "" else ()),
        *(_others(excluded) if option.show_excluded else ()),
    ):
        config.get_terminal_writer().line(line)


def _models(cases: Iterable[OpTest]) -> Iterator[str]:
    for model, of in _grouped((item.model, item) for item in cases).items():
        files = ", ".join(dict.fromkeys(str(item.path) for item in of))
        yield f"{model}: {len(of)} cases  ({files})"


def _by_mark(cases: Iterable[OpTest]) -> Iterator[str]:
    for mark, of in sorted(_grouped((mark, item) for item in cases for mark in item.case.marks or ("",)).items()):
        yield f"{mark or 'without a mark'}: {len(of)}"
        yield from (f"  {_listed(item)}" for item in of)


def _others(excluded: Iterable[pytest.Item]) -> Iterator[str]:
    cases = [item for item in excluded if isinstance(item, OpTest)]
    yield f"excluded: {len(cases)}"
    yield from (f"  {_listed(item)}" for item in cases)


def _listed(item: OpTest) -> str:
    reason = item.skip_reason()
    skipped = "" if reason is None else f"  [skip: {reason}]"
    double = f"  [dup of {item.dup_of}]" if item.dup_of else ""
    return f"{item.nodeid}::{item.case.op}  ({item.path}){skipped}{double}"


def _grouped(pairs: Iterable[tuple[str, OpTest]]) -> dict[str, list[OpTest]]:
    found: dict[str, list[OpTest]] = defaultdict(list)
    for name, item in pairs:
        found[name].append(item)
    return found


class _Excluded:
    """Receives the deselected items."""

    def __init__(self, items: list[pytest.Item]) -> None:
        self._items = items

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._items += items
