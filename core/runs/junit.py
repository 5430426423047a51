# SPDX-License-Identifier: Apache-2.0
"""Read the testcases of a JUnit file as tt-xla's runner writes it (spec 4.4, 4.6), with its tags as values."""

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import ParseError

from core.errors import TTMatrixError
from core.runs.outcome import Outcome

if TYPE_CHECKING:
    from junitparser import TestCase as Element

_NOT_FINITE = {"nan": math.nan, "inf": math.inf}
_CRASHED = re.compile(r"CRASHED with signal (\d+)")
_XFAIL = "pytest.xfail"
_MOST_TAGS_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True)
class Testcase:
    """One testcase element."""

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


def read_testcases(file: Path) -> list[Testcase]:
    """All testcases of `file`. Raises TTMatrixError where it is missing, cut short or no JUnit file."""
    # The library costs more time than a headless command has, so it is loaded where it is needed.
    from junitparser import JUnitXml, JUnitXmlError
    from junitparser import TestCase as Element

    try:
        document = JUnitXml.fromfile(str(file))
        suites = document if isinstance(document, JUnitXml) else [document]
        return [_testcase(element) for suite in suites for element in suite if isinstance(element, Element)]
    except OSError as error:
        raise TTMatrixError(f"No {file.name}", f"{file}: {error.strerror or error}") from error
    except (ParseError, SyntaxError, JUnitXmlError, ValueError, TypeError) as error:
        raise TTMatrixError(f"{file.name} cannot be read", f"{file}: {error}") from error


def read_testcase(file: Path, name: str) -> Testcase:
    """The testcase called `name` in `file`. Raises TTMatrixError where there is none."""
    found = [case for case in read_testcases(file) if case.name == name]
    if not found:
        raise TTMatrixError(f"{file.name} does not mention the test", f"pytest has not collected {name}.")
    # pytest writes a failing teardown as a testcase of its own, behind that of the call.
    return max(found, key=lambda case: case.outcome in (Outcome.FAIL, Outcome.ERROR, Outcome.CRASH))


def parse_tags(text: str) -> Mapping[str, object]:
    """The value of the `tags` property: a Python literal, in which `nan` and `inf` may stand bare (spec 4.6)."""
    if len(text) > _MOST_TAGS_CHARACTERS:
        return {}
    try:
        value = ast.literal_eval(_Finite().visit(ast.parse(text.strip(), mode="eval")))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return {}
    return {str(key): one for key, one in value.items()} if isinstance(value, dict) else {}


class _Finite(ast.NodeTransformer):
    """Puts numbers in the place of the names that `repr` gives to those without digits."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.copy_location(ast.Constant(_NOT_FINITE[node.id]), node) if node.id in _NOT_FINITE else node


def _testcase(element: "Element") -> Testcase:
    from junitparser import Properties

    kept: Properties | None = element.child(Properties)  # type: ignore[no-untyped-call]
    properties = {str(one.name): str(one.value) for one in kept or ()}
    outcome, message, text = Outcome.PASS, "", ""
    for child in element.result:
        outcome = _outcome(type(child).__name__, str(child.type or ""), str(child.message or ""))
        text = str(child.text or "") or str(child.message or "")
        message = _telling(text, str(child.message or ""))
    crashed = _CRASHED.search(text) or _CRASHED.search(message)
    return Testcase(
        str(element.classname or ""),
        str(element.name or ""),
        outcome,
        message,
        text,
        int(crashed[1]) if crashed and outcome is Outcome.CRASH else None,
        float(element.time or 0.0),
        properties,
        parse_tags(properties.get("tags", "")),
    )


def _outcome(element: str, kind: str, message: str) -> Outcome:
    if element == "Skipped":
        return Outcome.XFAIL if kind == _XFAIL else Outcome.SKIP
    if element == "Error":
        # A crash is an error even where the test was expected to fail (spec 4.3).
        return Outcome.CRASH if _CRASHED.search(message) or "EXITED with status" in message else Outcome.ERROR
    return Outcome.FAIL


def _telling(text: str, message: str) -> str:
    """With pytest-forked the message is the whole traceback, in which the lines that start with E tell (spec 4.6)."""
    if "\n" not in message.strip() and message.strip():
        return message.strip()
    told = next((line[1:].strip() for line in text.splitlines() if re.match(r"E\s+\S", line)), "")
    return told or message.strip().partition("\n")[0]
