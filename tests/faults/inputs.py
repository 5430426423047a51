# SPDX-License-Identifier: Apache-2.0
"""Faults in what ttmatrix reads: a server that lies, reports of odd shapes, sizes that nobody expects.

Nothing of them may end in a traceback, in a loop, or in results that were not there; a sound report is read afterwards.
"""

import csv
import json
import random
import time
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from core.evidence.github import transport
from tests.faults.kinds import Round, Violation, no_traceback
from tests.faults.player import Ended
from tests.faults.scenes import A
from tests.support.lying_server import REPOSITORY, Lie, hasty, lies, lying

_MOST_IN_A_ROW = 5
_MOST_SECONDS = 60.0
_NAME = f"test_all_models_torch[{A}]"
_SUITE = '<testsuites><testsuite timestamp="{}" hostname="f10">{}</testsuite></testsuites>'
_SOUND = _SUITE.format(
    "2026-11-01T00:00:00+00:00", f'<testcase classname="tests.runner.test_models" name="{_NAME}" time="1"/>'
)
_SOURCES = ("sound.xml", "report_1.xml")
"""Where the result of the sound report may come from."""
_all_lies: Callable[[], Mapping[str, Lie]] = cache(lies)


def lying_server(round: Round) -> int:
    """A server lies where GitHub's API would be, then it tells the truth."""
    assert round.before
    report = _SOUND.encode()
    chosen = round.chance.sample(sorted(_all_lies()), round.chance.randint(1, _MOST_IN_A_ROW))
    for name in chosen:
        with lying(report, _all_lies()[name]) as server:
            _must_end(_fetched(round, server.api), name, (0, 1, 2))
    with lying(report) as server:
        _must_end(_fetched(round, server.api), "the truth", (0,))
    _must_have_results(round, f"after {', '.join(chosen)}")
    return len(chosen)


def _fetched(round: Round, api: str) -> Ended:
    environ = {"GITHUB_API_URL": api, "GH_TOKEN": "none"}
    words = ("ingest", "--from-github", "--repository", REPOSITORY, "--since", "9999")
    return round.start(*words, environ=environ, arm=lambda: hasty(transport)).wait()


def odd_reports(round: Round) -> int:
    """Reports of other runners and encodings, cut off, damaged and put together anyhow."""
    assert round.before
    number = round.chance.randint(1, _MOST_IN_A_ROW)
    for at in range(number):
        file = round.directory / f"odd-{at}.xml"
        file.write_bytes(_odd(round.chance))
        told = round.start("ingest", file, "--arch", "n150", "--json").wait()
        _must_end(told, f"{file.read_bytes()[:2000]!r}", (0, 1))
        counts: dict[str, int] = (found := _document(told))["counts"]
        if sum(counts.values()) != found["testcases"]:
            raise Violation("false message", told.said)
    _must_be_there_in_the_end(round)
    return number


def _odd(chance: random.Random) -> bytes:
    """A report with some testcases, each of its own shape, which may be damaged afterwards."""
    cases = "".join(_odd_case(chance) for _ in range(chance.randint(0, 6)))
    encoding = chance.choice(
        ("utf-8", "utf-8", "iso-8859-1", "utf-16", "cp1252", "gbk", "utf-7", "nonsense", "punycode")
    )
    text = f'<?xml version="1.0" encoding="{encoding}"?>{_SUITE.format(chance.choice(_TIMES), cases)}'
    known = encoding if encoding in ("iso-8859-1", "utf-16", "cp1252", "gbk") else "utf-8"
    data = text.encode(known, "xmlcharrefreplace")
    match chance.randrange(5):
        case 0:
            return data[: chance.randint(0, len(data))]
        case 1:
            at = chance.randint(0, len(data))
            return data[:at] + chance.randbytes(chance.randint(1, 8)) + data[at + chance.randint(0, 8) :]
        case 2:
            return data + chance.choice((data, b"\0" * 4096, b"&", b"<x>"))
    return data


_TIMES = ("2026-11-01T00:00:00", "9999-12-31T23:59:59-23:00", "soon", "", "1e400")
_MESSAGES = (
    "E   RuntimeError: #x1B[31mTT_FATAL#x1B[0m: out of L1",
    "running the test CRASHED with signal 0",
    "running the test CRASHED with signal 11",
    f"worker 'gw3' crashed while running 'x::{_NAME}'",
    "[XPASS(strict)] known",
    "EXITED with status 3",
    "Fehler: über ÿ € 失敗",
    "x" * 100_000,
    "",
)
_TAGS = (
    "{'bringup_status': 'PASSED', 'pcc': nan, 'guidance': ['#x1B[31m']}",
    "{0x" + "f" * 6000 + ": 1}",
    "{'pcc': 0x" + "f" * 6000 + ", 'arch': None}",
    "[" * 3000,
    "{'a': " * 3000,
    "{'model_test_status': 'ModelTestStatus.NOT_SUPPORTED_SKIP', 'arch': '\\ud800'}",
    "{[1]: 2}",
    "not a dictionary",
)
_CHILDREN = ("failure", "error", "skipped", "flakyFailure", "flakyError", "rerun", "rerunFailure", "x", "system-out")
_STATES = (
    'status="notrun"',
    'status="disabled"',
    'result="suppressed"',
    'status="failed"',
    'time="nan"',
    'time="-1e400"',
)


def _odd_case(chance: random.Random) -> str:
    names = (_NAME, "test_llms_torch[]", "x" * 70_000, "test_all_models_torch[#x1B[31m]", "", "a[b")
    children = "".join(
        f"<{name} message={quoteattr(message)}>{escape(message)}</{name}>"
        for name in chance.choices(_CHILDREN, k=chance.randint(0, 3))
        for message in (chance.choice(_MESSAGES),)
    )
    tags = f'<properties><property name="tags" value={quoteattr(chance.choice(_TAGS))}/></properties>'
    return (
        f'<testcase classname="tests.runner.test_models" name={quoteattr(chance.choice(names))} '
        f"{chance.choice(('', chance.choice(_STATES)))}>{chance.choice(('', tags))}{children}</testcase>"
    )


def absurd_sizes(round: Round) -> int:
    """Numbers, names and files larger than anybody expects: each command ends, and says what it refuses."""
    assert round.before
    chosen = round.chance.sample(sorted(_SIZES), round.chance.randint(1, _MOST_IN_A_ROW))
    for name in chosen:
        words = _SIZES[name](round)
        _must_end(round.start(*words).wait(), name, (0, 1, 2, 64))
    _must_be_there_in_the_end(round)
    return len(chosen)


def _report_of(round: Round, *cases: str) -> Path:
    file = round.directory / f"large-{time.monotonic_ns()}.xml"
    file.write_text(_SUITE.format("2026-11-02T00:00:00", "".join(cases)))
    return file


def _many_unknown(round: Round) -> tuple[object, ...]:
    many = (
        f'<testcase name="test_all_models_torch[m{at}/pytorch-x-single_device-inference]"/>' for at in range(20_000)
    )
    _must_end(round.start("ingest", _report_of(round, *many), "--arch", "n150").wait(), "20,000 tests", (0,))
    return "report", "--since", "9999"


def _operations(round: Round, **fields: object) -> Path:
    file = round.directory / f"large-{time.monotonic_ns()}.json"
    file.write_text(json.dumps([{"op": "set", "id": A, "path": ["reason"], "value": "x", **fields}]))
    return file


_SIZES: Mapping[str, Callable[[Round], tuple[object, ...]]] = {
    "a report of 20,000 unknown tests": _many_unknown,
    "a name of 5,000,000 characters": lambda round: (
        "ingest",
        _report_of(round, f'<testcase name="{"x" * 5_000_000}"/>'),
    ),
    "a message of 5,000,000 characters": lambda round: (
        "ingest",
        _report_of(round, f'<testcase name="{_NAME}"><failure message="{"E " * 2_500_000}"/></testcase>'),
    ),
    "2,000 nested elements": lambda round: ("ingest", _report_of(round, "<a>" * 2_000)),
    "200,001 testcases": lambda round: ("ingest", _report_of(round, "<testcase/>" * 200_001)),
    "a period of 1e308 days": lambda _: ("report", "--since", "1e308"),
    "a period of 400 digits": lambda _: ("report", "--since", "9" * 400),
    "a period of no days": lambda _: ("report", "--since", "nan"),
    "a query of 100,000 characters": lambda _: ("list", "x" * 100_000),
    "a query of 5,000 terms": lambda _: ("list", " ".join(["status:xfail"] * 5_000)),
    "a query of 5,000 brackets": lambda _: ("list", "(" * 5_000),
    "a number of 5,000 digits in a query": lambda _: ("list", f"pcc:>{'9' * 5_000}"),
    "an arch of 100,000 characters": lambda _: ("list", "--arch", "x" * 100_000),
    "an id of 100,000 characters": lambda _: ("show", "x/" * 50_000),
    "a reason of 1,000,000 characters": lambda round: ("edit", "--apply", _operations(round, value="x" * 1_000_000)),
    "a number of 400 digits in an entry": lambda round: (
        "edit",
        "--apply",
        _operations(round, path=["required_pcc"], value=10**400),
    ),
    "a path of 5,000 fields": lambda round: ("edit", "--apply", _operations(round, path=["x"] * 5_000)),
    "20,000 operations": lambda round: ("edit", "--apply", _repeated(round, 20_000)),
    "operations nested 5,000 deep": lambda round: ("edit", "--apply", _nested(round, 5_000)),
    "an attempt of 400 digits": lambda round: ("ingest", _renamed(round, f"test-reports-a-{'9' * 100}.0-n150-x-1")),
    "a batch of 100,000 characters": lambda _: ("runs", "--json", "--batch", "x" * 100_000),
}


def _repeated(round: Round, number: int) -> Path:
    file = _operations(round)
    file.write_text(json.dumps(json.loads(file.read_text()) * number))
    return file


def _nested(round: Round, depth: int) -> Path:
    file = _operations(round)
    file.write_text("[" * depth + "]" * depth)
    return file


def _renamed(round: Round, name: str) -> Path:
    directory = round.directory / name
    directory.mkdir(exist_ok=True)
    return _report_of(round, f'<testcase name="{_NAME}"/>').rename(directory / "x.xml").parent


# What must hold


def _must_end(ended: Ended, what: str, codes: tuple[int, ...]) -> None:
    no_traceback(ended)
    if ended.code not in codes:
        raise Violation("false message", f"{what}: ended with {ended.code}: {ended.said[:2000]}")
    if ended.code == 2 and "ttmatrix: " not in ended.said:
        raise Violation("false message", f"{what}: no reason: {ended.said[:2000]}")


def _must_be_there_in_the_end(round: Round) -> None:
    """A sound report is read after whatever was read before, once."""
    file = round.directory / "sound.xml"
    file.write_text(_SOUND)
    told = round.start("ingest", file, "--arch", "n150", "--json").wait()
    _must_end(told, "a sound report", (0,))
    if _document(told)["counts"] != {"passed": 1}:
        raise Violation("lost work", told.said)
    _must_have_results(round, "after odd input")


def _must_have_results(round: Round, when: str) -> None:
    """The result of the sound report is in the store, the checkout is as it was, and every reader of results ends."""
    told = round.start("show", A, "--json").wait()
    _must_end(told, f"show {when}", (0,))
    table = round.directory / "all.csv"
    _must_end(round.start("evidence", "export", table).wait(), f"export {when}", (0,))
    with table.open(newline="", errors="replace") as rows:
        sound = [row for row in csv.DictReader(rows) if row["test_id"] == A and row["source"].endswith(_SOURCES)]
    if len(sound) != 1:
        raise Violation("lost work", f"{len(sound)} results {when}")
    for words in (("report", "--since", "9999", "--json"), ("verdicts", "--json"), ("clusters",)):
        _must_end(round.start(*words).wait(), f"{words[0]} {when}", (0, 1))
    if round.shop.look() != round.before:
        raise Violation("lost work", f"the checkout has changed {when}")


def _document(ended: Ended) -> Any:
    said = ended.said
    return json.JSONDecoder().raw_decode(said[said.index("{\n") :])[0]
