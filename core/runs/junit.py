# SPDX-License-Identifier: Apache-2.0
"""Read the testcases of a JUnit file as tt-xla's runner writes it, and reject any other file.

See docs/rules.md 4.4, 4.6.
"""

import ast
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

from junitparser import Error, Properties, Property, Skipped, TestCase
from junitparser.junitparser import Result

from core.errors import TTMatrixError
from core.numbers import duration, moment
from core.runs.junit_stream import MOST_TEXT, RawCase, stream_cases
from core.runs.outcome import Outcome
from core.sources import parse_expression

_MOST_CHARACTERS = 1_000_000
_NOT_FINITE = {"nan": math.nan, "inf": math.inf}
_AS_JSON = {"None": "null", "True": "true", "False": "false", "nan": "NaN", "inf": "Infinity"}
_JSON_NAMES = ("true", "false", "null", "NaN", "Infinity")
_STRING = re.compile(r"""('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")""")
_MARK = "'"
_DECODE = json.JSONDecoder(strict=False).decode


def parse_tags(text: str) -> Mapping[str, object]:
    """The value of the property; empty if it is not a dictionary. It may contain bare `nan` and `inf`."""
    if len(text) > _MOST_CHARACTERS:
        return {}
    try:
        # Nearly always JSON except for quotes and names; parsing JSON is twenty times faster than parsing Python.
        value = _DECODE(_as_json(text))
    except (ValueError, SyntaxError, RecursionError):
        value = _python_value(text)
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


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
        return ast.literal_eval(_Finite().visit(parse_expression(text.strip())))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


class _Finite(ast.NodeTransformer):
    """Replaces names by the non-finite numbers that `repr` writes so."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(_NOT_FINITE[node.id]), node) if node.id in _NOT_FINITE else node


_CRASHED = re.compile(r"CRASHED with signal (\d+)")
_ENDED_ITSELF = re.compile(r"EXITED with status \d+")
_MOST_DIGITS = 4
"""The most digits of a signal."""
_CHUNK_BYTES = 256 * 1024
_XFAIL = "pytest.xfail"
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
    """The signal that ended the child of pytest-forked; 0: it exited."""
    seconds: float
    """Setup, call and teardown; 0 for a crash."""
    properties: Mapping[str, str]
    tags: Mapping[str, object]
    """The property `tags`; empty if there is none or it cannot be parsed."""


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


def stream_testcases(chunks: Iterable[bytes], name: str) -> Iterator[tuple[PytestSession, Testcase]]:
    """The testcases of a document that comes in pieces, each with its session, as soon as it is complete.

    `name` is its origin, for messages. Raises UnreadableReport, possibly after some testcases, if the document is
    truncated or not a JUnit file.
    """
    try:
        for raw in stream_cases(chunks):
            yield _session(raw), _testcase(raw)
    except ValueError as error:
        title, hint = f"{Path(name).name} cannot be read", "Fetch the file again."
        raise UnreadableReport(title, name, str(error), hint) from error


def file_chunks(file: Path) -> Iterator[bytes]:
    """The content of `file` in pieces. Raises TTMatrixError if it cannot be read."""
    try:
        with file.open("rb") as handle:
            yield from iter(partial(handle.read, _CHUNK_BYTES), b"")
    except OSError as error:
        raise TTMatrixError(f"No {file.name}", f"{file}: {error.strerror or error}") from error


def read_testcases(file: Path, names: Collection[str] = ()) -> list[Testcase]:
    """All testcases of `file`, or those that have one of `names`.

    Raises TTMatrixError if it is missing, and as `stream_testcases`.
    """
    return [case for _, case in stream_testcases(file_chunks(file), str(file)) if not names or case.name in names]


def read_testcase(file: Path, name: str) -> Testcase:
    """The testcase called `name` in `file`. Raises TTMatrixError if there is none."""
    found = read_testcases(file, (name,))
    if not found:
        raise TTMatrixError(f"{file.name} does not mention the test", f"pytest has not collected {name}.")
    return deciding_case(found)


def deciding_case(cases: list[Testcase]) -> Testcase:
    """The one of a test's testcases in one file that says how the test ended.

    pytest writes a failing teardown as a separate testcase, after that of the call.
    """
    return min(cases, key=rank)


def rank(case: Testcase) -> int:
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
    outcome, message, text, said = Outcome.PASS, "", "", ""
    for result in case.result:
        short = (result.message or "")[:MOST_TEXT]
        text, said = result.text or short, f"{short}\n{result.text}"
        outcome, message = _outcome(result, said), _telling_line(text, short)
    crashed = _CRASHED.search(said) if outcome is Outcome.CRASH else None
    listed: Iterable[Property] = case.child(Properties) or ()
    properties = {one.name or "": one.value or "" for one in listed}
    return Testcase(
        case.classname or "",
        case.name or "",
        outcome,
        message,
        text,
        int(crashed[1]) if crashed and len(crashed[1]) <= _MOST_DIGITS else None,
        _seconds(case),
        properties,
        parse_tags(properties.get("tags", "")),
    )


def _seconds(case: TestCase) -> float:
    try:
        return duration(case.time or 0.0)
    except ValueError:
        return 0.0


def _outcome(result: Result, said: str) -> Outcome:
    if isinstance(result, Skipped):
        return Outcome.XFAIL if result.type == _XFAIL else Outcome.SKIP
    if isinstance(result, Error):
        # A crash is an error even if the test was expected to fail (docs/rules.md 4.3).
        return Outcome.CRASH if _CRASHED.search(said) or _ENDED_ITSELF.search(said) else Outcome.ERROR
    return Outcome.FAIL


def _telling_line(text: str, message: str) -> str:
    """The telling line of a message: with pytest-forked that is a whole traceback, whose lines with E name the error.

    See docs/rules.md 4.6.
    """
    message = message.strip()
    if message and "\n" not in message:
        return message
    line = _EVIDENCE_LINE.search(text)
    return line[1].strip() if line else message.partition("\n")[0]
