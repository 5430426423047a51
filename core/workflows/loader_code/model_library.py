# SPDX-License-Identifier: Apache-2.0
"""An installed transformers, read without importing it: the output classes that each model class returns."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path

from core.base.files import read_loosely

_CLASS = re.compile(r"^class (\w+)\(([^)]*)\)", re.MULTILINE)
_END = re.compile(r"^(?:class |def |@|__all__)", re.MULTILINE)
_FORWARD = re.compile(r"^    def forward\((.*?)(?=^    (?:def |@)|\Z)", re.MULTILINE | re.DOTALL)
_ANNOTATION = re.compile(r"\)\s*->\s*([^\n]*):\s*$", re.MULTILINE)
_MADE = re.compile(r"return (\w*Output\w*)\(")
_OUTPUT = re.compile(r"\w*Output\w*")
_MAPPING = re.compile(r"^class (_?Auto\w+)\(.*\n\s+_model_mapping = (\w+)$", re.MULTILINE)
_PAIR = re.compile(r'\(\s*"([\w.-]+)",\s*(?:"(\w+)"|\(([^)]*)\))')
_MOST_BASES = 8


class ModelLibrary:
    """The package in a directory; every question that it does not settle gets None."""

    name = "transformers"

    def __init__(self, package: Path) -> None:
        self._package = package

    @classmethod
    def beside(cls, python: Path) -> "ModelLibrary | None":
        """The library of the virtual environment of `python`; None if it has none, or is no such environment."""
        found = sorted(python.parent.parent.glob(f"lib/python3*/site-packages/{cls.name}"))
        return cls(found[0]) if found else None

    def returned_by(self, name: str, about: str) -> frozenset[str] | None:
        """The output classes of model class `name`; of an Auto class, those of the models that `about` mentions.

        `about` is `mentioned_by` of the loader.
        """
        if name not in self._mappings:
            return self._outputs(name)
        classes = list(self._candidates(name, about))
        found = [self._outputs(one) for one in classes]
        known = [one for one in found if one is not None]
        return frozenset().union(*known) if known and len(known) == len(found) else None

    def _candidates(self, auto: str, about: str) -> Iterator[str]:
        block = re.search(
            rf"^{self._mappings[auto]}_NAMES = OrderedDict\((.*?)^\)", self._auto, re.MULTILINE | re.DOTALL
        )
        for kind, single, several in _PAIR.findall(block[1] if block else ""):
            if normal(kind) in about:
                yield from [single] if single else re.findall(r"\w+", several)

    def _outputs(self, name: str, left: int = _MOST_BASES) -> frozenset[str] | None:
        """Output classes by the annotation of forward and what it makes, or by the first base that has a forward."""
        if name not in self._classes or not left:
            return None
        path, bases = self._classes[name]
        body = _body(read_loosely(path), name)
        if (forward := _FORWARD.search(body)) is not None:
            annotation = _ANNOTATION.search(forward[1])
            said = _OUTPUT.findall(annotation[1]) if annotation else []
            # The annotation may be the one of a base: what forward makes counts as well.
            return frozenset([*said, *_MADE.findall(forward[1])]) or None
        found = (self._outputs(base, left - 1) for base in re.findall(r"\w+", bases))
        return next((one for one in found if one is not None), None)

    @cached_property
    def _classes(self) -> Mapping[str, tuple[Path, str]]:
        """Every model class with its file and its bases."""
        files = sorted(self._package.glob("models/*/modeling_*.py"))
        return {name: (path, bases) for path in files for name, bases in _CLASS.findall(read_loosely(path))}

    @cached_property
    def _auto(self) -> str:
        path = self._package / "models/auto/modeling_auto.py"
        return read_loosely(path) if path.is_file() else ""

    @cached_property
    def _mappings(self) -> Mapping[str, str]:
        """The table that each Auto class picks from."""
        return dict(_MAPPING.findall(self._auto))


def normal(name: str) -> str:
    """A name without differences of spelling: `Qwen3_VL` and `qwen-3-vl` become the same."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def mentioned_by(directory: str, source: str) -> str:
    """The normalised names a loader mentions: its directory, and the weight repositories in its code."""
    return " ".join(map(normal, (directory, *re.findall(r"[\"']([\w.-]+/[\w.-]+)[\"']", source))))


def _body(text: str, name: str) -> str:
    start = re.search(rf"^class {name}\(", text, re.MULTILINE)
    if start is None:
        return ""
    end = _END.search(text, start.end())
    return text[start.end() : end.start() if end else len(text)]
