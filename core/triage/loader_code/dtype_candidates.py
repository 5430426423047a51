# SPDX-License-Identifier: Apache-2.0
"""The edits that may mend a dtype, the likeliest first: where several inputs are float32, a run shows which it is."""

from collections.abc import Iterator
from dataclasses import replace

from core.triage.loader_code.dtype_site import dtype_site
from core.triage.loader_code.edit import Edit, NoSite
from core.triage.loader_code.symptom import Symptom

MOST = 4


def dtype_candidates(source: str, symptom: Symptom, *, variant: str = "") -> tuple[tuple[Edit, ...], str]:
    """At most `MOST` different edits, each to be tried by itself, and why there is none for all that `symptom` names.

    First one for the inputs that the error names, then one for all that are float32, then one for each of these.
    """
    found: dict[str, Edit] = {}
    why = ""
    for number, leaves in enumerate(_subsets(symptom)):
        one = dtype_site(source, replace(symptom, leaves=leaves), variant=variant)
        if isinstance(one, NoSite):
            why = why or (one.reason if number == 0 else "")
        else:
            found.setdefault(one.after, one)
    return tuple(found.values())[:MOST], why


def _subsets(symptom: Symptom) -> Iterator[tuple[str, ...]]:
    yield symptom.leaves
    yield symptom.floats or symptom.leaves
    yield from ((leaf,) for leaf in symptom.floats)
