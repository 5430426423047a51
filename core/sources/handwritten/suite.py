# SPDX-License-Identifier: Apache-2.0
"""All hand-written tests of a checkout: the files that pytest searches, and the tests it collects from them."""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from core.model import Finding
from core.python import Program, Raised, Resolver, Unknown
from core.sources.checkout import Checkout
from core.sources.handwritten.collect import collect
from core.sources.handwritten.records import ROOTS, HandwrittenTest
from core.sources.stamps import walk

_LEFT_OUT = ("_darcs", "build", "CVS", "dist", "node_modules", "venv")
_CONFTEST = "conftest.py"
_PATH = ("", "tests", "integrations/vllm_plugin", "python_package")
"""Directories on the import path besides that of the test (upstream's `venv/activate`), relative to the checkout."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The tests below ROOTS."""

    tests: tuple[HandwrittenTest, ...]
    findings: tuple[Finding, ...] = ()
    """Files that cannot be read."""
    read: tuple[str, ...] = ()
    """Every file that was read, relative to the checkout: while they do not change, the suite is valid."""


def read_suite(checkout: Checkout) -> Suite:
    """Collect the tests below ROOTS from syntax trees; nothing is imported or executed."""
    program = Program(Resolver(checkout.root, path=_PATH))
    tests: list[HandwrittenTest] = []
    findings: list[Finding] = []
    for path in _test_files(os.fspath(checkout.root)):
        try:
            tests += collect(program, path, _conftests(program, path))
        except Unknown as error:
            findings.append(Finding("broken-test", f"Its tests are not known: {error}", path))
            continue
        if raised := program.module(path).raised:
            findings.append(_raising(path, raised))
    return Suite(tuple(tests), tuple(findings), tuple(sorted(program.read.keys() | program.looked_at)))


def _raising(path: str, raised: Raised) -> Finding:
    """A module that pytest cannot import; the line is that of the module itself if the exception comes from there."""
    line = raised.line if raised.path == path else 0
    return Finding("broken-test", f"pytest cannot collect its tests: importing it {raised.text}", path, line)


def _test_files(root: str) -> Iterator[str]:
    for below in ROOTS:
        for directory, names in walk(f"{root}/{below}"):
            relative = directory[len(root) + 1 :]
            if not any(_left_out(part) for part in relative.split("/")):
                yield from (f"{relative}/{name}" for name in sorted(names) if _is_test_file(name))


def _is_test_file(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _left_out(part: str) -> bool:
    """Whether a directory is skipped, as by pytest's `norecursedirs`."""
    return (
        part.startswith(".")
        or part.endswith(".egg")
        or part in ("_darcs", "build", "CVS", "dist", "node_modules", "venv")
    )


def _conftests(program: Program, path: str) -> list[str]:
    parts = path.split("/")[:-1]
    above = ["/".join((*parts[:count], _CONFTEST)) for count in range(len(parts) + 1)]
    return [one for one in above if program.files.is_file(one)]
