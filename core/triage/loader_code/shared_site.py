# SPDX-License-Identifier: Apache-2.0
"""Where one cast is enough for several inputs: at an expression that a loop evaluates for each of them."""

import libcst as cst

from core.triage.loader_code.cast import cast_edit
from core.triage.loader_code.code import Code
from core.triage.loader_code.edit import Edit
from core.triage.loader_code.frames import Followed, outermost
from core.triage.loader_code.origin import UNAWARE, Nature, Origin, Place
from core.triage.loader_code.symptom import Symptom, path_of
from core.triage.loader_code.tracer import Tracer


def shared_site(code: Code, function: cst.FunctionDef, cls: str, member: str, symptom: Symptom) -> Edit | None:
    """A cast that all float32 inputs pass and nothing that is no floating-point tensor; None: there is none."""

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
    """Whether there is something to mend, and nothing that is decided case by case."""
    natures = {origin.nature for origin in origins}
    return bool(natures & UNAWARE) and Nature.CHOSEN not in natures


def _passes(way: Origin, place: Place) -> bool:
    return any(place.same(other) for other in way.places)
