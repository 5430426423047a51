# SPDX-License-Identifier: Apache-2.0
"""The part of a command that all runs of one test through pytest share: options of CI, and our plugin for the log.

`docs/runs.md` has the differences from CI's command line (`.github/workflows/call-test.yml`), with their reasons.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.base.files import read_loosely
from core.payload.ttmatrix_payload.plugins.spool import LOGGERS, SPOOL, SPOOL_VARIABLE
from core.sources import Checkout

PAYLOAD = Path(__file__).parents[2] / "payload"
FORKED = "--forked"
"""One process for each test, by our own runner or by pytest-forked: a test that crashes does not end the others."""
OUTPUT_PLUGIN = "ttmatrix_payload.plugins.output"
"""The plugin that leads what a test writes into the log as it is written."""
TIMING_PLUGIN = "ttmatrix_payload.plugins.timing"
"""The plugin that says how long upstream's testers took, as our own runner does."""
PERF_REPORTS = "perf"
"""The directory of a run for upstream's reports of timed runs."""
BUILT_IN_PLUGIN = "ttmatrix_payload.runner"
"""Our own runner, which needs no pytest-forked."""
_CONFTEST = "tests/conftest.py"


def pytest_words(artefacts: Path, *, forked: bool) -> list[str]:
    """What follows the interpreter, for a run with its files in `artefacts`.

    `forked`: a crash of the test then leaves a report; no effect where pytest-forked is not installed.
    """
    words = ["-m", "pytest", "-p", OUTPUT_PLUGIN, "-vv", "--durations=0", f"--junitxml={artefacts / 'junit.xml'}"]
    return [*words, FORKED] if forked else words


def upstream_words(checkout: Checkout, artefacts: Path) -> list[str]:
    """The options of CI that upstream's conftest declares; older checkouts lack some."""
    try:
        text = read_loosely(checkout.root / _CONFTEST)
    except OSError:
        return []
    given = {
        "--log-memory": "--log-memory",
        "--perf-report-dir": f"--perf-report-dir={artefacts / PERF_REPORTS}",
        "--perf-id": f"--perf-id={artefacts.name}",
    }
    return [word for option, word in given.items() if f'"{option}"' in text]


def pytest_environment(
    argv: Sequence[str], artefacts: Path, environ: Mapping[str, str], path: str = ""
) -> dict[str, str]:
    """The variables that our plugin needs, if `argv` has it; `environ` is that of the run so far.

    `path` is the PYTHONPATH that the run adds to that of the person.
    A logger of the compiler or the device that `environ` gives a file of its own gets one in `artefacts`: it would
    empty the file that other runs write. That of the plugin gets one in any case, since it writes to stderr as well.
    """
    if OUTPUT_PLUGIN not in argv:
        return {}
    own = {name: default for name, default in LOGGERS.items() if default}
    named = own | {name: Path(environ[name]).name for name in LOGGERS if environ.get(name)}
    files = {name: str(artefacts / file) for name, file in named.items()}
    places = os.pathsep.join(filter(None, (str(PAYLOAD), path)))
    return {SPOOL_VARIABLE: str(artefacts / SPOOL), "PYTHONPATH": places, **files}
