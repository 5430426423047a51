# SPDX-License-Identifier: Apache-2.0
"""One case as a pytest item: its markers, setup and run, and the text of its failure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .cases import Case
from .children import Server, ServerProblem
from .options import Options
from .results import (
    BUILD_ERROR,
    CRASH,
    DUP,
    FAIL,
    NOT_AN_OP,
    PASS,
    REFERENCE_ERROR,
    SKIP,
    TEST,
    TIMEOUT,
    XFAIL,
    XPASS,
    Result,
)

SERVER: pytest.StashKey[Server | ServerProblem] = pytest.StashKey()
"""The server that runs cases, or the reason why there is none."""

_OF_PYTEST = frozenset({"parametrize", "usefixtures", "filterwarnings", "skipif", "timeout", "forked"})
"""Marks that plugins act on and that need arguments; here they only serve for selection."""

_ERRORS = (BUILD_ERROR, REFERENCE_ERROR)


class ProblemTest(pytest.Item):
    """A mistake in a manifest, as an error of its own, so that the other cases run."""

    def __init__(self, model: str, text: str, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.model = model
        self.text = text

    def setup(self) -> None:
        pytest.fail(self.text, pytrace=False)

    def runtest(self) -> None:
        """Never reached."""

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.nodeid

    def document(self) -> dict[str, Any]:
        """The result, for the file of results."""
        return {
            "id": self.nodeid,
            "model": self.model,
            "name": self.name,
            "op": "",
            "file": str(self.path),
            "line": 0,
            **Result(BUILD_ERROR, self.text).document(),
        }


class OpTest(pytest.Item):
    """A case of one op."""

    def __init__(self, case: Case, model: str, root: Path, options: Options, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.options = options
        self.case = case
        """The case to run: of several equal ones, with the strictest tolerance."""
        self.model = model
        self.root = root
        self.key = ""
        """The digest that equal cases share."""
        self.dup_of = ""
        """The id of the case that represents this one."""
        self.expected = ""
        """`skip` or `xfail` if the manifest expects that here, even if the case is run anyway."""
        self.result: Result | None = None
        self.status = SKIP
        self.extra_keyword_matches.add(case.op)
        for name in (f"model_{slug(model)}", *case.marks):
            self._mark(name)

    def skip_reason(self) -> str | None:
        """Why the case does not run; None: it runs."""
        mark = self.get_closest_marker("skip")
        return None if mark is None else str(mark.kwargs.get("reason") or "marked skip")

    def _mark(self, name: str) -> None:
        self.config.addinivalue_line("markers", f"{name}: of op manifests")
        self.expected = self.expected or (name if name in (SKIP, XFAIL) else "")
        if name in _OF_PYTEST or (name == SKIP and self.options.run_skipped):
            self.extra_keyword_matches.add(name)
        else:
            self.add_marker(name)

    def setup(self) -> None:
        """Build the inputs and run the reference: an error here is not a failure of the backend."""
        if self.dup_of:
            pytest.skip(f"duplicate of {self.dup_of}")
        server = self.config.stash[SERVER]
        if isinstance(server, ServerProblem):
            pytest.fail(str(server), pytrace=False)
        self._events = server.run(self.case, str(self.path), str(self.root))
        self._follow(until=TEST)
        if self.result is None:
            return
        if self.result.status in (NOT_AN_OP, SKIP):
            pytest.skip(self.result.message)
        if self.result.status in (*_ERRORS, CRASH, TIMEOUT):
            pytest.fail(self._text(self.result), pytrace=False)

    def runtest(self) -> None:
        """Run the tested side and compare."""
        self._follow()
        assert self.result is not None
        if self.result.status in (FAIL, CRASH, TIMEOUT):
            pytest.fail(self._text(self.result), pytrace=False)

    def _follow(self, until: str = "") -> None:
        """Wait for a stage, or else for the result."""
        if self.result is not None:
            return
        for event in self._events:
            if isinstance(event, Result):
                self.result = event
                self.status = event.status
                return
            if event == until:
                return

    _events: Iterator[str | Result]

    def judge(self, report: pytest.TestReport) -> None:
        """Make the report of one phase agree with the status of the case."""
        if self.dup_of:
            self.status = DUP
        if self.result is None:
            return
        if self.result.status in _ERRORS and hasattr(report, "wasxfail"):
            # If the case cannot run, that is not the expected failure.
            report.outcome = "failed"
            del report.wasxfail
        elif hasattr(report, "wasxfail"):
            self.status = XPASS if report.passed else XFAIL
        elif report.when == "call" and report.failed and self.result.status == PASS:
            self.status = XPASS

    def document(self) -> dict[str, Any]:
        """The result, for the file of results."""
        case, result = self.case, self.result or Result(SKIP, self.skip_reason() or "")
        server = self.config.stash.get(SERVER, None)
        return {
            "id": self.nodeid,
            "model": self.model,
            "name": self.name,
            "op": case.op,
            "file": str(self.path),
            "line": case.line,
            "key": self.key,
            "dup_of": self.dup_of or None,
            "dtype": case.dtype,
            "seed": case.seed,
            "rtol": case.rtol,
            "atol": case.atol,
            "description": case.description,
            "expected": self.expected,
            "backend": self.options.settings.backend,
            **(server.facts if isinstance(server, Server) else {}),
            **result.document(),
            "status": self.status,
        }

    def properties(self) -> list[tuple[str, object]]:
        """The details of the result, for JUnit."""
        document = self.document()
        seconds = document.pop("seconds")
        found = {**document, **{f"{name}_seconds": value for name, value in seconds.items()}}
        return [(name, value) for name, value in found.items() if value not in (None, "") and name != "id"]

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, self.case.line - 1 if self.case.line else None, self.nodeid

    def _text(self, result: Result) -> str:
        where = f"{self.path}:{self.case.line}"
        settings = f"dtype {self.case.dtype}, seed {self.case.seed}, rtol {self.case.rtol:g}, atol {self.case.atol:g}"
        lines = [f"{result.status}: {self.case.op}: {result.message}", f"{where}: {settings}", self.case.description]
        return "\n".join(line.rstrip() for line in lines if line.strip())


def slug(model: str) -> str:
    """A name in a form that markers allow."""
    return re.sub(r"\W", "_", model)
