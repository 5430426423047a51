# SPDX-License-Identifier: Apache-2.0
"""Names that functions of loaders lack, packages that are not there yet, requirements that nobody reads.

Importing a loader shows none of these (docs/rules.md 6).
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from core.base.files import is_there, read_bytes, read_loosely
from core.doctor.check import Check
from core.doctor.packages import package_findings, requirement_files
from core.domain.model import Finding
from core.matrix import Matrix
from core.matrix.cache import Cache, content_cache, of_loaders
from core.python import Undefined, lost_classes, parse_python, undefined_names
from core.sources import loader_file

UNDEFINED_NAME = Check("undefined-name", "a function that looks up a name that nothing binds")
NO_CLASSMETHOD = Check("no-classmethod", "a method of a loader that takes cls and is no class method")
UNREAD_REQUIREMENTS = Check("unread-requirements", "a file of requirements that nothing installs")

_TAKES_CLS = re.compile(rb"\bdef \w+\(\s*cls\b")
_DECORATE = "Write @classmethod above it"
_CORRECT = "Import or define it, or correct the name"
_INSTALLER = Path("tests/runner/requirements.py")
_FILE_NAME = re.compile(r"\b[\w.-]*requirements[\w.-]*\.txt\b")
_USUAL = "requirements.txt"
_LOADER = "loader.py"
_MOST_BYTES = 1 << 20


def loader_file_findings(cache: Cache, matrix: Matrix) -> Iterator[Finding]:
    """Names that no function can find, packages that are not there yet, requirements that nobody reads."""
    undefined = of_loaders(cache, matrix, "undefined", dict, lambda: _per_file(cache, matrix, "undefined", _names))
    for directory, names in undefined.items():
        path = matrix.checkout.relative(matrix.checkout.models / loader_file(directory))
        for one in names:
            message = f"{one.function} raises NameError: nothing binds {one.name}. {_CORRECT}"
            yield Finding(UNDEFINED_NAME.kind, message, path, one.line, id=directory)
    lost = of_loaders(cache, matrix, "lost_classes", dict, lambda: _per_file(cache, matrix, "lost_classes", _lost))
    for directory, methods in lost.items():
        path = matrix.checkout.relative(matrix.checkout.models / loader_file(directory))
        for one in methods:
            message = (
                f"{one.function} takes cls and is no class method: its first argument takes the place. {_DECORATE}"
            )
            yield Finding(NO_CLASSMETHOD.kind, message, path, one.line, id=directory)
    yield from package_findings(cache, matrix)
    yield from _unread(matrix)


def _per_file(
    cache: Cache, matrix: Matrix, kind: str, read: Callable[[bytes], tuple[Undefined, ...]]
) -> dict[str, tuple[Undefined, ...]]:
    """What `read` finds in the file of each loader; those without are left out."""
    models = matrix.checkout.models
    found: dict[str, tuple[Undefined, ...]] = {}
    with content_cache(cache, kind, models, tuple) as cached:
        for directory in matrix.loaders:
            path = loader_file(directory)
            known = cached.get(path)
            names = cached.put(path, _in_file(models / path, read), [path]) if known is None else known
            if names:
                found[directory] = names
    return found


def _names(source: bytes) -> tuple[Undefined, ...]:
    return undefined_names(source)


def _lost(source: bytes) -> tuple[Undefined, ...]:
    # Mostly there are as many decorators as methods that take `cls`: then nothing is parsed.
    return lost_classes(parse_python(source)) if len(_TAKES_CLS.findall(source)) > source.count(b"@classmethod") else ()


def _in_file(path: Path, read: Callable[[bytes], tuple[Undefined, ...]]) -> tuple[Undefined, ...]:
    try:
        return read(read_bytes(path))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return ()


# Requirements


def _unread(matrix: Matrix) -> Iterator[Finding]:
    """Files beside a loader whose name the runner does not know, and files that are not beside one."""
    known = _known_names(matrix)
    models = matrix.checkout.models
    with_loader = {PurePosixPath(directory) for directory in matrix.loaders}
    above = {parent: one for one in sorted(with_loader, reverse=True) for parent in one.parents if parent.name}
    for path in requirement_files(matrix) if known else ():
        directory = PurePosixPath(path.parent.relative_to(models))
        place = matrix.checkout.relative(path)
        if directory in with_loader and path.name not in known:
            message = f"Nothing reads {path.name}, so that nothing in it is installed. Name it {_USUAL}"
            yield Finding(UNREAD_REQUIREMENTS.kind, message, place, 1, id=str(directory))
        elif directory in above and not is_there(path.parent / _LOADER):
            message = f"Only a {_USUAL} beside a loader.py is installed. Move it to {above[directory]}"
            yield Finding(UNREAD_REQUIREMENTS.kind, message, place, 1, id=str(above[directory]))


def _known_names(matrix: Matrix) -> frozenset[str]:
    """The names of files that the runner installs from; none if it does not say."""
    try:
        text = read_loosely(matrix.checkout.root / _INSTALLER, _MOST_BYTES)
    except (OSError, ValueError):
        return frozenset()
    found = frozenset(_FILE_NAME.findall(text))
    return found if _USUAL in found else frozenset()
