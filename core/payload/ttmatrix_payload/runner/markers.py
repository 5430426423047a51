# SPDX-License-Identifier: Apache-2.0
"""The markers of tests, and their meanings (docs/rules.md 3.1)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from .expectations import ARCHS, BRINGUP_STATUSES, STATUSES, Expectation
from .parameters import LLM, PLACEHOLDER, Case

_EVERY = ("model_test", "no_auto_properties", "parametrize")
_SCHEDULES = ("nightly", "weekly")
_NIGHTLY_GROUPS = ("red", "priority")
_MARKED_GROUPS = ("red", "generality", "vulcan")
_DEFAULT_ARCHS = ("n150", "p150")


def marker_names(case: Case, expectation: Expectation) -> tuple[str, ...]:
    """The markers of a test that is not excluded, without duplicates."""
    group = case.model.group if case.model else None
    return _marker_names(case.function, case.mode, case.parallelism, group, expectation)


@cache
def _marker_names(
    function: str, mode: str, parallelism: str, group: str | None, expectation: Expectation
) -> tuple[str, ...]:
    if function == PLACEHOLDER:
        return (*_EVERY, "placeholder")
    archs = expectation.supported_archs or _DEFAULT_ARCHS
    bringup = expectation.bringup_status
    names = [*_EVERY, *(("llm",) if function == LLM else ()), mode, parallelism, expectation.status.lower()]
    names += [*expectation.markers, *_group_names(group, expectation.markers)]
    names += [*((bringup.lower(),) if bringup else ()), *archs, *(arch.replace("-", "_") for arch in archs)]
    return tuple(dict.fromkeys(names))


def _group_names(group: str | None, own: tuple[str, ...]) -> Iterator[str]:
    if group is None:
        return
    if group in _MARKED_GROUPS:
        yield group
    if not set(own) & set(_SCHEDULES):
        yield "nightly" if group in _NIGHTLY_GROUPS else "weekly"


def known_markers() -> Iterator[str]:
    """Every marker that is not an entry's own, to be registered, as pytest's `name: meaning`."""
    groups = {
        "a model of the matrix": ("model_test", "no_auto_properties"),
        "a language model, one phase of it": ("llm", "llm_decode", "llm_prefill"),
        "a model without a loader": ("placeholder",),
        "what runs": ("inference", "training"),
        "how the model is spread": ("single_device", "data_parallel", "tensor_parallel"),
        "what the entry expects": tuple(one.lower() for one in STATUSES),
        "how far the model gets": tuple(one.lower() for one in BRINGUP_STATUSES),
        "the model's group": _MARKED_GROUPS,
        "how often CI runs it": _SCHEDULES,
        "an arch it is meant for": (*ARCHS, *(one.replace("-", "_") for one in ARCHS if "-" in one)),
    }
    return (f"{name}: {meaning}" for meaning, names in groups.items() for name in names)
