# SPDX-License-Identifier: Apache-2.0
"""Expressions by which `load_inputs` can read the model's configuration."""

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from core.workflows.loader_code.analysis import Code, Returned, dotted, nodes, returns

_TOKEN = "decoder_start_token_id"
_CONFIG = "config"


@dataclass(frozen=True, slots=True)
class Start:
    """The token that a decoder starts with, as the CPU repro saw it."""

    holder: str
    """Attribute of the model that has it: `config` or `generation_config`."""
    token: int | None
    """None: it differs between the variants that the edit is for."""


def start_token(code: Code, cls: str, found: Returned, start: Start) -> str:
    """An expression for the token at the return: from the configuration or the model, else its value; empty: none."""
    for name, call in _called(found.frame.function):
        if not found.has_local(name):
            continue
        if start.holder == _CONFIG and call.endswith("Config.from_pretrained"):
            return f"{name}.{_TOKEN}"
        if call == "self.load_model":
            return f"{name}.{start.holder}.{_TOKEN}"
    if model := _kept_model(code, cls):
        return f"{model}.{start.holder}.{_TOKEN}"
    return "" if start.token is None else str(start.token)


def _called(function: cst.FunctionDef) -> Iterator[tuple[str, str]]:
    """Local variables that are assigned from a call, each with the name of the called function."""
    for node in nodes(function):
        match node:
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Call(func=func)):
                yield name, dotted(func)


def _kept_model(code: Code, cls: str) -> str:
    """The attribute in which `load_model` stores its result: `self.model`; empty if it stores none."""
    function = code.method(cls, "load_model")
    if function is None:
        return ""
    values = {dotted(value) for _, value in returns(function)}
    names = {_attribute(function, value) for value in values}
    return names.pop() if len(names) == 1 else ""


def _attribute(function: cst.FunctionDef, value: str) -> str:
    if value.startswith("self."):
        return value
    for node in nodes(function):
        match node:
            case cst.Assign(targets=targets, value=cst.Name(value=name)) if name == value:
                found = [dotted(one.target) for one in targets]
                if spoken := next((one for one in found if one.startswith("self.")), ""):
                    return spoken
    return ""
