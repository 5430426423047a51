# SPDX-License-Identifier: Apache-2.0
"""All hand-written tests of a checkout: the files that pytest searches, and the tests it collects from them."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.domain.model import Finding
from core.python import Program, Raised, Resolver, Unknown, parse_python
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
    above: dict[str, None] = {}
    for path in _test_files(os.fspath(checkout.root)):
        conftests = _conftests(program, path)
        above.update(dict.fromkeys(conftests))
        try:
            tests += collect(program, path, conftests)
        except Unknown as error:
            line = _line_of_mistake(program, path)
            findings.append(Finding("broken-test", f"Its tests are not known: {error}", path, line))
            continue
        if raised := program.module(path).raised:
            findings.append(_raising(path, raised))
    findings += [found for path in above for found in _raising_conftest(program, path)]
    findings += _lacking(tests)
    return Suite(tuple(tests), tuple(findings), tuple(sorted(program.read.keys() | program.looked_at)))


def _raising(path: str, raised: Raised) -> Finding:
    """A module that pytest cannot import; the line is that of the module itself if the exception comes from there."""
    line = raised.line if raised.path == path else 0
    return Finding("broken-test", f"pytest cannot collect its tests: importing it {raised.text}", path, line)


def _raising_conftest(program: Program, path: str) -> Iterator[Finding]:
    """What keeps pytest from collecting anything beside or below a conftest."""
    where = path.rpartition("/")[0] or "the checkout"
    try:
        module = program.module(path)
        program.check_imports(path)
    except Unknown:
        if line := _line_of_mistake(program, path):
            yield Finding(
                "broken-test", f"pytest cannot collect any test in {where}: its conftest is no Python", path, line
            )
        return
    if raised := module.raised:
        line = raised.line if raised.path == path else 0
        yield Finding(
            "broken-test", f"pytest cannot collect any test in {where}: its conftest {raised.text}", path, line
        )


def _line_of_mistake(program: Program, path: str) -> int:
    """The line at which a file is no Python; 0: it is."""
    try:
        parse_python(program.files.read(path))
    except SyntaxError as error:
        return error.lineno or 1
    except (OSError, ValueError):
        return 0
    return 0


def _lacking(tests: Sequence[HandwrittenTest]) -> Iterator[Finding]:
    """One finding for each function that asks for a fixture that nothing defines."""
    said: set[tuple[str, int]] = set()
    for test in tests:
        skipped = any(mark.name == "skip" for mark in test.marks)
        if test.lacking and not skipped and (test.path, test.line) not in said:
            said.add((test.path, test.line))
            names = ", ".join(test.lacking)
            message = f"{test.name} fails before it starts: no fixture {names}. Define it, or correct the name"
            yield Finding("missing-fixture", message, test.path, test.line)


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
