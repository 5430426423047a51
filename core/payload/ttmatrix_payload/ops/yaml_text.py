# SPDX-License-Identifier: Apache-2.0
"""Parse text into YAML nodes, within limits, with the YAML library that is installed."""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .cases import Problem
from .nodes import Node

_MOST_DEPTH = 48
_MOST_NODES = 2_000_000
"""Most nodes of a text, counting repetitions by aliases."""
_MOST_RETRIED = 2**17
"""Most characters given to a slow parser: one second of work."""
_ALIAS = re.compile(r"(?:^|[\s\[{,:-])\*[^\s,\[\]{}*]", re.MULTILINE)
_LINE = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")


class NotLoaded(Exception):
    """The text has no node tree, or one that exceeds the limits."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.problem = Problem(message, line, column)


def decode(data: bytes) -> str:
    """The text of a manifest: UTF-8, with or without a byte order mark. Raises NotLoaded."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        raise NotLoaded(f"is not UTF-8 text: byte 0x{data[error.start]:02x}", line, column) from None


def compose(text: str) -> Node | None:
    """The node tree of the one document in `text`; None for an empty one. Raises NotLoaded."""
    library = _library()
    try:
        node = _tree(library.loader(text))
    except library.error as error:
        if library.retry is None or len(text) > _MOST_RETRIED:
            raise _not_loaded(error, text) from None
        node = _retry(library.retry, library.error, text)
    except RecursionError:
        raise NotLoaded(f"nests more than {_MOST_DEPTH} deep") from None
    if node is not None and "*" in text and _ALIAS.search(text):
        _Counted().size(node)
    return node


def _tree(loader: Any) -> Node | None:
    try:
        node: Node | None = loader.get_single_node()
        if loader.tagged:
            _refuse_tags(node)
    finally:
        loader.dispose()
    return node


def _retry(compose_slowly: Callable[[str], Node | None], yaml_error: type[Exception], text: str) -> Node | None:
    try:
        node = compose_slowly(text)
        _refuse_surrogates(node)
    except yaml_error as error:
        raise _not_loaded(error, text) from None
    except RecursionError:
        raise NotLoaded(f"nests more than {_MOST_DEPTH} deep") from None
    return node


def _refuse_surrogates(node: Node | None) -> None:
    """Raise NotLoaded at a lone surrogate, which an escape can produce with the slow parser."""
    open_nodes, seen = [node], set[int]()
    while open_nodes:
        one = open_nodes.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if one.id == "scalar" and any("\ud800" <= letter <= "\udfff" for letter in one.value):
            mark = one.start_mark
            raise NotLoaded("is not YAML: an escape is no character", mark.line + 1, mark.column + 1)
        open_nodes.extend(reversed(_children(one)))


def _not_loaded(error: Any, text: str) -> NotLoaded:
    mark = getattr(error, "problem_mark", None)
    if mark is not None:
        message = str(getattr(error, "problem", None) or error)
        if getattr(error, "context", None):
            message = f"{message} ({error.context})"
        return NotLoaded(f"is not YAML: {message}", mark.line + 1, mark.column + 1)
    position = getattr(error, "position", None)
    if isinstance(position, int):
        # A character that YAML does not allow: its place must be computed here.
        ends = [match.end() for match in _LINE.finditer(text, 0, position)]
        return NotLoaded(f"is not YAML: {error.reason}", len(ends) + 1, position - (ends[-1] if ends else 0) + 1)
    return NotLoaded(f"is not YAML: {str(error).splitlines()[0] if str(error) else type(error).__name__}")


def _refuse_tags(node: Node | None) -> None:
    """Raise NotLoaded at the first explicit tag."""
    open_nodes, seen = [node], set[int]()
    while open_nodes:
        one = open_nodes.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        if one.tag:
            mark = one.start_mark
            raise NotLoaded(f"the tag {str(one.tag)[:60]} is not allowed", mark.line + 1, mark.column + 1)
        open_nodes.extend(reversed(_children(one)))


class _Library(NamedTuple):
    """A YAML library: how it composes, which errors it raises, and what to do if it cannot read valid YAML."""

    loader: Callable[[str], Any]
    error: type[Exception]
    retry: Callable[[str], Node | None] | None


@functools.lru_cache(maxsize=1)
def _library() -> _Library:
    """The installed library. Raises ImportError if there is none."""
    try:
        return _pyyaml()
    except ImportError:
        return _ruamel()


def _pyyaml() -> _Library:
    yaml: Any = importlib.import_module("yaml")
    return _Library(_loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)), yaml.YAMLError, None)


def _ruamel() -> _Library:
    """ruamel.yaml. Its C library is from 2016 and refuses `{device: cuda:0}`, which its slow parser reads."""
    ruamel: Any = importlib.import_module("ruamel.yaml")
    module: Any = importlib.import_module("ruamel.yaml.cyaml")
    error: Any = importlib.import_module("ruamel.yaml.error")
    return _Library(
        _loader(module.CSafeLoader), error.YAMLError, lambda text: ruamel.YAML(typ="safe", pure=True).compose(text)
    )


def _loader(base: Any) -> Any:
    class Loader(base):  # type: ignore[misc]
        """Does not resolve scalar types, which is slow: a node has a tag only if one is written. Counts depth."""

        def __init__(self, text: str) -> None:
            super().__init__(text)
            self._depth = 0
            self._written = 0

        @property
        def tagged(self) -> bool:
            """Whether any node has an explicit tag."""
            return self._written > 0

        def descend_resolver(self, _node: object, _index: object) -> None:
            self._depth += 1
            self._written += 1
            if self._depth > _MOST_DEPTH:
                raise RecursionError

        def ascend_resolver(self) -> None:
            self._depth -= 1

        def resolve(self, *_: object) -> str:
            self._written -= 1
            return ""

    return Loader


class _Counted:
    """Counts nodes as often as aliases repeat them."""

    def __init__(self) -> None:
        self._known: dict[int, int] = {}

    def size(self, node: Node) -> int:
        """The number of nodes from `node` on. Raises NotLoaded for too many, or for a node inside itself."""
        known = self._known.get(id(node))
        mark = node.start_mark
        if known == 0:
            raise NotLoaded("an alias refers to itself", mark.line + 1, mark.column + 1)
        if known is not None:
            return known
        self._known[id(node)] = 0
        size = 1 + sum(map(self.size, _children(node)))
        if size > _MOST_NODES:
            raise NotLoaded(f"its aliases make more than {_MOST_NODES:,} values of it", mark.line + 1, mark.column + 1)
        self._known[id(node)] = size
        return size


def _children(node: Node) -> list[Node]:
    if node.id == "mapping":
        return [one for pair in node.value for one in pair]
    return list(node.value) if node.id == "sequence" else []
