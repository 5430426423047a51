# SPDX-License-Identifier: Apache-2.0
"""The registry of output classes in upstream's `training_utils.py`, read without importing it."""

from collections.abc import Mapping

from core.triage.loader_code.edit import Edit, NoSite

REGISTRY_FILE = "training_utils.py"
"""Relative to the models root."""


def read_registry(source: str) -> Mapping[str, str | None]:
    """The attribute each output class is represented by; None: a handler of its own."""
    raise NotImplementedError


def register(source: str, output_class: str, attribute: str) -> Edit | NoSite:
    """Add `_register_attr("<class>", "<attribute>")` at its alphabetical place, whatever the case of letters.

    NoSite where the class is registered, or where names are given that are no identifiers.
    """
    raise NotImplementedError


def unregister(source: str, output_class: str) -> Edit | NoSite:
    """Take the line of `output_class` out. NoSite where there is none."""
    raise NotImplementedError
