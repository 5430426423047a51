# SPDX-License-Identifier: Apache-2.0
"""Find the one place where a loader makes a tensor that ignores `dtype_override`, and fix it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import libcst as cst

from core.workflows.loader_code.analysis import (
    OVERRIDE,
    UNAWARE,
    Bindings,
    Code,
    Followed,
    Frame,
    Made,
    Nature,
    NoSite,
    Origin,
    Place,
    Spot,
    Symptom,
    Tracer,
    distinct,
    dotted,
    made_by,
    member_of,
    nodes,
    outermost,
    parameters,
    parsed,
    path_of,
    returned_at,
    returned_by,
    sisters,
    spoken_name,
)
from core.workflows.loader_code.edits.cast import cast_edit
from core.workflows.loader_code.edits.edit import EditKind, SourceEdit
from core.workflows.loader_code.edits.syntax import add_argument


def shared_site(code: Code, function: cst.FunctionDef, cls: str, member: str, symptom: Symptom) -> SourceEdit | None:
    """A cast that all float32 inputs pass and no other value does; None if there is no such place."""

    def followed(leaf: str, kind: Followed) -> list[Origin]:
        return Tracer(code).returned(outermost(function, cls, member, kind), path_of(leaf))

    leaves = [followed(leaf, Followed.FLOATS) for leaf in symptom.leaves]
    ways = [origin for origins in leaves for origin in origins if origin.nature in UNAWARE]
    if len(leaves) < 2 or not all(_is_plain(origins) for origins in leaves):
        return None
    barred = [origin for leaf, kind in symptom.others for origin in followed(leaf, kind)]
    common = [place for place in ways[0].places if place.shared and all(_passes(way, place) for way in ways)]
    for place in reversed(common):
        free = place.frame.aware and not any(_passes(way, place) for way in barred)
        if free and (edit := cast_edit(code, place, ", ".join(symptom.leaves))) is not None:
            return edit
    return None


def _is_plain(origins: list[Origin]) -> bool:
    """Whether there is something to fix and no origin is decided case by case."""
    natures = {origin.nature for origin in origins}
    return bool(natures & UNAWARE) and Nature.CHOSEN not in natures


def _passes(way: Origin, place: Place) -> bool:
    return any(place.same(other) for other in way.places)


def dtype_site(
    source: str,
    symptom: Symptom,
    *,
    cls: str = "ModelLoader",
    method: str = "load_inputs",
    variant: str = "",
    alone: bool = False,
) -> SourceEdit | NoSite:
    """`dtype=dtype_override` on the constructor of the tensor that `symptom` points to, else one guarded cast.

    An input is followed from what `method` of class `cls` returns back to where it is made: through local variables,
    literals and updates of dictionaries, branches, comprehensions, methods and functions of the same file. Without
    an input, the lines of the traceback decide; without these, what `load_model` makes. A model of which no weight
    follows the override is cast itself, traced in the same way from `load_model`. `variant` is the value of the
    variant that failed: its own branch counts where several contradict each other, and those with a return of the same
    form are edited like it, unless `alone`. NoSite where the signature has no `dtype_override`, where the tensor is no
    floating-point one or already follows the override, and where several places would have to change. Raises
    TTMatrixError where the file is no Python.
    """
    code = parsed(source)
    member = member_of(code, variant)
    if symptom.all_of_the_model and isinstance(found := _of_weights(code, cls, member), SourceEdit):
        return found
    if symptom.leaves:
        function = code.method(cls, method)
        if function is None:
            return NoSite(f"{cls} has no {method} in this file")
        if OVERRIDE not in {one.name.value for one in parameters(function)}:
            return NoSite(f"{method} takes no {OVERRIDE}")
        # An edit that fixes every variant is worth more than one in the branch of the variant that failed.
        edits = [_of_leaf(code, leaf, function, cls, "") for leaf in symptom.leaves]
        branch = bool(member) and any(isinstance(one, NoSite) for one in edits)
        if branch:
            edits = [_of_leaf(code, leaf, function, cls, member) for leaf in symptom.leaves]
        if len({one.after if isinstance(one, SourceEdit) else one for one in edits}) == 1:
            first = edits[0]
            if not branch or alone or isinstance(first, NoSite):
                return first
            return _in_sisters(first, symptom.leaves[0], cls, method, variant)
        return shared_site(code, function, cls, member, symptom) or _several(edits, symptom.leaves)
    for line in reversed(symptom.lines):
        found = _of_line(code, line, cls)
        if isinstance(found, SourceEdit):
            return found
    made = _of_model(code, cls)
    return _of_weights(code, cls, member) if isinstance(made, NoSite) and symptom.part_of_the_model else made


def _several(found: Sequence[SourceEdit | NoSite], leaves: Sequence[str]) -> NoSite:
    """Why the leaves cannot be fixed at once."""
    if not any(isinstance(one, SourceEdit) for one in found):
        return NoSite("; ".join(one.reason for one in found if isinstance(one, NoSite)))
    said = (one.reason if isinstance(one, NoSite) else f"line {one.line}" for one in found)
    each = "; ".join(f"{leaf}: {what}" for leaf, what in zip(leaves, said, strict=True))
    return NoSite(f"several inputs would have to change: {each}")


def _of_leaf(code: Code, leaf: str, function: cst.FunctionDef, cls: str, member: str) -> SourceEdit | NoSite:
    frame = outermost(function, cls, member)
    return _fixed(code, Tracer(code).returned(frame, path_of(leaf)), leaf)


def _in_sisters(first: SourceEdit, leaf: str, cls: str, method: str, variant: str) -> SourceEdit:
    """`first`, and the same edit where a return of the same form is reached by other variants."""
    found = returned_by(parsed(first.before), cls, method, variant, ())
    edit, count = first, 1
    for sister in () if isinstance(found, NoSite) else sisters(found):
        code, name = parsed(edit.after), sister.name(leaf)
        there = returned_at(code, cls, method, sister.number, ())
        spot = Spot(there.frame, there.statement, path_of(name), {}, Bindings(), ())
        more = _fixed(code, Tracer(code).follow(there.value, spot, end=True), leaf) if name else None
        if isinstance(more, SourceEdit) and more.summary == first.summary:
            edit, count = edit.then(more), count + 1
    if count == 1:
        return first
    return replace(edit, line=first.line, summary=f"{first.summary}, in {count} branches of the same form")


def _fixed(code: Code, origins: Sequence[Origin], what: str) -> SourceEdit | NoSite:
    """The edit for a tensor that may come from any of `origins`."""
    unaware = [one for one in origins if one.nature in UNAWARE]
    # Code that receives the override and still makes another dtype can only be cast after it.
    unaware = unaware or [one for one in origins if one.nature is Nature.PASSED]
    if not origins:
        return NoSite(f"{what} is not found in what is returned")
    if (chosen := next((one for one in origins if one.nature is Nature.CHOSEN), None)) is not None:
        return NoSite(f"line {code.line(chosen.node)} decides case by case whether {what} follows {OVERRIDE}")
    if not unaware:
        return NoSite(_settled(code, origins, what))
    if len(distinct(unaware)) == 1 and (edit := _with_override(code, unaware[0], what)) is not None:
        return edit
    for place in reversed(_common_places(unaware)):
        if place.frame.aware and (edit := cast_edit(code, place, what)) is not None:
            return edit
    return NoSite(f"{what} has no name to cast it by (line {code.line(unaware[0].node)})")


def _settled(code: Code, origins: Sequence[Origin], what: str) -> str:
    follows = [code.line(one.node) for one in origins if one.nature is Nature.AWARE]
    if follows:
        return f"{what} follows {OVERRIDE} already (line {follows[0]})"
    return f"{what} is made of integers (line {code.line(origins[0].node)})"


def _with_override(code: Code, origin: Origin, what: str) -> SourceEdit | None:
    """`dtype=dtype_override` on a constructor."""
    call = origin.node
    if origin.nature is not Nature.UNTOLD or not isinstance(call, cst.Call):
        return None
    name = spoken_name(origin.frame, code, call)
    if not name or _inside_other_function(code, origin) or any(_keyword(arg) == "dtype" for arg in call.args):
        return None
    splice = add_argument(code, call, f"dtype={name}")
    summary = f"make {what} by {dotted(call.func) or 'its constructor'} in {OVERRIDE}"
    return SourceEdit(EditKind.CONSTRUCTOR, code.line(call), summary, code.source, code.spliced([splice]))


def _inside_other_function(code: Code, origin: Origin) -> bool:
    """Whether the constructor is evaluated outside the function that has the override: as a default value."""
    around = next((one for one in code.above(origin.node) if isinstance(one, cst.FunctionDef)), None)
    return around is not origin.frame.function


def _keyword(arg: cst.Arg) -> str:
    return arg.keyword.value if arg.keyword is not None else ""


def _common_places(origins: Sequence[Origin]) -> list[Place]:
    """The places that all of `origins` pass, the last first."""
    common, *others = ([place for place in origin.places if not place.shared] for origin in origins)
    for other in others:
        both = zip(common, other, strict=False)
        same = [mine.same(theirs) for mine, theirs in both]
        common = common[: same.index(False) if False in same else len(same)]
    return common


def _of_line(code: Code, line: int, cls: str) -> SourceEdit | NoSite:
    """The edit of the one constructor that a tensor on `line` comes from and that takes a dtype."""
    for function, owner in _functions(code):
        frame = outermost(function, owner or cls)
        if code.line(function) <= line <= code.last_line(function) and frame.aware:
            return _only_constructor(code, _made_on(code, frame, line), f"on line {line}")
    return NoSite(f"line {line} is in no function that takes {OVERRIDE}")


def _of_weights(code: Code, cls: str, member: str) -> SourceEdit | NoSite:
    """A cast of the whole model that `load_model` returns."""
    function = _load_model(code, cls)
    if isinstance(function, NoSite):
        return function
    return _fixed(code, Tracer(code).returned(outermost(function, cls, member), ()), "the model")


def _load_model(code: Code, cls: str) -> cst.FunctionDef | NoSite:
    function = code.method(cls, "load_model")
    if function is None or OVERRIDE not in {one.name.value for one in parameters(function)}:
        return NoSite(f"no input is float32, and there is no load_model that takes {OVERRIDE} in this file")
    return function


def _of_model(code: Code, cls: str) -> SourceEdit | NoSite:
    """The edit of the one floating-point constructor of `load_model` without a dtype."""
    function = _load_model(code, cls)
    if isinstance(function, NoSite):
        return function
    frame = outermost(function, cls)
    made = [one for one in nodes(function.body) if isinstance(one, cst.Call) and made_by(one) is Made.FLOATS]
    return _only_constructor(code, (Origin(Nature.UNTOLD, one, frame, ()) for one in made), "in load_model")


def _only_constructor(code: Code, origins: Iterable[Origin], where: str) -> SourceEdit | NoSite:
    edits = {edit for one in origins if (edit := _with_override(code, one, "a tensor")) is not None}
    if len(edits) == 1:
        return edits.pop()
    lines = ", ".join(str(line) for line in sorted(edit.line for edit in edits))
    if edits:
        return NoSite(f"several constructors {where} could take {OVERRIDE}: lines {lines}")
    return NoSite(f"nothing {where} is made by a constructor that could take {OVERRIDE}")


def _made_on(code: Code, frame: Frame, line: int) -> Iterator[Origin]:
    """The origins of the tensors that are read on `line`."""
    for node in nodes(frame.function.body):
        if isinstance(node, cst.Name | cst.Call) and code.line(node) <= line <= code.last_line(code.statement(node)):
            statement = code.statement(node)
            if isinstance(statement, cst.SimpleStatementLine) or code.line(node) == line:
                yield from Tracer(code).follow(node, Spot(frame, statement, (), {}, Bindings(), ()))


def _functions(code: Code) -> Iterator[tuple[cst.FunctionDef, str]]:
    """The functions of the file, each with the class whose method it is."""
    for function in code.functions.values():
        yield function, ""
    for name, found in code.classes.items():
        yield from ((one, name) for one in found.body.body if isinstance(one, cst.FunctionDef))


MOST = 4


def dtype_candidates(source: str, symptom: Symptom, *, variant: str = "") -> tuple[tuple[SourceEdit, ...], str]:
    """At most `MOST` different edits to try one at a time, and why no edit covers all that `symptom` names.

    In order: the inputs that the error names, all float32 inputs, each of these alone; each first with the branches of
    other variants, then without.
    """
    found: dict[str, SourceEdit] = {}
    why = ""
    for number, leaves in enumerate(_subsets(symptom)):
        for alone in (False, True):
            one = dtype_site(source, replace(symptom, leaves=leaves), variant=variant, alone=alone)
            if isinstance(one, NoSite):
                why = why or (one.reason if number == 0 else "")
            else:
                found.setdefault(one.after, one)
    return tuple(found.values())[:MOST], why


def _subsets(symptom: Symptom) -> Iterator[tuple[str, ...]]:
    yield symptom.leaves
    yield symptom.floats or symptom.leaves
    yield from ((leaf,) for leaf in symptom.floats)
