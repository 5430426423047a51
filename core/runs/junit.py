# SPDX-License-Identifier: Apache-2.0
"""Read the testcases of a JUnit file as tt-xla's runner writes it, and reject any other file.

See docs/rules.md 4.4, 4.6.
"""

import ast
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple
from xml.etree.ElementTree import Element

from junitparser import Properties, Property, TestCase

from core.base.checked_numbers import duration, moment
from core.base.errors import TTMatrixError
from core.base.files import opened
from core.base.text import counted, letters
from core.python import parse_expression
from core.runs.junit_stream import EARLIER, MOST_TEXT, RESULTS, Damaged, RawCase, stream_cases
from core.runs.outcome import Outcome
from core.runs.sanitize import unescaped

_MOST_CHARACTERS = 1_000_000
_NOT_FINITE = {"nan": math.nan, "inf": math.inf}
_AS_JSON = {"None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}
_JSON_NAMES = ("true", "false", "null", "NaN", "Infinity")
_STRING = re.compile(r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")""")
_MARK = "'"
_DECODE = json.JSONDecoder(strict=False).decode


def parse_tags(text: str) -> Mapping[str, object]:
    """The value of the property; empty if it is not a dictionary. It may contain bare `nan` and `inf`."""
    if not 0 < len(text) <= _MOST_CHARACTERS:
        return {}
    try:
        # Nearly always JSON except for quotes and names; parsing JSON is twenty times faster than parsing Python.
        value = _DECODE(_as_json(text))
    except (ValueError, SyntaxError, RecursionError):
        value = _python_value(text)
    if not isinstance(value, dict):
        return {}
    # Only pytest's escapes begin so, and few texts have one.
    readable = _readable if "#x" in text else lambda one: one
    return {str(key): readable(one) for key, one in value.items()}


def _readable(value: object) -> object:
    match value:
        case str():
            return unescaped(value)
        case list() | tuple():
            return [_readable(one) for one in value]
        case dict():
            return {key: _readable(one) for key, one in value.items()}
    return value


def _as_json(text: str) -> str:
    """`text` as JSON if it is a literal that JSON also has. Raises ValueError or SyntaxError otherwise."""
    if '"' in text or "\\" in text:
        pieces, glue = _STRING.split(text), ""
        pieces[1::2] = map(_json_string, pieces[1::2])
    else:
        # No string contains a quote then, so the text between two quotes is a string and all else is not.
        pieces, glue = text.split("'"), '"'
    # Outside of strings no quote is left, so a quote can temporarily replace each of them.
    outside = _MARK.join(pieces[::2])
    if any(name in outside for name in _JSON_NAMES):
        raise ValueError("a name that Python does not know")
    for name, word in _AS_JSON.items():
        outside = outside.replace(name, word)
    pieces[::2] = outside.split(_MARK)
    return glue.join(pieces)


def _json_string(literal: str) -> str:
    if literal[0] == '"' or "\\" in literal or '"' in literal:
        return json.dumps(ast.literal_eval(parse_expression(literal)))
    return f'"{literal[1:-1]}"'


def _python_value(text: str) -> object:
    try:
        return ast.literal_eval(_Numbers().visit(parse_expression(text.strip())))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


class _Numbers(ast.NodeTransformer):
    """Replaces names by the non-finite numbers that `repr` writes so, and integers that no float can hold by infinity.

    Python refuses to write out, and so to store, an integer of some thousand digits.
    """

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        too_large = isinstance(node.value, int) and node.value.bit_length() > _MOST_BITS
        return ast.copy_location(ast.Constant(math.inf), node) if too_large else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(_NOT_FINITE[node.id]), node) if node.id in _NOT_FINITE else node


_MOST_BITS = 1023
_CRASHED = re.compile(r"CRASHED with signal (\d+)")
_ENDED_ITSELF = re.compile(r"EXITED with status \d+")
_WORKER_DIED = re.compile(r"^(?:failed on \w+ with \W)?(?:worker|slave) '[^'\n]*' crashed while running\b")
"""The message of pytest-xdist: the test took its worker down."""
UNHEARD = "pytest-forked has no result of it: CRASHED with signal 0"
"""The message of a testcase whose process ended by itself: that is no crash, and nothing is known of the test.

pytest-forked says so when it does not understand its child, as with pytest 9.2, and when that calls `os._exit`.
"""
FORKING_FAULT = "pytest 9.2 or newer does not work with pytest-forked up to 1.7.5, which then says so of every test"
"""What a person should know who sees UNHEARD."""
_MOST_DIGITS = 4
"""The most digits of a signal."""
_CHUNK_BYTES = 256 * 1024
_XFAIL = "pytest.xfail"
_XPASS = ("xfail-marked test passes unexpectedly", "[XPASS(strict)]")
"""How pytest says that a test has passed although a failure was expected."""
_NOT_RUN = frozenset({"notrun", "disabled", "skipped", "suppressed", "ignored", "pending", "untested", "notexecuted"})
"""What runners write as the status or result of a test that was not run, without anything else."""
_NOT_PASSED = frozenset({"failed", "failure", "fail", "error", "errored", "broken", "timeout", "timedout", "aborted"})
_EVIDENCE_LINE = re.compile(r"^E\s+(\S.*)$", re.MULTILINE)
_WORST_FIRST = (Outcome.CRASH, Outcome.FAIL, Outcome.ERROR)


@dataclass(frozen=True, slots=True)
class Testcase:
    """One testcase element."""

    __test__: ClassVar[bool] = False

    classname: str
    name: str
    """The test function with the test id in brackets."""
    outcome: Outcome
    message: str
    """The line with the reason: in a traceback, the one that names the exception; empty if it passed."""
    text: str
    """The complete text of the failure, error or skip."""
    signal: int | None
    """The signal that ended the child of pytest-forked; 0: it has no result of the child (UNHEARD)."""
    seconds: float
    """Setup, call and teardown; 0 for a crash."""
    properties: Mapping[str, str]
    tags: Mapping[str, object]
    """The property `tags`; empty if there is none or it cannot be parsed."""
    earlier: tuple[str, ...] = ()
    """The messages of failures before this result, if the test was repeated within its session."""


class PytestSession(NamedTuple):
    """One session of pytest: a testsuite element."""

    started: float | None
    """Seconds since the epoch; None if the file has none."""
    host: str
    number: int
    """Its number in the file, from 1."""
    suite: str = ""
    """The name of the testsuite, which the option `junit_suite_name` of pytest sets."""


class UnreadableReport(TTMatrixError):
    """A document that is damaged or not a JUnit file."""

    def __init__(self, title: str, source: str, problem: str, hint: str = "") -> None:
        """`problem` describes the problem, without its place."""
        super().__init__(title, f"{source}: {problem}", hint)
        self.problem = problem


class CutReport(UnreadableReport):
    """A document that is truncated, or damaged from some place on, behind at least one complete testcase."""

    def __init__(self, name: str, problem: str, whole: int) -> None:
        """`whole` is the number of testcases before the damage, which can be relied on."""
        words = f"it is cut off or damaged behind {counted(whole, 'testcase')}: {problem}"
        super().__init__(f"{Path(name).name} is not complete", name, words, "Fetch the file again.")


def stream_testcases(chunks: Iterable[bytes], name: str) -> Iterator[tuple[PytestSession, Testcase]]:
    """The testcases of a document that comes in pieces, each with its session, as soon as it is complete.

    `name` is its origin, for messages. Raises UnreadableReport if the document is not a JUnit file, and CutReport
    after those that are complete if it is truncated.
    """
    whole = 0
    try:
        for raw in stream_cases(chunks):
            whole += 1
            yield _session(raw), _testcase(raw)
    except ValueError as error:
        if isinstance(error, Damaged) and whole:
            raise CutReport(name, str(error), whole) from error
        title, hint = f"{Path(name).name} cannot be read", "Fetch the file again."
        raise UnreadableReport(title, name, str(error), hint) from error


def file_chunks(file: Path) -> Iterator[bytes]:
    """The content of `file` in pieces. Raises TTMatrixError if it cannot be read."""
    try:
        with opened(file) as handle:
            yield from iter(partial(handle.read, _CHUNK_BYTES), b"")
    except OSError as error:
        raise TTMatrixError(f"No {file.name}", f"{file}: {error.strerror or error}") from error


def read_testcases(
    file: Path, names: Collection[str] = (), on_cut: Callable[[CutReport], object] | None = None
) -> list[Testcase]:
    """All testcases of `file`, or those that have one of `names`.

    `on_cut` is called if the file is truncated, and then those before the cut are returned; without it that is an
    error. Raises TTMatrixError if the file is missing, and as `stream_testcases`.
    """
    found = []
    try:
        for _, case in stream_testcases(file_chunks(file), str(file)):
            if not names or case.name in names:
                found.append(case)
    except CutReport as error:
        if on_cut is None:
            raise
        on_cut(error)
    return found


def read_testcase(file: Path, name: str, on_cut: Callable[[CutReport], object] | None = None) -> Testcase:
    """The testcase called `name` in `file`; `on_cut` as above. Raises TTMatrixError if there is none."""
    cut: list[CutReport] = []
    found = read_testcases(file, (name,), on_cut and cut.append)
    if not found and cut:
        raise cut[0]
    if not found:
        raise TTMatrixError(f"{file.name} does not mention the test", f"pytest has not collected {name}.")
    if on_cut and cut:
        on_cut(cut[0])
    return deciding_case(found)


def deciding_case(cases: list[Testcase]) -> Testcase:
    """The one of a test's testcases in one file that says how the test ended.

    pytest writes a failing teardown as a separate testcase, after that of the call.
    """
    return min(cases, key=rank)


def rank(case: "Testcase | _End") -> int:
    """How telling a testcase is about the end of its test: the lowest number is the most telling."""
    return _WORST_FIRST.index(case.outcome) if case.outcome in _WORST_FIRST else len(_WORST_FIRST)


def _session(raw: RawCase) -> PytestSession:
    suite = raw.suite
    started = _seconds_since_epoch(suite.get("timestamp", ""))
    return PytestSession(started, suite.get("hostname", ""), raw.session, suite.get("name", ""))


def _seconds_since_epoch(timestamp: str) -> float | None:
    try:
        when = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return moment((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def _testcase(raw: RawCase) -> Testcase:
    case = TestCase.fromelem(raw.element)  # type: ignore[no-untyped-call]
    ended = min((_end(child) for child in raw.element if child.tag in RESULTS), key=rank, default=None)
    if ended is None:
        ended = _by_attributes(raw.element)
    listed: Iterable[Property] = case.child(Properties) or ()
    properties = {one.name or "": one.value or "" for one in listed}
    return Testcase(
        case.classname or "",
        case.name or "",
        ended.outcome,
        ended.message,
        ended.text,
        ended.signal,
        _seconds(case),
        {name: unescaped(value) for name, value in properties.items()},
        parse_tags(properties.get("tags", "")),
        tuple(_end(child).message for child in raw.element if child.tag in EARLIER),
    )


def _seconds(case: TestCase) -> float:
    try:
        return duration(case.time or 0.0)
    except ValueError:
        return 0.0


class _End(NamedTuple):
    """How a testcase ended, in the terms of `Testcase`."""

    outcome: Outcome
    message: str = ""
    text: str = ""
    signal: int | None = None


def _end(child: Element) -> _End:
    """What one child of a testcase says."""
    short = unescaped(child.get("message", "")[:MOST_TEXT])
    text = unescaped(child.text or "") or short
    message = _telling_line(text, short)
    if child.tag == "skipped":
        return _End(_skipped(child.get("type", ""), short), message, text)
    said = f"{short}\n{text}"
    if short.startswith(_XPASS) or text.startswith(_XPASS):
        return _End(Outcome.PASS)
    if _WORKER_DIED.search(short or text):
        return _End(Outcome.CRASH, message, text)
    if child.tag not in ("error", "flakyError", "rerunError"):
        return _End(Outcome.FAIL, message, text)
    # A crash is an error even if the test was expected to fail (docs/rules.md 4.3).
    if (crashed := _CRASHED.search(said)) is None:
        return _End(Outcome.CRASH if _ENDED_ITSELF.search(said) else Outcome.ERROR, message, text)
    signal = int(crashed[1]) if len(crashed[1]) <= _MOST_DIGITS else None
    return _End(Outcome.ERROR, UNHEARD, text, 0) if signal == 0 else _End(Outcome.CRASH, message, text, signal)


def _skipped(type: str, message: str) -> Outcome:
    if message.startswith(_XPASS):
        return Outcome.PASS
    return Outcome.XFAIL if type == _XFAIL else Outcome.SKIP


def _by_attributes(case: Element) -> _End:
    """How a testcase without a child that says so ended: it passed, unless its attributes say something else."""
    for name in ("status", "result"):
        said = letters(case.get(name, ""))
        if said in _NOT_RUN or said in _NOT_PASSED:
            words = f"{name}={case.get(name, '')!r}"
            return _End(Outcome.SKIP if said in _NOT_RUN else Outcome.FAIL, words, words)
    return _End(Outcome.PASS)


def _telling_line(text: str, message: str) -> str:
    """The telling line of a message: with pytest-forked that is a whole traceback, whose lines with E name the error.

    See docs/rules.md 4.6.
    """
    message = message.strip()
    if message and "\n" not in message:
        return message
    line = _EVIDENCE_LINE.search(text)
    return line[1].strip() if line else message.partition("\n")[0]
