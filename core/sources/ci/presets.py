# SPDX-License-Identifier: Apache-2.0
"""The CI matrix presets: the pytest calls in each preset file, with includes expanded (docs/rules.md 3.3)."""

import json
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from core.base.errors import TTMatrixError
from core.base.files import read_text
from core.base.text import CONFLICT, conflict_line
from core.domain.model import Finding
from core.sources.checkout import Checkout
from core.sources.git import Git

_INCLUDE = "include"
_MOST_GROUPS = 256
"""GitHub allows no matrix with more jobs."""


@dataclass(frozen=True, slots=True)
class Job:
    """One object of a preset file: one pytest call on one kind of machine, in `parallel_groups` copies."""

    file: str
    """The preset file that holds the object, relative to the directory of presets."""
    index: int
    """Position of the object in that file, from 0; includes count as one."""
    name: str
    runs_on: str
    dir: str
    """Paths and `file::function` parts given to pytest, with spaces between them."""
    test_mark: str = ""
    """The `-m` expression; empty: none."""
    contains: str = ""
    """The `-k` expression; empty: none."""
    args: str = ""
    """Further arguments for pytest."""
    parallel_groups: int = 1
    shared_runners: bool = False
    forge_models: bool = False
    forked: bool = False
    require: str = ""
    extra_wheel: str = ""
    topology: str = ""
    multihost: bool = False

    @property
    def arch(self) -> str | None:
        """The `--arch` of the call: only jobs of forge models have one, that of the requested machine."""
        return self.runs_on if self.forge_models else None

    @property
    def force_run(self) -> bool:
        """Whether tests marked NOT_SUPPORTED_SKIP are run anyway."""
        return "--force-run" in self.args.split()


@dataclass(frozen=True, slots=True)
class Preset:
    """One preset file with its jobs in the order of the generated matrix, those of included files in place."""

    file: str
    jobs: tuple[Job, ...]


def read_presets(checkout: Checkout) -> tuple[tuple[Preset, ...], tuple[Finding, ...]]:
    """Every preset of the checkout, by name. A mistake in one is a finding, and the rest of the file is used."""
    reader = _Reader(checkout, lambda name: read_text(checkout.presets / name))
    names = sorted(path.name for path in checkout.presets.glob("*.json"))
    presets = tuple(Preset(name, tuple(reader.jobs(name, ()))) for name in names)
    return presets, tuple(dict.fromkeys(reader.findings))


def presets_at(checkout: Checkout, commit: str) -> tuple[Preset, ...] | None:
    """Every preset at a commit, by name, without its mistakes; None: the clone does not have the commit."""
    git = Git(checkout.root)
    if not commit or not git.has(commit):
        return None
    directory = checkout.relative(checkout.presets)
    blobs = {path: blob for path, blob in git.files(commit, directory).items() if path.endswith(".json")}
    contents = dict(git.blobs(blobs.values()))
    texts = {path.removeprefix(f"{directory}/"): contents.get(blob) or b"" for path, blob in blobs.items()}

    def text(name: str) -> str:
        try:
            return texts[name].decode()
        except (KeyError, UnicodeDecodeError) as error:
            raise TTMatrixError(f"Cannot read {name}") from error

    reader = _Reader(checkout, text)
    return tuple(Preset(name, tuple(reader.jobs(name, ()))) for name in sorted(texts) if "/" not in name)


@dataclass(slots=True)
class _Reader:
    """Reads each file at most once, and follows includes."""

    checkout: Checkout
    text: Callable[[str], str]
    """The text of a file, by its path below the directory of presets. Raises TTMatrixError."""
    findings: list[Finding] = field(default_factory=list)
    _objects: dict[str, list[object]] = field(default_factory=dict)

    def jobs(self, name: str, including: tuple[str, ...]) -> Iterator[Job]:
        """The jobs of file `name`; `including` are the files that include it, outermost first."""
        for index, item in enumerate(self._read(name)):
            if isinstance(item, dict) and list(item) == [_INCLUDE]:
                yield from self._included(name, item[_INCLUDE], (*including, name))
                continue
            job = _job(name, index, item)
            if isinstance(job, Job):
                yield job
            else:
                self._find(name, f"Object {index} is left out: {job}")

    def _included(self, name: str, files: object, including: tuple[str, ...]) -> Iterator[Job]:
        if not isinstance(files, list) or not all(isinstance(file, str) for file in files):
            self._find(name, f"{_INCLUDE} must be a list of file names")
            return
        for file in files:
            included = posixpath.normpath(PurePosixPath(name).parent / file)
            if included.startswith(("/", "../")):
                self._find(name, f"Includes {file}, which is not a preset of this checkout")
            elif included in including:
                self._find(name, f"Includes itself: {' > '.join((*including, included))}")
            else:
                yield from self.jobs(included, including)

    def _read(self, name: str) -> list[object]:
        if name not in self._objects:
            self._objects[name] = self._parse(name)
        return self._objects[name]

    def _parse(self, name: str) -> list[object]:
        try:
            text = self.text(name)
        except TTMatrixError as error:
            self._find(name, ": ".join(filter(None, (error.title, error.detail))))
            return []
        try:
            document = json.loads(text)
        except (ValueError, RecursionError) as error:
            if line := conflict_line(text):
                self._find(name, CONFLICT, line)
            else:
                self._find(name, f"Not JSON: {error}", getattr(error, "lineno", 0), getattr(error, "colno", 0))
        else:
            if isinstance(document, list):
                return document
            self._find(name, "A preset must be a list of objects")
        return []

    def _find(self, name: str, message: str, line: int = 0, column: int = 0) -> None:
        path = self.checkout.relative(self.checkout.presets / name)
        self.findings.append(Finding("broken-preset", message, path, line, column))


def _job(file: str, index: int, item: object) -> Job | str:
    """The job of an object, or why upstream's generator would reject it."""
    if not isinstance(item, dict):
        return "not an object"
    item = {key: value for key, value in item.items() if value is not None}
    for key in ("runs-on", "dir"):
        if not isinstance(item.get(key), str) or not item[key].strip():
            return f"{key} must be a text"
    for key in ("name", "test-mark", "contains", "args", "require", "extra-wheel", "topology"):
        if not isinstance(item.get(key, ""), str):
            return f"{key} must be a text"
    if item.get("shared-runners", False) not in (True, False, "true", "false"):
        return "shared-runners must be true or false"
    groups = item.get("parallel-groups", 1)
    if type(groups) is not int or not 1 <= groups <= _MOST_GROUPS:
        return f"parallel-groups must be a number from 1 to {_MOST_GROUPS}"
    return Job(
        file=file,
        index=index,
        name=item.get("name", ""),
        runs_on=item["runs-on"],
        dir=item["dir"],
        test_mark=item.get("test-mark", ""),
        contains=item.get("contains", ""),
        args=item.get("args", ""),
        parallel_groups=groups,
        shared_runners=_is_true(item.get("shared-runners")),
        forge_models=_is_true(item.get("forge-models")),
        forked=_is_true(item.get("forked")),
        require=item.get("require", ""),
        extra_wheel=item.get("extra-wheel", ""),
        topology=item.get("topology", ""),
        multihost=_is_true(item.get("multihost")),
    )


def _is_true(value: object) -> bool:
    """Compare as the workflow's shell steps do: they see the text of the value, so true and "true" are equal."""
    return value is True or value == "true"
