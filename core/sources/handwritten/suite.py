# SPDX-License-Identifier: Apache-2.0
"""All hand-written tests of a checkout: the files that pytest searches, and the tests it collects from them."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from core.domain.model import Finding
from core.python import Program, Raised, Resolver, Unknown, parse_python, undefined_names
from core.sources.checkout import Checkout
from core.sources.content_cache import ContentCache, Contents
from core.sources.handwritten.collect import collect
from core.sources.handwritten.lost import lost_in_text, lost_of
from core.sources.handwritten.records import ROOTS, HandwrittenTest
from core.sources.stamps import walk

_LEFT_OUT = ("_darcs", "build", "CVS", "dist", "node_modules", "venv")
_CONFTEST = "conftest.py"
_TESTS = "tests"
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


class FileTests(NamedTuple):
    """What one file holds: tests, or in a conftest none."""

    conftests: tuple[str, ...]
    """The conftests above it."""
    tests: tuple[HandwrittenTest, ...]
    findings: tuple[Finding, ...]
    read: frozenset[str]
    """The files that this depends on."""


def read_suite(checkout: Checkout, cached: ContentCache[FileTests] | None = None) -> Suite:
    """Collect the tests below ROOTS from syntax trees; nothing is imported or executed.

    `cached` has the tests of files that say what they said, as have those that they import; it gets what is new.
    """
    contents = Contents(checkout.root)
    reading = _Reading(checkout, contents, ContentCache(contents) if cached is None else cached)
    found = [reading.tests(path) for path in _test_files(os.fspath(checkout.root))]
    others = dict.fromkeys(
        [*(path for one in found for path in one.conftests), *_other_files(os.fspath(checkout.root))]
    )
    found += [reading.imported(path) for path in others]
    tests = tuple(test for one in found for test in one.tests)
    findings = (*(finding for one in found for finding in one.findings), *_lacking(tests))
    return Suite(tests, findings, tuple(sorted({path for one in found for path in one.read})))


class _Reading:
    """Reads the files of one suite, unless it is known what they hold."""

    def __init__(self, checkout: Checkout, contents: Contents, cached: ContentCache[FileTests]) -> None:
        self._program = Program(Resolver(checkout.root, path=_PATH))
        self._contents = contents
        self._cached = cached

    def tests(self, path: str) -> FileTests:
        """The tests of the file at `path`."""
        conftests = _conftests(self._program, path)
        known = self._cached.get(path)
        return known if known and known.conftests == conftests else self._read(path, conftests, self._collected)

    def imported(self, path: str) -> FileTests:
        """What keeps a conftest, or a file with other tests, from being imported."""
        key = f"{path}::"
        return self._cached.get(key) or self._read(key, (), lambda *_: ((), tuple(_not_imported(self._program, path))))

    def _read(self, key: str, conftests: tuple[str, ...], read: "_Reader") -> FileTests:
        path = key.removesuffix("::")
        with self._program.inputs.reading(path):
            tests, findings = read(path, conftests)
        inputs = self._program.inputs.of(path, *conftests)
        there = frozenset(one for one in inputs if self._contents.is_file(one))
        return self._cached.put(key, FileTests(conftests, tests, findings, there), inputs)

    def _collected(self, path: str, conftests: tuple[str, ...]) -> "_Found":
        try:
            tests = tuple(collect(self._program, path, conftests))
        except Unknown as error:
            line = _line_of_mistake(self._program, path)
            return (), (Finding("broken-test", f"Its tests are not known: {error}", path, line),)
        return tests, tuple(self._found_in(path, tests))

    def _found_in(self, path: str, tests: Sequence[HandwrittenTest]) -> Iterator[Finding]:
        if raised := self._program.module(path).raised:
            yield _raising(path, raised)
        elif test := next((one for one in tests if one.raised), None):
            message = f"pytest cannot collect its tests: collecting {test.name} {test.raised}"
            yield Finding("broken-test", message, path, test.line)
        yield from lost_in_text(self._program.trees[path][0], path)
        yield from lost_of(tests)
        yield from _undefined(self._program.trees[path][1], path)


_Found: TypeAlias = tuple[tuple[HandwrittenTest, ...], tuple[Finding, ...]]
_Reader: TypeAlias = Callable[[str, tuple[str, ...]], _Found]


def _undefined(source: str, path: str) -> Iterator[Finding]:
    for one in undefined_names(source.encode()):
        message = f"{one.function} raises NameError: nothing binds {one.name}. Import or define it, or correct the name"
        yield Finding("undefined-name", message, path, one.line)


def _raising(path: str, raised: Raised) -> Finding:
    """A module that pytest cannot import; the line is that of the module itself if the exception comes from there."""
    line = raised.line if raised.path == path else 0
    return Finding("broken-test", f"pytest cannot collect its tests: importing it {raised.text}", path, line)


def _not_imported(program: Program, path: str) -> Iterator[Finding]:
    """What keeps pytest from collecting the tests of a file, or anything beside or below a conftest."""
    directory, _, name = path.rpartition("/")
    of = f"any test in {directory or 'the checkout'}: its conftest" if name == _CONFTEST else "its tests: importing it"
    try:
        module = program.module(path)
        program.check_imports(path)
    except Unknown:
        if line := _line_of_mistake(program, path):
            yield Finding("broken-test", f"pytest cannot collect {of} raises SyntaxError", path, line)
        return
    if raised := module.raised:
        line = raised.line if raised.path == path else 0
        yield Finding("broken-test", f"pytest cannot collect {of} {raised.text}", path, line)


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


def _other_files(root: str) -> Iterator[str]:
    """Conftests and files with tests below `tests` of which only the import is looked at."""
    for directory, names in walk(f"{root}/{_TESTS}"):
        relative = directory[len(root) + 1 :]
        if not f"{relative}/".startswith(tuple(f"{one}/" for one in ROOTS)) and not any(
            _left_out(part) for part in relative.split("/")
        ):
            yield from (f"{relative}/{name}" for name in sorted(names) if _is_test_file(name) or name == _CONFTEST)


def _is_test_file(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _left_out(part: str) -> bool:
    """Whether a directory is skipped, as by pytest's `norecursedirs`."""
    return (
        part.startswith(".")
        or part.endswith(".egg")
        or part in ("_darcs", "build", "CVS", "dist", "node_modules", "venv")
    )


def _conftests(program: Program, path: str) -> tuple[str, ...]:
    parts = path.split("/")[:-1]
    above = ["/".join((*parts[:count], _CONFTEST)) for count in range(len(parts) + 1)]
    return tuple(one for one in above if program.files.is_file(one))
