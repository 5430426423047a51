# SPDX-License-Identifier: Apache-2.0
"""The phases of a CPU repro, for torch and JAX: which there are, and of each the step, the failure, the report."""

from __future__ import annotations

import argparse
import gc
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from typing import Any, TypeAlias

from .facts import frames, traceback_text
from .loader import Problem, import_loader, loader_factory, missing_package
from .network import missing_download
from .packages import packages
from .structures import lowest_pcc

MakeLoader: TypeAlias = Callable[[], Any]


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


class AnyPhase(ABC):
    """Forward, and in training backward, of one fresh model in one dtype."""

    def __init__(self, name: str, args: argparse.Namespace) -> None:
        self.args = args
        self.steps = Steps(name, args)
        self.report = self.steps.report
        self.outputs: dict[str, Any] = {}
        self.gradients: dict[str, Any] = {}

    @property
    @abstractmethod
    def title(self) -> str:
        """The phase as the log announces it."""

    @abstractmethod
    def take_steps(self, make_loader: MakeLoader) -> None:
        """Perform all steps; `steps.step` says which one is under way."""

    def run(self, make_loader: MakeLoader) -> None:
        """Perform all steps; an error of the model is recorded in `report`."""
        self.steps.run(self.title, lambda: self.take_steps(make_loader))


Phases: TypeAlias = Callable[[argparse.Namespace, "MakeLoader | None"], Iterable[AnyPhase]]
"""The phases of a framework, each asked for when the one before has run; without a loader, those that report why."""


def run_all(args: argparse.Namespace, result: dict[str, Any], phases: Phases) -> None:
    """Run the phases into `result`, each on a fresh model.

    Raises Problem where the environment cannot run the model.
    """
    make_loader: MakeLoader | None = None
    import_error: BaseException | None = None
    try:
        make_loader = loader_factory(import_loader(args.checkout, args.loader), args)
    except Problem:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001 - any failure of the loader is the finding
        import_error = error
    done: list[AnyPhase] = []
    # As the runner does: a loader is imported without the packages it asks for, and run with them.
    with nullcontext() if make_loader is None else packages(args):
        for phase in phases(args, make_loader):
            done.append(phase)
            result["phases"].append(phase.report)
            if make_loader is not None:
                phase.run(make_loader)
            elif import_error is not None:
                phase.steps.fail(import_error)
            if problem := phase.steps.problem():
                raise problem
    if len(done) > 1:
        first, second = done[:2]
        outputs = lowest_pcc("outputs", first.outputs, second.outputs)
        result["pcc"] = {"outputs": outputs, "gradients": lowest_pcc("gradients", first.gradients, second.gradients)}
