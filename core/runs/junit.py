# SPDX-License-Identifier: Apache-2.0
"""Read the testcases of a JUnit file as tt-xla's runner writes it (spec 4.4, 4.6), and nothing that is no such file."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar
from xml.etree import ElementTree

from core.errors import TTMatrixError
from core.numbers import duration, moment
from core.runs.outcome import Outcome
from core.runs.tags import parse_tags

if TYPE_CHECKING:
    import junitparser

_CRASHED = re.compile(r"CRASHED with signal (\d+)")
_ENDED_ITSELF = re.compile(r"EXITED with status \d+")
_MOST_DIGITS = 4
"""Of a signal."""
_XFAIL = "pytest.xfail"
_EVIDENCE_LINE = re.compile(r"^E\s+(\S.*)$", re.MULTILINE)
# Entities can only be declared there, and pytest writes none: what has one wants to be expanded (or to fetch).
_DOCTYPE = re.compile(r"(?>\s+|<\?.*?\?>|<!--.*?-->)*+<!DOCTYPE", re.DOTALL)
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
    """The line that says why: of a traceback the one that names the exception; empty where it passed."""
    text: str
    """All that the element says of a failure, an error or a skip."""
    signal: int | None
    """What ended the child of pytest-forked; 0 stands for one that ended itself."""
    seconds: float
    """Setup, call and teardown; 0 for a crash."""
    properties: Mapping[str, str]
    tags: Mapping[str, object]
    """The property `tags`; empty where there is none or it cannot be read."""


@dataclass(frozen=True, slots=True)
class Suite:
    """One testsuite element: one session of pytest."""

    started: float | None
    """Seconds since the epoch; None where the file does not say."""
    host: str
    testcases: tuple[Testcase, ...]


def read_suites(file: Path) -> list[Suite]:
    """All suites of `file`. Raises TTMatrixError where it is missing, cut short or no JUnit file."""
    try:
        data = file.read_bytes()
    except OSError as error:
        raise TTMatrixError(f"No {file.name}", f"{file}: {error.strerror or error}") from error
    return parse_suites(data, str(file))


def parse_suites(data: bytes, name: str) -> list[Suite]:
    """All suites of a document. `name` tells a person where it is from. Raises TTMatrixError as `read_suites`."""
    try:
        text = data.decode("utf-8-sig")
        # In any other encoding, which the parser would tell by itself, the look ahead would see nothing.
        if "\0" in text:
            raise ValueError("it is not text in UTF-8")
        if _DOCTYPE.match(text):
            raise ValueError("it declares a document type, which no JUnit file needs and which can hide a bomb")
        root = ElementTree.fromstring(text, ElementTree.XMLParser(encoding="utf-8"))
        if root.tag not in ("testsuites", "testsuite"):
            raise ValueError(f"its root is <{root.tag}>, not <testsuites>")
        # Costs a headless command that reads no report more time than it has.
        from junitparser import TestSuite

        suites = map(TestSuite.fromelem, root.iter("testsuite"))
        return [_suite(suite) for suite in suites]
    except (ElementTree.ParseError, ValueError) as error:
        title = f"{Path(name).name} cannot be read"
        detail = "it is empty" if not data.strip() else str(error)
        raise TTMatrixError(title, f"{name}: {detail}", "Fetch the file again.") from error


def read_testcases(file: Path) -> list[Testcase]:
    """All testcases of `file`. Raises TTMatrixError as `read_suites`."""
    return [case for suite in read_suites(file) for case in suite.testcases]


def read_testcase(file: Path, name: str) -> Testcase:
    """The testcase called `name` in `file`. Raises TTMatrixError where there is none."""
    found = [case for case in read_testcases(file) if case.name == name]
    if not found:
        raise TTMatrixError(f"{file.name} does not mention the test", f"pytest has not collected {name}.")
    return telling(found)


def telling(cases: list[Testcase]) -> Testcase:
    """Of the testcases of one test in one file, the one that says how it ended.

    pytest writes a failing teardown as a testcase of its own, behind that of the call.
    """
    return next((case for worst in _WORST_FIRST for case in cases if case.outcome is worst), cases[0])


def _suite(suite: "junitparser.TestSuite") -> Suite:
    from junitparser import TestCase

    cases = tuple(_testcase(case) for case in suite.iterchildren(TestCase))  # type: ignore[no-untyped-call]
    return Suite(_seconds_since_epoch(suite.timestamp or ""), suite.hostname or "", cases)


def _seconds_since_epoch(timestamp: str) -> float | None:
    try:
        when = datetime.fromisoformat(timestamp)
    except ValueError:
        return None
    return moment((when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp())


def _testcase(case: "junitparser.TestCase") -> Testcase:
    from junitparser import Properties

    outcome, message, text, said = Outcome.PASS, "", "", ""
    for result in case.result:
        short = result.message or ""
        text, said = result.text or short, f"{short}\n{result.text}"
        outcome, message = _outcome(result, said), _telling_line(text, short)
    crashed = _CRASHED.search(said) if outcome is Outcome.CRASH else None
    kept: Iterable[junitparser.Property] = case.child(Properties) or ()  # type: ignore[no-untyped-call]
    properties = {one.name or "": one.value or "" for one in kept}
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


def _seconds(case: "junitparser.TestCase") -> float:
    try:
        return duration(case.time)
    except ValueError:
        return 0.0


def _outcome(result: "junitparser.junitparser.Result", said: str) -> Outcome:
    from junitparser import Error, Skipped

    if isinstance(result, Skipped):
        return Outcome.XFAIL if result.type == _XFAIL else Outcome.SKIP
    if isinstance(result, Error):
        # A crash is an error even where the test was expected to fail (spec 4.3).
        return Outcome.CRASH if _CRASHED.search(said) or _ENDED_ITSELF.search(said) else Outcome.ERROR
    return Outcome.FAIL


def _telling_line(text: str, message: str) -> str:
    """With pytest-forked the message is the whole traceback, in which the lines that start with E tell (spec 4.6)."""
    message = message.strip()
    if message and "\n" not in message:
        return message
    told = _EVIDENCE_LINE.search(text)
    return told[1].strip() if told else message.partition("\n")[0]
