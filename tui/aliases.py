# SPDX-License-Identifier: Apache-2.0
"""Other words that people look for a command by."""

from collections.abc import Mapping

ALIASES: Mapping[str, str] = {
    "app.quit": "exit close leave",
    "app.reload": "refresh update index",
    "app.redraw": "refresh clear",
    "app.overview": "dashboard home numbers",
    "app.runs": "jobs queue",
    "app.triage": "inbox stale verdicts proposals",
    "app.review": "diff pending commit changes",
    "app.doctor": "findings lint check",
    "app.clusters": "failures causes",
    "app.workflows": "fix bfloat16 unpack",
    "app.help": "keys shortcuts",
    "matrix.filter": "search find query",
    "matrix.run": "rerun start test execute repro",
    "matrix.run_with": "device profile repeat options execute",
    "matrix.set": "status xfail skip promote change",
    "matrix.open": "vim yaml source",
    "matrix.columns": "fields order",
    "matrix.mark": "select",
    "matrix.mark_all": "select",
    "matrix.unmark": "deselect",
    "matrix.log": "output trace",
    "matrix.copy": "yank clipboard",
    "runs.programs": "ir mlir stablehlo fx graph",
    "runs.profiles": "compare options",
    "runs.cancel": "kill abort",
    "runs.again": "rerun restart",
    "review.commit": "git save",
    "review.write": "save apply",
    "review.accept": "approve yes",
    "review.reject": "no drop",
    "triage.accept": "approve yes promote",
    "triage.reject": "no drop",
    "log.search": "find grep",
    "log.filter": "grep",
}
"""By the id of the command."""
