# SPDX-License-Identifier: Apache-2.0
"""The place of a call in the model: its module and source line."""

from __future__ import annotations

import linecache
import re
import sys
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import torch
from torch.fx import Node

_TORCH = str(Path(torch.__file__).parent)
_HERE = str(Path(__file__).parents[2])
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)(?:\n +(?P<code>.*))?')
_OWN = re.compile(r"^(?:L\['self'\]|L\[\"self\"\]|self)?\.?(?:_bisected\.?)?")
_PARTS = re.compile(r"\[['\"]?([^\]'\"]+)['\"]?\]")


class Place(NamedTuple):
    """The place of a call. Fields are empty if unknown."""

    module: str = ""
    """As in `named_modules`: `layers.0.attention`."""
    file: str = ""
    line: int = 0
    code: str = ""
    """Text of the line."""


def place_of(node: Node) -> Place:
    """The place of a node, from the metadata of the capture."""
    module = _module(node)
    frames = [*_FRAME.finditer(node.meta.get("stack_trace") or "")]
    own = [one for one in frames if not one["file"].startswith((_TORCH, _HERE, "<"))]
    if not own:
        return Place(module)
    last = own[-1]
    return Place(module, last["file"], int(last["line"]), (last["code"] or "").strip())


def _own_frame(frame: FrameType | None) -> FrameType | None:
    """The innermost frame outside torch and this package."""
    while frame is not None and frame.f_code.co_filename.startswith((_TORCH, _HERE, "<")):
        frame = frame.f_back
    return frame


def _module(node: Node) -> str:
    stack = node.meta.get("nn_module_stack") or {}
    paths = [str(path) for path, _ in stack.values()]
    # `L['self']._modules['layers']._modules['0'].conv` in graphs of dynamo, `_bisected.layers.0.conv` in exported ones.
    path = _OWN.sub("", paths[-1]) if paths else ""
    path = _PARTS.sub(r".\1", path.replace("._modules", "").replace("_modules[", "["))
    return path.replace("..", ".").strip(".")


class Following:
    """While active, `place` tells the current module and line of a model."""

    def __init__(self, model: Any) -> None:
        self._modules = dict(model.named_modules()) if isinstance(model, torch.nn.Module) else {}
        self._at: list[str] = []
        self._hooks: list[Any] = []

    def __enter__(self) -> Following:
        for name, module in self._modules.items():
            # Global hooks for all modules would also run for modules that are being compiled.
            self._hooks.append(module.register_forward_pre_hook(partial(self._enter, name)))
            self._hooks.append(module.register_forward_hook(self._leave, always_call=True))
        return self

    def __exit__(self, *_: object) -> None:
        for hook in self._hooks:
            hook.remove()

    def place(self) -> Place:
        """The place of the current call."""
        module = self._at[-1] if self._at else ""
        frame = _own_frame(sys._getframe(1))
        if frame is None:
            return Place(module)
        file, line = frame.f_code.co_filename, frame.f_lineno
        return Place(module, file, line, linecache.getline(file, line).strip())

    def _enter(self, name: str, *_: Any) -> None:
        self._at.append(name)

    def _leave(self, *_: Any) -> None:
        if self._at:
            self._at.pop()
