# SPDX-License-Identifier: Apache-2.0
"""core.workflows.procedures.unpack_forward_output: every row of its decision table, with made-up answers."""

from typing import Any

import pytest

from core.workflows import Ask, WorkflowReport
from core.workflows.conclusion import alone
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import SourceEdit, UnpackChoice, Unpacking
from core.workflows.loader_code.edits.edit import EditKind
from core.workflows.loader_code.edits.unpack import Form, Selection
from core.workflows.procedures import unpack_forward_output as module
from core.workflows.procedures.unpack_forward_output import unpack_forward_output
from core.workflows.requests import Answer, Effect, FindUsers, RunCpu, RunDevice
from tests.support.triage import (
    LOADER,
    NO_HANDLER,
    REGISTRY,
    SIBLING,
    TARGET,
    World,
    case,
    edit,
    edited,
    member,
    play,
    repro,
    shown,
)

OTHER = "stereo/pytorch-single_device-training"
INFERENCE = "net/pytorch-Small-single_device-inference"
NO_TENSOR = "ValueError: Handler for MapOutput did not return a torch.Tensor"
MAP = {"class": "MapOutput", "module": "transformers.models.map", "leaves": []}
OWN = {**MAP, "module": "tt_forge_models.net.pytorch.loader"}
LIST = {"class": "list", "module": "builtins", "leaves": []}
TENSOR = {"class": "Tensor", "module": "torch", "leaves": []}
DEPTH = UnpackChoice(Selection(".depth", Form.TENSOR, "MapOutput", "the map"), "depth")
SUM = UnpackChoice(Selection("", Form.SUM, "list of 3", "the heads", "Its loss is known."))


class Code:
    """Return values of the functions on source text."""

    def __init__(self) -> None:
        self.choices: tuple[UnpackChoice, ...] = (DEPTH,)
        self.registry: dict[str, str | None] = {}
        self.overridden = False
        self.other: tuple[UnpackChoice, ...] = (DEPTH,)


@pytest.fixture
def code(monkeypatch: pytest.MonkeyPatch) -> Code:
    found = Code()

    def unpacking(task: str, _: object, **__: object) -> Unpacking:
        return Unpacking("depth", found.other if task == "other" else found.choices, "the family says so")

    monkeypatch.setattr(module, "unpacking", unpacking)
    monkeypatch.setattr(module, "has_override", lambda _: found.overridden)
    monkeypatch.setattr(module, "read_registry", lambda _: found.registry)
    monkeypatch.setattr(module, "register", lambda *_: edit("one line more", EditKind.REGISTER))
    monkeypatch.setattr(module, "unregister", lambda *_: edit("one line less", EditKind.UNREGISTER))
    monkeypatch.setattr(module, "unpack_override", lambda *_, **__: edit("an override", EditKind.OVERRIDE))
    return found


def user(directory: str, sureness: str = "named", *members: str, task: str = "") -> dict[str, Any]:
    entries = [{"id": id, "file": "f.yaml", "fields": {"reason": NO_HANDLER}} for id in members]
    return {"directory": directory, "sureness": sureness, "why": "imports it", "task": task, "members": entries}


def world(
    output: object = MAP,
    error: str = NO_HANDLER,
    after: str = "",
    users: tuple[dict[str, Any], ...] = (),
    device: Answer = None,
    choose: int = 1,
    step: str = "unpack",
) -> World:
    """All tests return `output` and fail with `error`, and with `after` once an edit is in place."""

    def answer(effect: Effect, done: list[Effect]) -> Answer:
        match effect:
            case RunCpu():
                now = after if edited(done) else error
                return [repro(id, now, now, "unpack" if now == error else step, output=output) for id in effect.ids]
            case FindUsers():
                return list(users)
            case Ask():
                return choose
        return device if device is not None else [shown(id, "passed") for id in getattr(effect, "ids", ())]

    return answer


def report_of(answers: World, *reasons: str) -> tuple[WorkflowReport, list[Effect]]:
    inference = (member(INFERENCE, status="EXPECTED_PASSING"),)
    about = case(member(TARGET, NO_HANDLER), member(SIBLING, NO_HANDLER), inference=inference)
    _, report, effects = play(alone(unpack_forward_output), about, answers)
    return report, effects


def test_a_library_class_with_one_attribute_is_registered(code: Code) -> None:
    report, effects = report_of(world())
    assert (report.decision, list(report.edits)) == ("registry", [REGISTRY])
    assert RunDevice((TARGET, SIBLING, INFERENCE), decisive=True) in effects
    assert {op.value for op in report.operations if op.path == ("status",)} == {"EXPECTED_PASSING"}
    assert INFERENCE not in {op.id for op in report.operations}


def test_the_registry_concerns_all_who_return_the_class_and_fail_by_it(code: Code) -> None:
    users = (user("net/pytorch"), user("stereo/pytorch", "named", OTHER), user("far/pytorch", "possible"))
    report, _ = report_of(world(users=users))
    assert [one.id for one in report.scope] == [TARGET, SIBLING, OTHER]
    assert any(line.startswith("stereo/pytorch") and "confirmed by a run" in line for line in report.reach)
    assert any(line.startswith("far/pytorch: possible") for line in report.reach)


def test_a_class_of_this_model_alone_takes_an_override_and_one_that_others_name_is_registered(code: Code) -> None:
    alone, _ = report_of(world(OWN, users=(user("net/pytorch"),)))
    shared, _ = report_of(world(OWN, users=(user("net/pytorch"), user("stereo/pytorch", "named", OTHER))))
    assert (alone.decision, list(alone.edits)) == ("override", [LOADER])
    assert (shared.decision, list(shared.edits)) == ("registry", [REGISTRY])


def test_a_bare_list_takes_an_override(code: Code) -> None:
    code.choices = (SUM,)
    report, effects = report_of(world(LIST))
    assert (report.decision, list(report.edits)) == ("override", [LOADER])
    assert not any(isinstance(effect, FindUsers) for effect in effects)


def test_a_handler_that_gives_no_tensor_loses_its_line_and_an_override_comes(code: Code) -> None:
    code.registry = {"MapOutput": "depth"}
    report, _ = report_of(world(error=NO_TENSOR, users=(user("far/pytorch", "possible"),)))
    assert (report.flavour, report.decision) == ("wrong_handler", "registry-wrong")
    assert [one.kind for one in report.edits.values()] == [EditKind.UNREGISTER, EditKind.OVERRIDE]
    assert "far/pytorch" in report.review[0]


@pytest.mark.parametrize(("number", "decision"), [(1, "registry"), (2, "override")])
def test_what_the_family_does_not_settle_is_asked(code: Code, number: int, decision: str) -> None:
    code.choices = (DEPTH, SUM)
    report, effects = report_of(world(choose=number))
    question = next(effect for effect in effects if isinstance(effect, Ask))
    assert len(question.choices) == 2
    assert report.decision == decision


@pytest.mark.parametrize(("number", "stated"), [(1, "of FocalLoss."), (2, "of cross-entropy."), (6, "is not known.")])
def test_the_loss_that_a_docstring_states_is_asked_for_where_nothing_tells(
    code: Code, monkeypatch: pytest.MonkeyPatch, number: int, stated: str
) -> None:
    overrides: list[Selection] = []
    code.choices = (UnpackChoice(Selection("", Form.SUM, "list of 3", "the heads")),)

    def override(_: str, selection: Selection, **__: object) -> SourceEdit:
        overrides.append(selection)
        return edit("an override", EditKind.OVERRIDE)

    monkeypatch.setattr(module, "unpack_override", override)
    about = case(member(TARGET, NO_HANDLER), sources={LOADER: "from x import FocalLoss", REGISTRY: ""})
    _, report, effects = play(alone(unpack_forward_output), about, world(LIST, choose=number))
    question = next(effect for effect in effects if isinstance(effect, Ask))
    assert question.choices[:2] == ("FocalLoss", "cross-entropy")
    assert overrides[0].loss.endswith(stated)
    assert report.decision == "override"


@pytest.mark.parametrize(("number", "decision"), [(1, "registry"), (2, "override")])
def test_models_that_want_another_target_of_the_same_class_are_asked_about(
    code: Code, number: int, decision: str
) -> None:
    code.other = (UnpackChoice(SUM.selection, "features"),)
    users = (user("stereo/pytorch", "named", OTHER, task="other"),)
    report, effects = report_of(world(users=users, choose=number))
    assert any(isinstance(effect, Ask) for effect in effects)
    assert report.decision == decision


def test_nothing_to_choose_from_aborts(code: Code) -> None:
    code.choices = ()
    report, _ = report_of(world())
    assert "No tensor" in str(report.aborted)


def test_an_override_that_is_there_leaves_only_the_entry(code: Code) -> None:
    code.overridden = True
    report, effects = report_of(world(error=""))
    assert (report.decision, report.edits) == ("already-handled", {})
    assert isinstance(effects[-1], RunDevice)


@pytest.mark.parametrize("output", [MAP, TENSOR])
def test_an_output_that_is_unpacked_leaves_only_the_entry(code: Code, output: dict[str, Any]) -> None:
    def answer(effect: Effect, _: list[Effect]) -> Answer:
        if isinstance(effect, RunCpu):
            return [repro(id, output=output, unpacked=TENSOR) for id in effect.ids]
        return [shown(id, "failed", "error: 'ttir.sum' op no") for id in getattr(effect, "ids", ())]

    report, _ = report_of(answer)
    assert (report.decision, report.edits) == ("already-handled", {})
    assert {op.value for op in report.operations if op.path == ("bringup_status",)} == {"FAILED_TTMLIR_COMPILATION"}


def test_a_model_that_fails_before_aborts(code: Code) -> None:
    report, _ = report_of(lambda *_: [repro(TARGET, "ValueError: x", "ValueError: x", "forward")])
    assert "fails in forward" in str(report.aborted)


def test_an_edit_that_does_not_help_is_taken_back(code: Code) -> None:
    report, _ = report_of(world(after=NO_HANDLER))
    assert report.aborted is not None
    assert (report.edits, report.operations) == ({}, [])


def test_an_override_under_which_a_variant_fails_that_passed_is_taken_back(code: Code) -> None:
    code.choices = (SUM,)

    def answers(effect: Effect, done: list[Effect]) -> Answer:
        if not isinstance(effect, RunCpu):
            return world()(effect, done)
        errors = {TARGET: "" if edited(done) else NO_HANDLER, SIBLING: "KeyError: 0" if edited(done) else ""}
        return [repro(id, errors[id], errors[id], "unpack", output=LIST) for id in effect.ids]

    report, _ = report_of(answers)
    assert report.aborted == f"With the edit {SIBLING} failed, which passed before. It was reverted."
    assert (report.edits, report.operations) == ({}, [])


def test_what_fails_behind_the_output_is_an_expected_failure_and_the_edit_stays(code: Code) -> None:
    report, _ = report_of(world(after="RuntimeError: backward", step="backward", device=[]))
    assert list(report.edits) == [REGISTRY]
    assert {op.value for op in report.operations if op.path == ("reason",)} == {"RuntimeError: backward"}


def test_where_no_edit_can_be_written_it_aborts(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "register", lambda *_: NoSite("it is there"))
    report, _ = report_of(world())
    assert "it is there" in str(report.aborted)
