# SPDX-License-Identifier: Apache-2.0
"""The steps of one phase of a CPU repro, for torch and JAX: current step, failure, report."""

from __future__ import annotations

import argparse
import gc
import time
import traceback
from collections.abc import Callable
from typing import Any

from .facts import frames, traceback_text
from .loader import Problem, missing_package
from .network import missing_download


class Steps:
    """A phase from its first step to its last, or to the step that fails."""

    def __init__(self, dtype: str, args: argparse.Namespace) -> None:
        self.args = args
        self.step = "import"
        self.error: BaseException | None = None
        self.report: dict[str, Any] = {"dtype": dtype, "ok": False, "step": None, "error_type": None}
        self.report.update(error=None, parameters=[], inputs=[], output=None, unpacked=None, seconds=0.0)
        self.report.update(frames=[], container=None, weights={}, decoder_start=None)

    @property
    def name(self) -> str:
        """The dtype as the log shows it."""
        return str(self.report["dtype"]).upper()

    def run(self, title: str, take: Callable[[], None]) -> None:
        """Perform all steps; an error of the model is recorded in `report`, an interruption from outside is not."""
        begin = time.perf_counter()
        print(f"\n===== {title} =====", flush=True)
        try:
            take()
            self.report["ok"] = True
            print(f"{self.name}: ok", flush=True)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - any failure of the model is the finding
            self.fail(error)
        self.report["seconds"] = round(time.perf_counter() - begin, 3)
        gc.collect()

    def fail(self, error: BaseException) -> None:
        """Record that the current step raised `error`."""
        self.error = error
        kind = type(error).__name__
        self.report.update(step=self.step, error_type=kind, error=str(error))
        self.report["frames"] = frames(error, self.args.checkout)
        print(traceback_text(error), end="")
        print(f"{self.name}: FAILED in {self.step}: {kind}: {error}", flush=True)
        # The frames would keep this phase's model in memory during the next phase.
        traceback.clear_frames(error.__traceback__)

    def problem(self) -> Problem | None:
        """The problem of the environment that caused the failure, if any."""
        return missing_package(self.error, self.args) or missing_download(self.error)
