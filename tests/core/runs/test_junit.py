# SPDX-License-Identifier: Apache-2.0
"""core.runs.junit: testcases as tt-xla's runner and pytest-forked write them."""

from pathlib import Path
from xml.sax.saxutils import quoteattr

import pytest

from core.base.errors import TTMatrixError
from core.runs import Outcome, PytestSession, Testcase, file_chunks, read_testcase, read_testcases, stream_testcases

NAME = "test_all_models_torch[x/pytorch-single_device-training]"


def junit(child: str, tags: str = "{}") -> str:
    """A file with one testcase, which holds `child`."""
    return (
        '<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" tests="1">'
        f'<testcase classname="tests.runner.test_models" name="{NAME}" time="5.5"><properties>'
        f'<property name="error_message" value="old"/><property name="tags" value={quoteattr(tags)}/></properties>'
        f"{child}</testcase></testsuite></testsuites>"
    )


def read(file: Path) -> list[tuple[PytestSession, Testcase]]:
    return list(stream_testcases(file_chunks(file), str(file)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "junit.xml"


def test_a_testcase_has_its_names_its_time_and_its_properties(file: Path) -> None:
    file.write_text(junit("", "{'pcc': 0.99}"))
    (case,) = read_testcases(file)
    assert (case.classname, case.name, case.seconds) == ("tests.runner.test_models", NAME, 5.5)
    assert case.properties["error_message"] == "old"
    assert (case.outcome, case.message, case.tags) == (Outcome.PASS, "", {"pcc": 0.99})


TRACEBACK = "tests/x.py:1: in f&#10;    g()&#10;E   RuntimeError: TT_FATAL @ a.cpp:3&#10;E   more"


@pytest.mark.parametrize(
    ("child", "message"),
    [
        ('<failure message="ValueError: short">E   ValueError: short</failure>', "ValueError: short"),
        (f'<failure message="{TRACEBACK}">{TRACEBACK}</failure>', "RuntimeError: TT_FATAL @ a.cpp:3"),
        ('<failure message="first&#10;second">no marked line</failure>', "first"),
        ('<skipped type="pytest.skip" message="Too large">x</skipped>', "Too large"),
    ],
)
def test_the_line_that_names_the_exception_is_the_message(file: Path, child: str, message: str) -> None:
    file.write_text(junit(child))
    assert read_testcase(file, NAME).message == message


@pytest.mark.parametrize(
    ("message", "signal"),
    [
        ("failed on teardown with &quot;x:1: running the test CRASHED with signal 6&quot;", 6),
        ("x.py:1: running the test CRASHED with signal 11 (SIGSEGV)", 11),
        ("EXITED with status 3", None),
    ],
)
def test_a_forked_crash_is_a_crash(file: Path, message: str, signal: int | None) -> None:
    file.write_text(junit(f'<error message="{message}">{message}</error>'))
    case = read_testcase(file, NAME)
    assert (case.outcome, case.signal) == (Outcome.CRASH, signal)


def test_a_teardown_that_fails_counts(file: Path) -> None:
    whole = junit("").replace(
        "</testsuite>", f'<testcase name="{NAME}"><error message="x">y</error></testcase></testsuite>'
    )
    file.write_text(whole)
    assert read_testcase(file, NAME).outcome is Outcome.ERROR


def test_a_single_suite_without_a_frame_is_read(file: Path) -> None:
    file.write_text('<testsuite name="pytest"><testcase name="a"/></testsuite>')
    assert [case.name for case in read_testcases(file)] == ["a"]
    file.write_text('<testsuites name="pytest tests"><testsuite name="pytest" tests="0" /></testsuites>')
    with pytest.raises(TTMatrixError, match="does not mention"):
        read_testcase(file, NAME)


@pytest.mark.parametrize(
    "text", ["", "<testsuites", "<html/>", "\x00\x01", junit("")[:-40], "<testsuites><x></testsuites>"]
)
def test_what_is_no_whole_file_is_an_error_with_its_place(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(TTMatrixError, match="cannot be read") as caught:
        read_testcases(file)
    assert str(file) in caught.value.detail


def test_no_file_is_an_error(file: Path) -> None:
    with pytest.raises(TTMatrixError, match=r"No junit\.xml"):
        read_testcases(file)


def test_files_of_the_real_runner() -> None:
    directory = Path(__file__).parents[4] / "shared" / "data" / "junit"
    if not directory.is_dir():
        pytest.skip("the real runner's files are not beside this repository")
    cases = {path.stem: read_testcases(path) for path in directory.glob("*.xml")}
    outcomes = {name: [case.outcome for case in found] for name, found in cases.items()}
    assert outcomes == {
        "exclude": [],
        "fail_exception": [Outcome.FAIL],
        "pass": [Outcome.PASS],
        "skip": [Outcome.SKIP],
        "xfail": [Outcome.XFAIL],
    }
    (failed,) = cases["fail_exception"]
    assert failed.message == "RuntimeError: Bad StatusOr access: INTERNAL: Error code: 13"
    assert failed.tags["bringup_status"] == "FAILED_FE_COMPILATION"
    assert len(cases["pass"][0].tags) == 25


def test_a_suite_says_when_and_where(file: Path) -> None:
    file.write_text(
        '<testsuites><testsuite name="a" timestamp="2026-11-21T01:00:00+01:00" hostname="f10"><testcase name="a"/></testsuite>'
        '<testsuite timestamp="2026-11-21T00:00:00"><testcase/></testsuite><testsuite timestamp="soon"><testcase/></testsuite></testsuites>'
    )
    first, second, third = (session for session, _ in read(file))
    assert (first.started, first.host, first.suite) == (second.started, "f10", "a")
    assert third == PytestSession(None, "", 3)


@pytest.mark.parametrize(
    "timestamp", ["0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00", "1969-12-31T00:00:00", "1e400", "soon"]
)
def test_a_time_that_no_calendar_here_has_is_not_known(file: Path, timestamp: str) -> None:
    file.write_text(f'<testsuite timestamp="{timestamp}"><testcase name="a"/></testsuite>')
    ((session, _),) = read(file)
    assert session.started is None


@pytest.mark.parametrize(
    ("time", "seconds"),
    [("1e400", 0.0), ("-1", 0.0), ("nan", 0.0), ("long", 0.0), ("1e12", 0.0), ("1,500", 1500.0), ("2.5", 2.5)],
)
def test_a_duration_is_a_number_that_something_can_take(file: Path, time: str, seconds: float) -> None:
    file.write_text(f'<testsuite><testcase name="a" time="{time}"/></testsuite>')
    (case,) = read_testcases(file)
    assert case.seconds == seconds


@pytest.mark.parametrize("digits", [20, 400, 5000])
def test_a_signal_that_there_is_none_of_is_a_crash_all_the_same(file: Path, digits: int) -> None:
    file.write_text(junit(f"<error message='CRASHED with signal {'9' * digits}'/>"))
    (case,) = read_testcases(file)
    assert (case.outcome, case.signal) == (Outcome.CRASH, None)


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><testsuites>&b;</testsuites>'


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        f'<?xml version="1.0"?>\n<!-- > -->\n{BOMB}',
        "\ufeff" + BOMB,
        '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>',
    ],
)
def test_a_document_type_is_refused_before_anything_is_expanded(text: str) -> None:
    with pytest.raises(TTMatrixError, match="cannot be read") as caught:
        list(stream_testcases([text.encode()], "x.xml"))
    assert "document type" in caught.value.detail


def test_another_encoding_cannot_hide_one() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-7", "cp037"):
        text = f'<?xml version="1.0" encoding="{encoding}"?>{BOMB}'
        with pytest.raises(TTMatrixError, match="cannot be read"):
            list(stream_testcases([text.encode(encoding)], "x.xml"))


def test_text_that_only_mentions_a_document_type_is_read() -> None:
    text = junit("<failure message='x'><![CDATA[<!DOCTYPE html>]]></failure>")
    ((_, case),) = stream_testcases([text.encode()], "x.xml")
    assert case.text == "<!DOCTYPE html>"


def test_a_look_for_a_document_type_takes_no_time() -> None:
    for padding in (b"<!-- " * 100_000, b" " * 1_000_000, b"<?a?>" * 100_000):
        with pytest.raises(TTMatrixError):
            list(stream_testcases([padding], "x.xml"))


def test_only_those_that_are_asked_for_are_taken(file: Path) -> None:
    file.write_text('<testsuite><testcase name="a"/><testcase name="b"/><testcase name="a"/></testsuite>')
    assert [case.name for case in read_testcases(file)] == ["a", "b", "a"]
    assert [case.name for case in read_testcases(file, {"a", "c"})] == ["a", "a"]
