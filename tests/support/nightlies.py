# SPDX-License-Identifier: Apache-2.0
"""Reports of nightlies in which a word gives the result of each test of the sample tree."""

from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

_PASSED = {"bringup_status": "PASSED", "pcc": 0.9987, "pcc_threshold": 0.99, "pcc_assertion_enabled": True}
_OOM = "Out of Memory: Not enough space to allocate 1073741824 B DRAM buffer across 12 banks"

_STATUSES = {
    "alpha/pytorch-tiny-single_device-inference": "EXPECTED_PASSING",
    "alpha/pytorch-net-v1.5+aug-single_device-inference": "KNOWN_FAILURE_XFAIL",
    "alpha/pytorch-org/name-single_device-inference": "NOT_SUPPORTED_SKIP",
}
"""What the entries of the sample say on n150."""


def nightly(file: Path, arch: str, endings: Mapping[str, str], status: str = "") -> Path:
    """Write a report: endings are `pass`, `fail` and `crash`, by test id; without `status`, of the sample's entries."""
    cases = "".join(
        _case(id, ending, arch, status or _STATUSES.get(id, "UNSPECIFIED")) for id, ending in endings.items()
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    day = len(list(file.parent.iterdir())) + 1
    head = f'timestamp="2026-11-{day:02}T00:00:00+00:00" hostname="f10"'
    file.write_text(f'<testsuites><testsuite name="pytest" {head}>{cases}</testsuite></testsuites>')
    return file


def _case(id: str, ending: str, arch: str, status: str) -> str:
    tags: dict[str, object] = {"arch": arch, "model_test_status": f"ModelTestStatus.{status}"}
    child = '<skipped type="pytest.xfail" message=""/>' if status.endswith("XFAIL") else ""
    if ending == "pass":
        tags |= _PASSED
    elif ending == "fail":
        tags |= {"bringup_status": "FAILED_RUNTIME"}
        child = f'<skipped type="pytest.xfail" message="{_OOM}"/>' if child else f'<failure message="{_OOM}"/>'
    else:
        tags |= {"bringup_status": "UNKNOWN"}
        child = '<error message="failed on teardown with &quot;running the test CRASHED with signal 6&quot;"/>'
    properties = f'<properties><property name="tags" value={quoteattr(str(tags))}/></properties>'
    return f'<testcase classname="t" name="test_all_models_torch[{id}]" time="1.5">{properties}{child}</testcase>'
