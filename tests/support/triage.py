# SPDX-License-Identifier: Apache-2.0
"""Play workflows with made-up answers: the world is a function from an effect to its answer."""

from collections.abc import Callable, Mapping
from typing import Any

from core.workflows import Ask, WorkflowReport
from core.workflows.case import Case, CaseEntry
from core.workflows.engine import State, Workflow, begin, step
from core.workflows.loader_code.edits import SourceEdit
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.requests import Answer, EditLoader, Effect, RevertLoader, RunCpu

TARGET = "net/pytorch-Small-single_device-training"
SIBLING = "net/pytorch-Large-single_device-training"
FILE = "torch/test_config_training_single_device.yaml"
LOADER = "third_party/tt_forge_models/net/pytorch/loader.py"
REGISTRY = "third_party/tt_forge_models/training_utils.py"
SOURCE = "class ModelLoader:\n    pass\n"
MISMATCH = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and BFloat16"
NO_KERNEL = "RuntimeError: 'deformable_im2col' not implemented for 'BFloat16'"
NO_HANDLER = "ValueError: No handler for class MapOutput exists in `unpack_forward_output`."

World = Callable[[Effect, "list[Effect]"], Answer]
"""Returns the answer to an effect, given the effects before it."""


def member(id: str = TARGET, reason: str = "", status: str = "KNOWN_FAILURE_XFAIL", **fields: Any) -> CaseEntry:
    """A training entry."""
    return CaseEntry(id, FILE, {"status": status, **({"reason": reason} if reason else {}), **fields})


def case(*members: CaseEntry, **parts: Any) -> Case:
    """A case of these entries, the first the target."""
    scope = members or (member(reason=MISMATCH),)
    sources = {LOADER: SOURCE, REGISTRY: ""}
    return Case(scope[0], LOADER, REGISTRY, **{"sources": sources, "scope": scope, **parts})


def phase(dtype: str, error: str = "", step: str = "forward", **parts: Any) -> dict[str, Any]:
    """One phase of a result; without an error it passed."""
    kind, _, text = error.partition(": ")
    found = {"dtype": dtype, "ok": not error, "step": step if error else None, "error_type": kind or None}
    return {**found, "error": text or None, "inputs": [], "output": None, "unpacked": None, "frames": [], **parts}


def repro(id: str, low: str = "", full: str = "", step: str = "forward", **parts: Any) -> dict[str, Any]:
    """The answer for one CPU repro: the error of bfloat16, that of float32."""
    phases = [phase("bfloat16", low, step, **parts), phase("float32", full, step, **parts)]
    result = {"phases": phases, "problem": None}
    return {"id": id, "outcome": "fail" if low else "pass", "run": "run-1", "summary": low, "result": result}


def failed_run(id: str, outcome: str = "crash", problem: str = "") -> dict[str, Any]:
    """A CPU repro without a result."""
    result = {"phases": [], "problem": {"kind": "missing-package", "message": problem}} if problem else None
    return {"id": id, "outcome": outcome, "run": "run-1", "summary": f"ended by {outcome}", "result": result}


def shown(id: str, ending: str, reason: str = "", stage: str = "") -> dict[str, str]:
    """The result of a device run for one test."""
    return {"id": id, "ending": ending, "reason": reason, "stage": stage}


def edit(summary: str = "dtype=dtype_override", kind: EditKind = EditKind.CONSTRUCTOR) -> SourceEdit:
    """An edit of SOURCE."""
    return SourceEdit(kind, 2, summary, SOURCE, SOURCE.replace("pass", "x = 1"))


def play(workflow: Workflow, about: Case, world: World) -> tuple[State, WorkflowReport, list[Effect]]:
    """Run a workflow to its end; returns the last state, its report and all effects."""
    state, _ = begin(about, workflow)
    effects: list[Effect] = []
    while (effect := state.waiting) is not None:
        answer = None if isinstance(effect, EditLoader | RevertLoader) else world(effect, effects)
        effects.append(effect)
        state, _ = step(state, answer)
    assert state.report is not None
    return state, state.report, effects


class Files:
    """The files of the models tree, as edits and their reverts leave them."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = texts

    def then(self, world: World) -> World:
        """`world` on these files: each edit must fit the text that is there."""

        def answer(effect: Effect, done: list[Effect]) -> Answer:
            self.carry_out(done)
            return world(effect, done)

        return answer

    def carry_out(self, done: list[Effect]) -> None:
        """Edit as far as `done`, of which some was carried out before."""
        for one in done[self._seen :]:
            self._take(one)
        self._seen = len(done)

    _seen = 0

    def _take(self, effect: Effect) -> None:
        if isinstance(effect, EditLoader):
            assert self.texts[effect.path] == effect.edit.before
            self.texts[effect.path] = effect.edit.after
        elif isinstance(effect, RevertLoader):
            assert self.texts[effect.path] == effect.edit.after
            self.texts[effect.path] = effect.edit.before


def edited(before: list[Effect]) -> bool:
    """Whether an edit is in place after these effects."""
    puts = sum(isinstance(effect, EditLoader) for effect in before)
    return puts > sum(isinstance(effect, RevertLoader) for effect in before)


def cpu(
    before: Mapping[str, tuple[str, str]],
    after: Mapping[str, tuple[str, str]],
    device: Answer = None,
    choose: int = 1,
) -> World:
    """A world of CPU repros before and after an edit, by id as errors of bfloat16 and float32; with one device.

    `choose` answers every question.
    """

    def answer(effect: Effect, done: list[Effect]) -> Answer:
        if isinstance(effect, RunCpu):
            errors = after if edited(done) else before
            return [repro(id, *errors.get(id, ("", ""))) for id in effect.ids]
        return choose if isinstance(effect, Ask) else device

    return answer
