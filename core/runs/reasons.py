# SPDX-License-Identifier: Apache-2.0
"""The reason of a failure: the one to quote, the part that stays from run to run, and which name the same failure."""

import re
from dataclasses import dataclass
from functools import lru_cache

from core.domain.model import Status
from core.runs.junit import Testcase
from core.runs.log import cause_line, is_noise, shortened
from core.runs.outcome import Outcome
from core.runs.sanitize import plain_line, unescaped

_MOST_CHARACTERS = 2000
_MOST_LINES = 20_000

_LINK = re.compile(
    r"[\s(.,;:-]*\b(?:(?:tracked by|issue|fix|see)[:\s]*)?"
    r"(?:https?://|(?:www\.)?github\.com/)\S+?(?=[)\].,;]*(?:\s|$))[)\].,;]*"
)
# Parts that change from run to run and from machine to machine. The first match replaces its text, and no placeholder
# matches again, so normalising twice changes nothing.
_VOLATILE = (
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b0x[0-9a-f]+\b"), "#"),
    (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b"), "#"),
    (re.compile(r"\s*\([\w.-]+\.(?:py|cpp|cc|cxx|c|h|hpp|mlir)(?::\d+)+\)"), ""),
    (re.compile(r"(?:[a-z]:|~|\.{1,2})?(?<![\w/])/[\w.+@-]+(?:/[\w.+@-]*)*(?::\d+)*"), "<path>"),
    (re.compile(r"\b(?:[\w.+@-]+/){2,}[\w.+@-]+(?::\d+)*"), "<path>"),
    (re.compile(r"\b(?:[\w.+@-]+/)?[\w.-]+\.(?:py|cpp|cc|cxx|c|h|hpp|mlir)(?::\d+)+"), "<place>"),
    (re.compile(r"\b(?:[\d?]+x)+(?:[a-z]+\d+\b|(?=[,>'\"\s]))|(?<=[\s'\"(])\d+(?:x\d+)+\b"), "<shape>"),
    (re.compile(r"[\[(]\s*[\d?-]+(?:\s*,\s*[\d?-]+)+\s*,?\s*[\])]"), "<shape>"),
    # Digits in names (conv2d, bf16, n150), of signals and of error codes stay: they distinguish failures.
    (re.compile(r"(?<!signal )(?<!code: )(?<!code )(?<![\w.])[-+~]?\d+(?:[.,:_-]\d+)*\.?(?:e[-+]?\d+)?(?!\w)"), "#"),
)
_MARK = re.compile(r"^E\s+")
"""How pytest marks the lines of a traceback that name the error."""
_CODE_13 = re.compile(r"^.*\berror code:? ?13\b[\s.;:,-]*", re.IGNORECASE)
_GENERIC = re.compile(
    r"^(?:e\s+)?(?:(?:builtins\.)?(?:runtime|assertion|value)error|exception|error|tt_fatal|tt_throw)(?::|$)\s*"
)
# Closed, or cut short before its end.
_WRAPPED = re.compile(r"^(?:runtime|value|assertion)error\((['\"])(?:(?P<whole>.*)\1\)|(?P<cut>(?:(?!\1\)).)*))$")
_FROM_OUTPUT = ("Statically allocated", "Out of Memory", "error:")
_SKIPPED = (f"ModelTestStatus.{Status.NOT_SUPPORTED_SKIP}", str(Status.NOT_SUPPORTED_SKIP))
_ENDS = " \t.,;:!-…"


@dataclass(frozen=True, slots=True)
class Family:
    """A failure that people and tools describe in many ways."""

    name: str
    """Its name: a text without the numbers of one run."""
    pattern: re.Pattern[str]
    """Searched in the normalised reason."""


def _family(name: str, expression: str) -> Family:
    return Family(name, re.compile(expression))


FAMILIES = (
    _family("PCC comparison failed, pcc is nan", r"pcc\s*=\s*nan\b|\bnan\b.*\bpcc\b"),
    _family("PCC comparison failed", r"\bpcc comparison failed|\bpcc check enabled\. calculated"),
    _family("Out of Memory on the host", r"\bhost oom\b|\boom on host\b"),
    _family("Out of Memory: not enough space for an L1 buffer", r"not enough space to allocate .*\bl1\b|\bl1 oom\b"),
    _family(
        "Out of Memory: not enough space for a DRAM buffer",
        r"not enough space to allocate .*\bdram\b|\bdram oom\b|\boom dram\b",
    ),
    _family("Circular buffers grow beyond L1", r"circular buffers .*\bbeyond max l1 size"),
    _family("Circular buffers clash with L1 buffers", r"circular buffers .*\bclash with l1 buffers"),
    _family("Out of Memory", r"^out of memory$|^oom$"),
    _family("Test hangs", r"\bhangs?\b|\bhung\b"),
    # It may have been busy all the time: not a hang, unless the text says so.
    _family(
        "Test runs out of time", r"\btimed? ?out\b|\btimes out\b|\bexceeds .*\btimeout\b|^stopped after # s.*\blimit\b"
    ),
)
"""The first match counts. A normalised reason without a match is a family of its own."""


@lru_cache(maxsize=65536)
def normalise(text: str) -> str:
    """A reason without run-specific numbers, addresses, paths, times, shapes and links.

    In lower case and without exception names that say nothing. `normalise(normalise(x)) == normalise(x)`.
    """
    # Results that were stored before may have what pytest wrote out.
    text = " ".join(unescaped(text[:_MOST_CHARACTERS]).lower().split())
    while (shorter := _once(text)) != text:
        text = shorter
    return text


@lru_cache(maxsize=65536)
def signature(text: str) -> str:
    """The name of the failure in a reason: equal for all reasons of the same failure; empty for an empty reason."""
    core = normalise(text)
    return next((family.name for family in FAMILIES if family.pattern.search(core)), core)


@lru_cache(maxsize=65536)
def alike(one: str, other: str) -> bool:
    """Whether two reasons name the same failure. One may be cut short or have something appended."""
    if signature(one) == signature(other):
        return True
    short, long = sorted((normalise(one), normalise(other)), key=len)
    # One or two words can occur in any text.
    return len(short.split()) > 2 and re.search(rf"(?<!\w){re.escape(short)}(?!\w)", long) is not None


_NUMBERS = re.compile(r"\bpcc\b|\bnan\b|\baccura|\bnumeric", re.IGNORECASE)


def is_about_numbers(text: str) -> bool:
    """Whether a reason, in anybody's words, says that the numbers are wrong."""
    return bool(_NUMBERS.search(text))


_REQUIRED = re.compile(r"(?:\brequired\b|\bthreshold\b|\bbelow\b|<)[^\d\n]{0,12}\d*\.\d+", re.IGNORECASE)
_MEASURED = (
    re.compile(r"\bcalculated\b[^\d\n-]{0,20}(-?\d*\.\d+)", re.IGNORECASE),
    re.compile(r"\bpcc\b[^\d\n-]{0,40}(-?\d*\.\d+)", re.IGNORECASE),
    re.compile(r"(?<![\w.])(-?\d*\.\d+) +pcc\b", re.IGNORECASE),
)


def quoted_pcc(text: str) -> float | None:
    """The measured PCC that a reason quotes, in anybody's words; None: it quotes none."""
    said = _REQUIRED.sub("", without_links(text))
    found = next(filter(None, (pattern.search(said) for pattern in _MEASURED)), None)
    return float(found[1]) if found else None


def without_links(text: str) -> str:
    """A reason without its links to issues and the words that introduce them."""
    return " ".join(re.sub(_LINK.pattern, " ", text, flags=re.IGNORECASE).split()).rstrip(" -:(")


def quotable(text: str) -> str:
    """The part of a text that is fit for a `reason`: verbatim, at most 200 characters.

    Never "Error code: 13", which can mean anything (docs/rules.md 5.1); empty if there is nothing else.
    """
    lines = [_MARK.sub("", plain_line(line)).strip() for line in unescaped(text).splitlines()[:_MOST_LINES]]
    said = [_CODE_13.sub("", line) for line in lines if not is_noise(line)]
    return cause_line(said) or next((shortened(line) for line in said if line), "")


def reason_of(message: str, log: str, raised: str) -> tuple[str, str]:
    """The reason of a failure: from the report's own message, else the log, else the traceback (docs/rules.md 7.3).

    Also returns the reason in the traceback if it differs, else an empty text.
    """
    raised = quotable(raised)
    quoted = quotable(message) or quotable(log)
    # The message is the text of the exception without its name, unless it comes from elsewhere (docs/rules.md 4.5).
    if not quoted or quoted.rstrip("…") in raised or alike(quoted, raised):
        return raised or quoted, ""
    return quoted, raised


def failure_reason(case: Testcase, log: str) -> tuple[str, str]:
    """As `reason_of`, for a failed testcase and the most telling line of its log."""
    # In a forced run it is the entry's own reason (docs/rules.md 4.4).
    written = "" if is_forced(case) else case.properties.get("error_message", "")
    raised = raised_reason(case)
    return reason_of(_live(written, raised), log, raised)


def raised_reason(case: Testcase) -> str:
    """The part of a testcase's traceback, or else of its message, that is fit for a `reason`."""
    lines = evidence_lines(case.text)
    # A text that pytest has not marked may be anything: the message goes before it.
    texts = (lines, case.message) if lines != case.text else (f"{case.message}\n{lines}",)
    return next(filter(None, map(quotable, texts)), "")


def is_forced(case: Testcase) -> bool:
    """Whether `--force-run` ran an entry that says skip: then the tags repeat the entry (docs/rules.md 4.4)."""
    return case.tags.get("model_test_status") in _SKIPPED and case.outcome is not Outcome.SKIP


def evidence_lines(text: str) -> str:
    """The lines of a traceback that pytest marks; the whole text if none is marked."""
    marked = [part.partition("\n")[0].strip() for part in f"\n{text}".split("\nE ")[1:]]
    return "\n".join(marked) or text


def _live(written: str, raised: str) -> str:
    """The report's message if it is from this run; after an exception without a text it is the entry's reason.

    Upstream's runner may have replaced it by a line from the output (docs/rules.md 4.5).
    """
    silent = re.fullmatch(r"(?:\w+\.)*\w+(?:Error|Exception)", raised) is not None
    stale = written == "Not specified" or (silent and not written.startswith(_FROM_OUTPUT))
    return "" if stale else written


def _once(text: str) -> str:
    text = _LINK.sub(" ", text)
    for pattern, placeholder in _VOLATILE:
        text = pattern.sub(placeholder, text)
    if wrapped := _WRAPPED.match(text):
        text = wrapped["cut"] if wrapped["whole"] is None else wrapped["whole"]
    text = _GENERIC.sub("", " ".join(text.split()), count=1)
    return text.strip(_ENDS)
