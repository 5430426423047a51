# SPDX-License-Identifier: Apache-2.0
"""core.runs.junit: testcases as other runners, plugins and encodings write them, and of files that are cut off."""

from pathlib import Path

import pytest
from _pytest.junitxml import bin_xml_escape

from core.runs import UNHEARD, CutReport, Outcome, UnreadableReport, read_testcase, read_testcases, stream_testcases
from tests.core.runs.test_junit import NAME, junit

COLOURED = "RuntimeError: #x1B[31mTT_FATAL#x1B[0m: out of #x1B[1mL1#x1B[0m"
PLAIN = "RuntimeError: TT_FATAL: out of L1"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "junit.xml"


def test_what_pytest_writes_out_is_not_in_any_text(file: Path) -> None:
    tags = f"{{'failing_reason': '{COLOURED}', 'guidance': ['{COLOURED}'], 'more': {{'a': ('{COLOURED}',)}}}}"
    text = junit(f'<failure message="{COLOURED}">E   {COLOURED}</failure>', tags)
    file.write_text(text.replace('value="old"', f'value="{COLOURED}"'))
    case = read_testcase(file, NAME)
    assert (case.message, case.text) == (PLAIN, f"E   {PLAIN}")
    assert case.properties["error_message"] == PLAIN
    assert case.tags == {"failing_reason": PLAIN, "guidance": [PLAIN], "more": {"a": [PLAIN]}}
    # A sequence in one value does not reach into the next.
    file.write_text(junit("", "{'a': '#x1B]0;title', 'b': 'x#x07'}"))
    assert read_testcase(file, NAME).tags == {"a": "0;title", "b": "x�"}
    file.write_text(junit(f'<failure message="first&#10;more">#x1B[1m#x1B[31mE   {COLOURED}</failure>'))
    assert read_testcase(file, NAME).message == PLAIN


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("a\x00b\x07c\x7fd", "a�b�c�d"),
        ("\x1b]52;c;Zm9v\x07x", "x"),
        ("\x1b[38;5;196mred\x1b[0m", "red"),
        ("\ud83d \ufffe \uffff", "� � �"),
        ("\x0b\x0c\x0e\x1f", "����"),
        ("tab\tline\nnext", "tab\tline\nnext"),
    ],
)
def test_every_escape_of_pytest_is_known(file: Path, said: str, shown: str) -> None:
    file.write_text(junit(f"<failure>{bin_xml_escape(said)}</failure>"))
    assert read_testcase(file, NAME).text == shown


@pytest.mark.parametrize("text", ["#x41 #x1b #x09 #x0A #xD7FF #x80 #xFF", "issue #x", "#x1"])
def test_what_only_looks_like_one_stays(file: Path, text: str) -> None:
    file.write_text(junit(f'<failure message="{text}"/>'))
    assert read_testcase(file, NAME).message == text


@pytest.mark.parametrize("child", ["error", "failure"])
def test_a_signal_that_is_none_is_no_crash(file: Path, child: str) -> None:
    said = "tests/x.py:1: running the test CRASHED with signal 0"
    file.write_text(junit(f'<error message="failed on setup with &quot;{said}&quot;">{said}</error>'))
    case = read_testcase(file, NAME)
    assert (case.outcome, case.message, case.signal) == (Outcome.ERROR, UNHEARD, 0)


@pytest.mark.parametrize(
    "message",
    [
        f"worker 'gw3' crashed while running 'tests/x.py::{NAME}'",
        f"failed on setup with &quot;worker 'gw12' crashed while running 'tests/x.py::{NAME}'&quot;",
        f"Slave 'gw0' crashed while running 'tests/x.py::{NAME}'".lower(),
    ],
)
@pytest.mark.parametrize("child", ["error", "failure"])
def test_a_test_that_takes_its_worker_down_is_a_crash(file: Path, message: str, child: str) -> None:
    file.write_text(junit(f'<{child} message="{message}">{message}</{child}>'))
    assert read_testcase(file, NAME).outcome is Outcome.CRASH


def test_a_test_about_workers_is_none(file: Path) -> None:
    said = "AssertionError: no line has: worker 'gw3' crashed while running"
    file.write_text(junit(f'<failure message="{said}">E   {said}</failure>'))
    assert read_testcase(file, NAME).outcome is Outcome.FAIL


@pytest.mark.parametrize(
    ("attributes", "outcome"),
    [
        ('status="notrun"', Outcome.SKIP),
        ('status="NotRun" result="completed"', Outcome.SKIP),
        ('status="disabled"', Outcome.SKIP),
        ('result="suppressed"', Outcome.SKIP),
        ('status="run" result="skipped"', Outcome.SKIP),
        ('status="not executed"', Outcome.SKIP),
        ('status="failed"', Outcome.FAIL),
        ('status="timed_out"', Outcome.FAIL),
        ('status="run" result="completed"', Outcome.PASS),
        ('status="passed"', Outcome.PASS),
    ],
)
def test_attributes_say_that_a_test_was_not_run_or_failed(file: Path, attributes: str, outcome: Outcome) -> None:
    file.write_text(f'<testsuite><testcase name="a" {attributes}/></testsuite>')
    assert read_testcase(file, "a").outcome is outcome
    file.write_text(f'<testsuite><testcase name="a" {attributes}><failure message="x"/></testcase></testsuite>')
    assert read_testcase(file, "a").outcome is Outcome.FAIL


@pytest.mark.parametrize("child", ["flakyFailure", "flakyError", "rerun", "rerunFailure", "rerunError"])
def test_failures_before_a_pass_are_there(file: Path, child: str) -> None:
    nested = "<stackTrace>E   ValueError: second</stackTrace><system-out>more</system-out>"
    file.write_text(junit(f'<{child} message="ValueError: first">x</{child}><{child}>{nested}</{child}>'))
    case = read_testcase(file, NAME)
    assert (case.outcome, case.message) == (Outcome.PASS, "")
    assert case.earlier == ("ValueError: first", "ValueError: second")
    file.write_text(junit(f'<failure message="last">x</failure><{child} message="first">x</{child}>'))
    case = read_testcase(file, NAME)
    assert (case.outcome, case.message, case.earlier) == (Outcome.FAIL, "last", ("first",))


@pytest.mark.parametrize(
    "children",
    [
        '<failure message="x"/><skipped message="y"/>',
        '<skipped message="y"/><failure message="x"/>',
        '<failure message="x"/><failure message="y"/>',
        '<system-out>y</system-out><failure message="x"/><system-err>z</system-err>',
    ],
)
def test_of_several_children_the_worst_counts(file: Path, children: str) -> None:
    file.write_text(junit(children))
    case = read_testcase(file, NAME)
    assert (case.outcome, case.message) == (Outcome.FAIL, "x")


@pytest.mark.parametrize(
    "child",
    [
        '<failure message="[XPASS(strict)] known">[XPASS(strict)] known</failure>',
        '<skipped message="xfail-marked test passes unexpectedly"/>',
    ],
)
def test_an_expected_failure_that_passes_is_a_pass(file: Path, child: str) -> None:
    file.write_text(junit(child))
    assert read_testcase(file, NAME).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("iso-8859-1", "ISO-8859-1"),
        ("iso-8859-15", "iso-8859-15"),
        ("cp1252", "windows-1252"),
        ("cp1250", "windows-1250"),
        ("gb18030", "GB18030"),
        ("gbk", "GBK"),
        ("euc-jp", "euc-jp"),
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-8", "utf-16"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16"),
        ("utf-16-be", "utf-16"),
        ("utf-32", "utf-32"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_a_file_is_read_in_the_encoding_that_it_declares(encoding: str, declared: str, size: int) -> None:
    text = "Fehler über" if encoding not in ("gb18030", "gbk", "euc-jp", "utf-8") else "失敗 ab"
    document = junit(f'<failure message="{text}"/>').replace('encoding="utf-8"', f'encoding="{declared}"')
    data = document.encode(encoding)
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    ((_, case),) = stream_testcases(pieces, "x.xml")
    assert case.message == text


@pytest.mark.parametrize(
    "declared", ["utf-7", "unicode_escape", "punycode", "idna", "hex", "rot13", "nonsense", "cp037"]
)
def test_an_encoding_that_could_hide_what_people_see_is_refused(declared: str) -> None:
    data = junit("").replace('encoding="utf-8"', f'encoding="{declared}"').encode()
    with pytest.raises(UnreadableReport, match="cannot be read") as caught:
        list(stream_testcases([data], "x.xml"))
    assert "which is not read" in caught.value.detail


THREE = '<testsuites><testsuite><testcase name="a"/><testcase name="b"><failure message="m"/></testcase>'


@pytest.mark.parametrize(
    "rest",
    [
        "",
        "<testcase name='c'",
        "<testcase name='c'>",
        "<testcase name='c'><failure>",
        "\0\0\0\0",
        "&",
        "</wrong>",
        "\x01",
    ],
)
def test_a_cut_file_keeps_its_complete_testcases_and_says_so(file: Path, rest: str) -> None:
    file.write_text(THREE + rest)
    with pytest.raises(CutReport, match="is not complete") as caught:
        read_testcases(file)
    assert "behind 2 testcases" in caught.value.detail
    told: list[CutReport] = []
    assert [case.name for case in read_testcases(file, on_cut=told.append)] == ["a", "b"]
    assert read_testcase(file, "b", told.append).outcome is Outcome.FAIL
    assert len(told) == 2
    with pytest.raises(CutReport):
        read_testcase(file, "c", told.append)


def test_bytes_that_are_not_in_the_declared_encoding_are_damage() -> None:
    head = b'<?xml version="1.0" encoding="gbk"?>' + THREE.encode()
    with pytest.raises(CutReport, match="is not complete"):
        list(stream_testcases([head, b"<testcase name='\xff\xff'/></testsuite></testsuites>"], "x.xml"))


@pytest.mark.parametrize(
    "tags",
    [
        "{0x" + "f" * 6000 + ": 1, 'pcc': 0.5}",
        "{'pcc': 0x" + "f" * 6000 + "}",
        "{'pcc': " + "9" * 6000 + "}",
        "{'guidance': [0x" + "f" * 6000 + "], 1: 2}",
        "{-0x" + "f" * 6000 + ": {0o" + "7" * 9000 + "}}",
        "{[1]: 2}",
        "{'a': '\\x00'}",
    ],
)
def test_no_tag_makes_a_file_unreadable(file: Path, tags: str) -> None:
    file.write_text(junit("<failure message='x'/>", tags))
    case = read_testcase(file, NAME)
    assert case.outcome is Outcome.FAIL
    assert all(str(key) and str(value) for key, value in case.tags.items())
