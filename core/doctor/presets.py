# SPDX-License-Identifier: Apache-2.0
"""What is written in the objects of CI presets: keys, mark expressions, paths and machines (docs/rules.md 3.3)."""

import ast
import difflib
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.base.files import read_loosely
from core.ci import MarkerNames, covers_models, given_markers, mark_matches, names_in, problem
from core.doctor.check import Check, digits
from core.doctor.marks import MOST_NAMES, never_together, only_models, sets_of
from core.domain.model import TEST_MODULE, Finding
from core.matrix import Matrix
from core.python import parse_python
from core.sources.ci import LB_BLACKHOLE, WrittenObject, written_objects

PRESET_KEY = Check("preset-key", "a key of a CI preset that nothing reads, is written twice, or is missing")
PRESET_MARK = Check("preset-mark", "a mark expression of a CI preset that pytest rejects or that no test can fit")
PRESET_PATH = Check("preset-path", "a path of a CI preset that names no directory, file, function or test")
PRESET_MACHINE = Check("preset-machine", "a machine of a CI preset that no runner has, or that the tests refuse")

_GENERATOR = Path(".github/scripts/generate_test_matrix.py")
_SHARED_LABELS = "shared_runner_mapping"
_WORKFLOWS = Path(".github/workflows")
_GENERATES = "call-generate-matrix.yml"
_READ_KEY = re.compile(r"matrix\.build\.([\w-]+)")
_MADE_KEYS = {"group-id", "runs-on-original"}
_REQUIRED = ("name", "test-mark")
_KEYS = (
    "runs-on",
    "name",
    "dir",
    "test-mark",
    "parallel-groups",
    "shared-runners",
    "require",
    "args",
    "contains",
    "forge-models",
    "forked",
    "extra-wheel",
    "topology",
    "multihost",
)
_INCLUDE = "include"
_RUNS_TOO = (LB_BLACKHOLE,)
"""A box of p150 boards: jobs run tests of p150 on it on purpose (docs/rules.md 4.1)."""
_MOST_BYTES = 1 << 22
_CONFTEST = "conftest.py"
_OPTION = re.compile(r"(?:^|\s)(--[\w-]+)")
_ADDED = re.compile(r"\baddoption\(\s*[\"'](--[\w-]+)")
_DEFINED = r"^[ \t]*(?:async[ \t]+def|def|class)[ \t]+%s\b"


@dataclass(frozen=True)
class Presets:
    """The objects of the presets, and what they can be made of."""

    matrix: Matrix
    objects: tuple[WrittenObject, ...]
    markers: MarkerNames
    """What markers there are, beside those that upstream gives."""

    def findings(self) -> Iterator[Finding]:
        """What is wrong in single objects."""
        for one in self.objects:
            if [key.name for key in one.keys] != [_INCLUDE]:
                yield from self._keys(one)
                yield from self._mark(one)
                yield from self._paths(one)
                yield from self._machine(one)

    @cached_property
    def is_whole(self) -> bool:
        """Whether the tests of the models are here: else a part of the checkout is, and what it lacks says nothing."""
        return (self.matrix.checkout.root / TEST_MODULE).is_file()

    def finding(self, kind: str, one: WrittenObject, at: str, message: str) -> Finding:
        """A finding at a key of an object, or at the object if it lacks the key."""
        checkout = self.matrix.checkout
        return Finding(kind, message, checkout.relative(checkout.presets / one.file), *one.place(at))

    # Keys

    def _keys(self, one: WrittenObject) -> Iterator[Finding]:
        count = Counter(key.name for key in one.keys)
        for key in one.keys:
            if key.name not in self._known_keys:
                yield self.finding(PRESET_KEY.kind, one, key.name, self._unread(key.name, count))
        for name in sorted(name for name, times in count.items() if times > 1):
            yield self.finding(
                PRESET_KEY.kind, one, name, f"{name} is written {count[name]} times: the last one counts"
            )
        for name in (name for name in _REQUIRED if name not in count):
            loss = "every test of dir is selected" if name == "test-mark" else "the job has no name in GitHub"
            yield self.finding(PRESET_KEY.kind, one, "", f"{name} is missing: {loss}. Write one")
        forge = one.get("forge-models")
        if forge == "true":
            message = 'forge-models is the text "true": system packages are not installed. Write true without quotes'
            yield self.finding(PRESET_KEY.kind, one, "forge-models", message)
        elif "forge-models" in count and not isinstance(forge, bool):
            message = f"forge-models is {forge!r}, which counts as false: no --arch is given. Write true"
            yield self.finding(PRESET_KEY.kind, one, "forge-models", message)
        yield from self._options(one)

    def _options(self, one: WrittenObject) -> Iterator[Finding]:
        """Options in `args` that are like one which the tests have: pytest ends with an error."""
        args = one.get("args")
        for option in _OPTION.findall(args) if isinstance(args, str) and self._test_options else ():
            near = difflib.get_close_matches(option, self._test_options, 1, 0.85)
            if near and near[0] != option:
                message = f"pytest refuses the option {option}, so that no test runs; did you mean {near[0]}?"
                yield self.finding(PRESET_KEY.kind, one, "args", message)

    @cached_property
    def _test_options(self) -> tuple[str, ...]:
        """The options that conftests of the tests add."""
        found = (_ADDED.findall(_text(path)) for path in sorted((self.matrix.checkout.root / "tests").rglob(_CONFTEST)))
        return tuple(dict.fromkeys(option for some in found for option in some))

    def _unread(self, name: str, present: Mapping[str, int]) -> str:
        if name == _INCLUDE:
            return f"{_INCLUDE} is read only in an object without other keys. Write an object for it"
        near = [key for key in self._known_keys if _plain(key) == _plain(name)]
        near += difflib.get_close_matches(name, [key for key in self._known_keys if key not in present], 1, 0.75)
        return f"Nothing reads the key {name!r}; " + (f"did you mean {near[0]}?" if near else "remove it")

    @cached_property
    def _known_keys(self) -> tuple[str, ...]:
        """What the README of the presets lists, and what a workflow reads that has a matrix generated."""
        found = dict.fromkeys(_KEYS)
        for path in sorted((self.matrix.checkout.root / _WORKFLOWS).glob("*.y*ml")):
            text = _text(path)
            if f"uses: ./{_WORKFLOWS.as_posix()}/{_GENERATES}" in text:
                found.update(dict.fromkeys(name for name in _READ_KEY.findall(text) if name not in _MADE_KEYS))
        return tuple(found)

    # Mark expressions

    def _mark(self, one: WrittenObject) -> Iterator[Finding]:
        mark, contains = one.get("test-mark"), one.get("contains")
        marks, keywords = (text if isinstance(text, str) else "" for text in (mark, contains))
        rejected = {"test-mark": problem(marks, ""), "contains": problem("", keywords)}
        for name, reason in rejected.items():
            if reason:
                message = f"pytest rejects {name} {one.get(name)!r}, and the job fails: {reason}"
                yield self.finding(PRESET_MARK.kind, one, name, message)
                return
        if not isinstance(mark, str):
            return
        names = sorted(names_in(mark))
        for name in names:
            if name not in self._known_marks:
                yield self.finding(PRESET_MARK.kind, one, "test-mark", self._unknown_mark(name))
        dir = one.get("dir")
        free = self.matrix.flags["marker"].values
        apart = never_together(mark, free) if isinstance(dir, str) and only_models(dir) else None
        if apart is not None:
            message = (
                f"No test has both {apart[0]} and {apart[1]}, so that {apart[0]} selects nothing here."
                " Correct the names, or the parentheses"
            )
            yield self.finding(PRESET_MARK.kind, one, "test-mark", message)
        elif message := self._other_arch(mark, names, one.get("runs-on")):
            yield self.finding(PRESET_MARK.kind, one, "test-mark", message)

    def _unknown_mark(self, name: str) -> str:
        near = difflib.get_close_matches(name, sorted(self._known_marks), 3, 0.6)
        near = [one for one in near if digits(one) == digits(name)] or near
        return f"No test has the marker {name!r}" + (f"; did you mean {near[0]}?" if near else "; remove it")

    @cached_property
    def _known_marks(self) -> frozenset[str]:
        """Markers that a test has, or that pytest.ini registers."""
        entries = self.matrix.flags["marker"].values
        return frozenset({*given_markers(self.matrix.schema), *self.markers.known, *entries})

    def _other_arch(self, mark: str, names: list[str], machine: object) -> str:
        """That the expression only fits tests of another machine than the job has."""
        archs = {name: arch for arch in self.matrix.schema.archs for name in (arch, arch.replace("-", "_"))}
        if not isinstance(machine, str) or len(names) > MOST_NAMES or archs.keys().isdisjoint(names):
            return ""
        fitting = [some for some in sets_of(names) if mark_matches(mark, some)]
        for name in (name for name in names if name in archs) if fitting else ():
            if all(name in some for some in fitting) and machine in archs and machine not in (archs[name], *_RUNS_TOO):
                return f"Selects tests of {archs[name]}, but runs on {machine}: one of the two is wrong"
            if not any(name in some for some in fitting) and archs[name] == machine:
                return f"Leaves out the tests of {machine}, which is the machine it runs on"
        return ""

    # Paths

    def _paths(self, one: WrittenObject) -> Iterator[Finding]:
        paths = one.get("dir")
        for path in paths.split() if isinstance(paths, str) and self.is_whole else ():
            if problem := self._missing(path):
                yield self.finding(PRESET_PATH.kind, one, "dir", f"pytest ends with an error. {problem}")

    def _missing(self, path: str) -> str:
        """What of a path for pytest does not exist; empty: nothing that is certain."""
        where, _, rest = path.partition("::")
        root = self.matrix.checkout.root
        where = posixpath.normpath(where)
        if posixpath.isabs(where) or where.startswith("..") or "$" in where:
            return ""
        if not (root / where).exists():
            return f"There is no {where}{_hint(where, _neighbours(root, where))}"
        names = [name for name in rest.partition("[")[0].split("::") if name]
        text = _text(root / where) if names else ""
        for name in names:
            if text and not re.search(_DEFINED % re.escape(name), text, re.MULTILINE):
                defined = re.findall(_DEFINED % r"(\w+)", text, re.MULTILINE)
                return f"{where} has no {name}{_hint(name, defined)}"
        id = rest.partition("[")[2].removesuffix("]")
        if id and where == TEST_MODULE and id not in self.matrix.model_tests.rows:
            return f"There is no test {id!r}"
        return ""

    # Machines

    def _machine(self, one: WrittenObject) -> Iterator[Finding]:
        machine = one.get("runs-on")
        if not isinstance(machine, str) or not machine.strip():
            return
        labels, archs = self._shared_labels, self.matrix.schema.archs
        if labels and one.get("shared-runners") in (True, "true") and machine not in labels:
            message = (
                f"{machine} has no shared runner, so that no job of this preset starts: {_GENERATOR.name} raises."
                f" Remove shared-runners, or give {machine} a label there"
            )
            yield self.finding(PRESET_MACHINE.kind, one, "shared-runners", message)
        dir = one.get("dir")
        if isinstance(dir, str) and covers_models(dir) and self._is_wrong(machine, forge=one.get("forge-models")):
            hint = _hint(machine, archs) or f"; archs are {', '.join(archs)}"
            message = f"The tests refuse --arch {machine}, so that none of them runs{hint}"
            yield self.finding(PRESET_MACHINE.kind, one, "runs-on", message)
        elif machine not in {*labels, *archs} and self._machines[machine] == 1:
            known = [*labels, *archs, *(name for name, times in self._machines.items() if times > 1)]
            if near := [name for name in _near(machine, known) if digits(name) == digits(machine)]:
                message = f"No runner is known by the label {machine}, and no other job has it; did you mean {near[0]}?"
                yield self.finding(PRESET_MACHINE.kind, one, "runs-on", message)

    def _is_wrong(self, machine: str, forge: object) -> bool:
        """Whether tests of models cannot run on a machine. Without `forge-models`, upstream asks for the job's name."""
        if machine in self.matrix.schema.archs:
            return False
        return forge in (True, "true") or not any(one.get("forge-models") for one in self.objects)

    @cached_property
    def _machines(self) -> Counter[str]:
        return Counter(name for one in self.objects if isinstance(name := one.get("runs-on"), str))

    @cached_property
    def _shared_labels(self) -> Mapping[str, object]:
        """Machines that have shared runners, as the generator of the matrix says; empty: it cannot be read."""
        try:
            tree = parse_python(read_loosely(self.matrix.checkout.root / _GENERATOR, _MOST_BYTES).encode())
        except (OSError, SyntaxError, ValueError):
            return {}
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys)) if name == _SHARED_LABELS:
                    return {str(key.value): None for key in keys if isinstance(key, ast.Constant)}
                case _:
                    pass
        return {}


def read_presets(matrix: Matrix, markers: MarkerNames) -> Presets:
    """The presets of the checkout of `matrix`, to be looked at."""
    return Presets(matrix, tuple(written_objects(matrix.checkout)), markers)


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def _near(name: str, known: Iterable[str]) -> list[str]:
    return difflib.get_close_matches(name, dict.fromkeys(known), 3, 0.6)


def _hint(name: str, known: Iterable[str]) -> str:
    near = _near(name, known)
    return f"; did you mean {near[0]}?" if near else ""


def _neighbours(root: Path, where: str) -> list[str]:
    """What there is in the nearest directory above a path."""
    parent = posixpath.dirname(where)
    while parent and not (root / parent).is_dir():
        parent = posixpath.dirname(parent)
    try:
        return [posixpath.join(parent, one.name) for one in sorted((root / parent).iterdir())]
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return read_loosely(path, _MOST_BYTES)
    except (OSError, ValueError):
        return ""
