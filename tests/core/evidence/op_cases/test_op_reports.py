# SPDX-License-Identifier: Apache-2.0
"""A JUnit file of the plugin has the same content as its own results, and can be ingested."""

import subprocess
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.model import Status
from core.evidence import Ending
from core.evidence.reports import OTHER, ReadOptions, Setting, observe_cases, read_reports
from core.evidence.store import EvidenceStore
from core.runs import read_case_results
from core.runs.planning.kinds import PAYLOAD
from tests.core.payload.ops.sessions import PLANTED, WRONG


@pytest.mark.slow("a session of pytest with torch")
def test_a_report_says_what_the_results_say(tmp_path: Path, warm_torch: Path) -> None:
    (tmp_path / "wrong.yaml").write_text(WRONG)
    (tmp_path / "planted.py").write_text(PLANTED)
    command = [
        str(warm_torch),
        "-m",
        "pytest",
        "-p",
        "ttmatrix_payload.ops.plugin",
        "-p",
        "no:cacheprovider",
        "--noconftest",
    ]
    command += [f"--rootdir={tmp_path}", "-c", "/dev/null", f"--ops-json={tmp_path / 'results.jsonl'}", "--run-skipped"]
    command += ["--compile-backend=eager", "--ops-import=planted", "--case-timeout=10", f"--ops-dir={tmp_path}"]
    environ = {"PYTHONPATH": f"{PAYLOAD}:{tmp_path}", "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    junit = tmp_path / "out/junit.xml"
    subprocess.run([*command, f"--junitxml={junit}"], cwd=tmp_path, env=environ, capture_output=True, check=False)
    reading = read_reports([junit], ReadOptions(run="night-1"))
    documents = [one for one in read_case_results(tmp_path) if one.get("backend")]
    own = list(observe_cases(documents, Setting(run="night-1")))
    found = {one.test_id: one for one in reading.observations}
    assert len(own) == len(found) > 15
    for one in own:
        other = found[one.test_id]
        same = replace(other, when=one.when, host=one.host, source=one.source, seconds=one.seconds)
        assert same == one
        assert other.seconds == pytest.approx(one.seconds, rel=1e-3)
    assert reading.counts.total() == len(found) + reading.counts[OTHER]
    assert Counter(one.ending for one in own)[Ending.CRASHED] == 1
    failing = found["wrong::two_percent"]
    assert (failing.ending, failing.arch) == (Ending.FAILED, "eager")
    assert failing.op is not None and failing.op.max_rel == pytest.approx(0.02, rel=0.1)
    assert found["wrong::fails_twice"].op == replace(failing.op, dup_of="wrong::two_percent")
    skipped = found["wrong::skipped"]
    assert (skipped.ending, skipped.expected, skipped.forced) == (Ending.PASSED, Status.NOT_SUPPORTED_SKIP, True)
    store = EvidenceStore(tmp_path / "evidence.sqlite")
    store.add(reading.reports)
    assert {one.test_id: one for one in store.observations()} == found
