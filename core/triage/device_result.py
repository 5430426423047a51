# SPDX-License-Identifier: Apache-2.0
"""What the JUnit file of a device run says of each test: by the rules of the evidence, for one question more."""

from collections.abc import Sequence
from pathlib import Path

from core.errors import UsageError
from core.evidence.classify import Setting, observe
from core.evidence.observation import Ending
from core.ids import TestId
from core.model import BringupStatus
from core.runs.junit import Testcase, read_testcases, telling
from core.runs.outcome import Outcome, signal_name
from core.triage.outcomes import Observed

_NUMBERS = ("PCC", "pcc=", "Atol", "atol", "Tensor mismatch")


def read_device_result(file: Path, ids: Sequence[str]) -> list[dict[str, str]]:
    """The answer to `RunDevice` from a JUnit file. Raises TTMatrixError for a file that cannot be read.

    Raises UsageError where it mentions none of `ids`.
    """
    cases: dict[str, list[Testcase]] = {}
    for case in read_testcases(file, {_name(id) for id in ids}):
        cases.setdefault(case.name, []).append(case)
    found = [(id, cases.get(_name(id), [])) for id in ids]
    if not any(some for _, some in found):
        wanted = "\n".join(f"  {_name(id)}" for id in ids)
        raise UsageError(f"{file} is about other tests", f"It mentions none of:\n{wanted}")
    return [_observed(id, telling(some)).to_fields() if some else _absent(id) for id, some in found]


def _name(id: str) -> str:
    parsed = TestId.parse(id)
    return f"{parsed.function}[{id}]" if parsed else id


def _absent(id: str) -> dict[str, str]:
    return Observed(id, Ending.NOT_RUN, "the report does not mention it").to_fields()


def _observed(id: str, case: Testcase) -> Observed:
    seen = observe(case, Setting())
    if seen is None:
        return Observed(id, Ending.NOT_RUN)
    if case.outcome in (Outcome.SKIP, Outcome.XFAIL):
        # Both were asked not to be: another way of skipping is at work, which a person has to look at.
        return Observed(id, Ending.NOT_RUN, case.message)
    ending = seen.ending
    if ending is Ending.BROKEN and case.outcome is Outcome.FAIL:
        # Without properties it may be anything, but the CPU repro has shown that the loader can be made.
        ending = Ending.INACCURATE if any(word in case.message for word in _NUMBERS) else Ending.FAILED
    if ending is Ending.CRASHED:
        return Observed(id, ending, f"crashed with {signal_name(seen.signal)}" if seen.signal else seen.reason)
    written = "" if seen.forced else case.properties.get("error_message", "")
    words = dict.fromkeys(filter(None, (seen.reason, written, case.message, case.text)))
    stage = "" if seen.stage is BringupStatus.UNKNOWN else str(seen.stage)
    return Observed(id, ending, "" if ending is Ending.PASSED else "\n".join(words), stage)
