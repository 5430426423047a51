# SPDX-License-Identifier: Apache-2.0
"""unpack-forward-output: it is not defined which tensor of the output backward starts from (docs/rules.md 7.2)."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from core.base.files import typed
from core.base.text import sentence
from core.workflows.case import Case, CaseEntry
from core.workflows.conclusion import Stage
from core.workflows.loader_code.analysis import NoSite
from core.workflows.loader_code.edits import (
    LOSSES,
    Confidence,
    SourceEdit,
    UnpackChoice,
    Unpacking,
    has_override,
    losses_named,
    read_by,
    read_registry,
    register,
    unpack_override,
    unpacking,
    unregister,
)
from core.workflows.report import WorkflowReport, abort
from core.workflows.repro import Repro
from core.workflows.requests import Ask, FindUsers, Steps
from core.workflows.signatures import UNHANDLED_OUTPUT, WRONG_HANDLER, unpack_flavour
from core.workflows.steps import (
    AFTER,
    BEFORE,
    broken,
    confirm,
    first_look,
    leave_failing,
    others_passing,
    put,
    reproduce,
    take_back,
)

_BARE = frozenset({"list", "tuple", "dict"})
_TREE = ("tt_forge_models", "tt-forge-models", "third_party")
_UNPACK = "unpack"
_GENERIC_CLASS = re.compile(
    r"(?:CausalLM|MaskedLM|Seq2SeqLM|ImageClassifier|TokenClassifier|SequenceClassifier|QuestionAnsweringModel"
    r"|DepthEstimator|SemanticSegmenter|BaseModel)Output\w*"
)
"""Names with the same meaning in every class, because whole libraries use them so."""


def unpack_forward_output(case: Case, report: WorkflowReport) -> Steps[Stage]:
    """Look at what forward returns, then register its class or give the loader its own override."""
    overriding = next((path for path in case.loader_files if has_override(case.sources[path])), None)
    if overriding is not None:
        report.decide("already-handled", f"{overriding} has an override already: only the entry is stale")
        return (yield from _only_the_entry(case, report))
    target = yield from first_look(case, report)
    if _unpacked(target):
        _already_unpacked(report, target)
        return (yield from _only_the_entry(case, report))
    output = target.output
    if output is None or not _fails_to_unpack(target):
        assert target.low is not None
        abort(sentence(f"The model fails in {target.low.step}, not where its output is unpacked: {target.low.error}"))
    registry = read_registry(case.sources.get(case.registry, ""))
    wrong = output["class"] in registry
    report.flavour = WRONG_HANDLER if wrong else UNHANDLED_OUTPUT
    registered = registry.get(str(output["class"])) if wrong else None
    found = unpacking(case.task, output, inputs=_inputs_of(target), registered=registered)
    choice = yield from _chosen(report, found)
    shared = yield from _shared_class(case, report, output, choice, wrong)
    if shared is not None:
        return (yield from _register(case, report, target, str(output["class"]), choice, shared))
    return (yield from _override(case, report, target, choice, str(output["class"]) if wrong else ""))


def _chosen(report: WorkflowReport, found: Unpacking) -> Steps[UnpackChoice]:
    """The only choice of the family, or the one that a person takes from several."""
    if not found.choices:
        abort(f"No tensor of the output can be the one that training starts from: {found.why}")
    if len(found.choices) == 1:
        only = found.choices[0]
        gradient = f" {only.gradient.words}" if only.gradient is not None else ""
        report.reach.append(f"{found.family or 'the output'}: {found.why}{gradient}")
        return only
    question = f"What does the training loss depend on? {found.why}"
    choice = found.choices[(yield from _asked(question, found.choices)) - 1]
    if choice.gradient is not None and choice.gradient.missing:
        report.review.append(f"with {choice.label}: {choice.gradient.words}")
    return choice


def _asked(question: str, choices: tuple[UnpackChoice, ...]) -> Steps[int]:
    number: int = yield Ask(question, tuple(_words(choice) for choice in choices))
    return number


def _words(choice: UnpackChoice) -> str:
    # What tells the choices apart comes first: a list on a narrow screen has no room for the rest.
    gradient = f"{choice.gradient.words} " if choice.gradient is not None else ""
    return f"{choice.label}: {gradient}{choice.selection.why}"


def _with_loss(case: Case, choice: UnpackChoice) -> Steps[UnpackChoice]:
    """The choice with the loss for its docstring: the known one, else the one that a person names."""
    if choice.selection.loss:
        return choice
    losses = tuple(dict.fromkeys((*losses_named(case.sources[path] for path in case.loader_files), *LOSSES)))
    question = f"Which loss reads {choice.label}? The docstring of the override states it."
    number: int = yield Ask(question, (*losses, "none that is known: the docstring says so"))
    return read_by(choice, (*losses, "")[number - 1])


def _inputs_of(target: Repro) -> Sequence[Mapping[str, Any]]:
    """The inputs that the output was produced with."""
    phases = (phase for phase in (target.low, target.full) if phase is not None and phase.output is not None)
    return next((phase.inputs for phase in phases), ())


def _shared_class(
    case: Case, report: WorkflowReport, output: Mapping[str, Any], choice: UnpackChoice, wrong: bool
) -> Steps[list[Mapping[str, Any]] | None]:
    """The loaders that return the class, if a line of the registry is the right edit. None: an override is needed.

    The registry is for a named class of which all loaders that return it use the same attribute for the loss.
    """
    name = str(output["class"])
    if wrong:
        report.decide("registry-wrong", f"the handler of {name} gives no tensor: an override replaces its line")
        return None
    if name in _BARE or not choice.attribute:
        report.decide(
            "override", f"{name} is not a class with one attribute to register: an override says what to take"
        )
        return None
    users = yield FindUsers(name)
    others = [one for one in users if one["directory"] != case.target.directory]
    named = [one for one in others if one["sureness"] != Confidence.POSSIBLE]
    own = str(output.get("module") or "").startswith(_TREE) and not _GENERIC_CLASS.fullmatch(name)
    if own and not named:
        report.decide("override", f"{name} is a class of this model alone: an override, not the registry")
        return None
    differing = [one for one in named if _takes(one, output) not in (choice.attribute, "")]
    if differing:
        names = ", ".join(f"{one['directory']} ({_takes(one, output)})" for one in differing)
        choices = (
            f"register {name} -> {choice.attribute} for all that return it",
            "override in this loader alone",
        )
        number: int = yield Ask(f"{name} is returned by models that may need another target: {names}", choices)
        if number != 1:
            report.decide("override", f"{name} means something else to others, so this loader has its own override")
            return None
    report.decide("registry", f"{name} -> {choice.attribute}: one attribute, for all that return the class")
    report.reach += [f"{one['directory']}: {one['sureness']}: {one['why']}" for one in others]
    return list(users)


def _takes(user: Mapping[str, Any], output: Mapping[str, Any]) -> str:
    """The attribute that another loader's family would take from the same output; empty if that is not settled."""
    choices = unpacking(str(user.get("task") or ""), output).choices
    return choices[0].attribute if len(choices) == 1 else ""


def _register(
    case: Case,
    report: WorkflowReport,
    target: Repro,
    name: str,
    choice: UnpackChoice,
    users: list[Mapping[str, Any]],
) -> Steps[Stage]:
    edit = register(case.sources.get(case.registry, ""), name, choice.attribute)
    if isinstance(edit, NoSite):
        abort(f"{name} cannot be registered: {edit.reason}")
    others = [typed(raw, CaseEntry) for user in users for raw in user["members"]]
    members = {member.id: member for member in (*case.scope, *others)}
    stale = [one for one in members.values() if one.directory == case.target.directory or unpack_flavour(one.reason)]
    confirmed = yield from confirm(case, report, target, lambda one: _returns(one, name), stale)
    directories = {members[id].directory for id in confirmed}
    report.reach = [
        f"{line} (confirmed by a run)" if line.partition(":")[0] in directories else line for line in report.reach
    ]
    yield from put(report, case.registry, edit)
    return (yield from _rerun(case, report, confirmed))


def _override(case: Case, report: WorkflowReport, target: Repro, choice: UnpackChoice, wrong: str) -> Steps[Stage]:
    choice = yield from _with_loss(case, choice)
    found = [
        (path, unpack_override(case.sources[path], choice.selection, path=_below(case, path)))
        for path in case.loader_files
    ]
    path, edit = next(((path, edit) for path, edit in found if isinstance(edit, SourceEdit)), found[0])
    if isinstance(edit, NoSite):
        abort(f"No override can be written: {edit.reason}")
    same = (target.output or {}).get("class")
    confirmed = yield from confirm(case, report, target, lambda one: _returns(one, str(same)))
    if wrong:
        line = unregister(case.sources[case.registry], wrong)
        if isinstance(line, NoSite):
            abort(f"The handler of {wrong} is wrong and cannot be removed: {line.reason}")
        users = yield FindUsers(wrong)
        others = [str(one["directory"]) for one in users if one["directory"] != case.target.directory]
        report.review += [f"{one} may return {wrong} too, which has no handler any more" for one in others]
        yield from put(report, case.registry, line)
    yield from put(report, path, edit)
    return (yield from _rerun(case, report, confirmed))


def _below(case: Case, path: str) -> str:
    """A path relative to the models root."""
    return str(PurePosixPath(path).relative_to(PurePosixPath(case.registry).parent))


def _rerun(case: Case, report: WorkflowReport, confirmed: dict[str, Repro]) -> Steps[Stage]:
    """Rerun with the edit: entries whose output is unpacked now, and what fails after that."""
    others = others_passing(case, report, confirmed)
    after = yield from reproduce(report, [*confirmed, *others], AFTER, "after the edit")
    if lost := broken(report, others, after):
        yield from take_back(report, lost)
        report.scope.clear()
        abort(f"With the edit {lost}. It was reverted.")
    if not after[case.id].low or _fails_to_unpack(after[case.id]):
        yield from take_back(report, "the output is still not unpacked")
        report.scope.clear()
        abort(f"With the edit the output is still not unpacked: {after[case.id].summary}. It was reverted.")
    leave_failing(report, confirmed, after, _fails_to_unpack)
    return Stage(after, confirmed, report.kept, _inference(case))


def _inference(case: Case) -> tuple[str, ...]:
    """The inference test of the target, if it has an entry."""
    twin = f"{case.id.removesuffix('training')}inference"
    return tuple(member.id for member in case.inference if member.id == twin)


def _already_unpacked(report: WorkflowReport, target: Repro) -> None:
    name = (target.output or {}).get("class")
    how = "is a tensor" if name == "Tensor" else "has a handler that gives a tensor"
    report.decide("already-handled", f"{name} {how}: only the entry is stale")


def _only_the_entry(case: Case, report: WorkflowReport) -> Steps[Stage]:
    """Nothing to edit: the device decides the entry, for all entries that share the stale reason."""
    report.scope = [one for one in case.scope if one.id == case.id or unpack_flavour(one.reason)]
    known = yield from reproduce(report, [member.id for member in report.scope], BEFORE, "as it is")
    for member in report.scope:
        if known[member.id].low is None:
            report.review.append(f"{member.id}: its CPU repro came to no result: {known[member.id].summary}")
    return Stage(known, inference=_inference(case))


def _unpacked(one: Repro) -> bool:
    return one.low is not None and one.low.unpacked is not None


def _fails_to_unpack(one: Repro) -> bool:
    return any(phase is not None and phase.step == _UNPACK for phase in (one.low, one.full))


def _returns(one: Repro, name: str) -> bool:
    return _fails_to_unpack(one) and one.output is not None and one.output.get("class") == name
