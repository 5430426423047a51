# SPDX-License-Identifier: Apache-2.0
"""Names that functions of loaders lack, packages that are not there yet, requirements that nobody reads.

Importing a loader shows none of these (docs/rules.md 6).
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TypeAlias

from core.base.files import is_there, read_bytes, read_loosely
from core.doctor.check import Check
from core.doctor.packages import package_findings, requirement_files
from core.domain.model import Finding
from core.matrix import Matrix
from core.matrix.cache import Cache, content_cache, of_loaders
from core.providers import model_infos
from core.python import LostClass, ModuleFacts, Undefined, lost_classes, parse_python, undefined_names
from core.sources import ContentCache, ModelsTree, loader_file, shared_modules

_Found: TypeAlias = Undefined | LostClass

UNDEFINED_NAME = Check("undefined-name", "a function that looks up a name that nothing binds")
NO_CLASSMETHOD = Check("no-classmethod", "a method of a loader that takes cls and is no class method")
LOST_VARIANT = Check("lost-variant", "a variant of a loader that another one replaces, without a word")
UNREAD_REQUIREMENTS = Check("unread-requirements", "a file of requirements that nothing installs")

_TAKES_CLS = re.compile(rb"\bdef \w+\(\s*cls\b")

# Messages about one name in a file.
_UNBOUND = "{0.function} raises NameError: nothing binds {0.name}. Import or define it, or correct the name"
_NO_DECORATOR = (
    "{0.function} takes cls and is no class method: its first argument takes the place. Write @classmethod above it"
)
_REPLACED = (
    "{0.by} replaces {0.name} in _VARIANTS, because both are the same key, so that {0.name} is no test. Give each"
    " member a value of its own"
)

_INSTALLER = Path("tests/runner/requirements.py")
_FILE_NAME = re.compile(r"\b[\w.-]*requirements[\w.-]*\.txt\b")
_USUAL = "requirements.txt"
_LOADER = "loader.py"
_MOST_BYTES = 1 << 20


def _lost(source: bytes) -> tuple[LostClass, ...]:
    # Mostly there are as many decorators as methods that take `cls`: then nothing is parsed.
    return lost_classes(parse_python(source)) if len(_TAKES_CLS.findall(source)) > source.count(b"@classmethod") else ()


_OF_FILES: Sequence[tuple[Check, str, Callable[[bytes], tuple[_Found, ...]], str]] = (
    (UNDEFINED_NAME, "undefined", undefined_names, _UNBOUND),
    (NO_CLASSMETHOD, "lost_classes", _lost, _NO_DECORATOR),
)
"""What one file shows: the check, the name of its cache, what reads the file, and the message."""


def loader_file_findings(cache: Cache, matrix: Matrix) -> Iterator[Finding]:
    """Names that no function can find, packages that are not there yet, requirements that nobody reads."""
    for check, key, read, message in _OF_FILES:
        found = of_loaders(cache, matrix, key, dict, partial(_per_file, cache, matrix, key, read))
        for directory, names in found.items():
            path = matrix.checkout.relative(matrix.checkout.models / loader_file(directory))
            for one in names:
                yield Finding(check.kind, message.format(one), path, one.line, id=directory)
    yield from _replaced(cache, matrix)
    yield from _in_shared_modules(cache, matrix)
    yield from package_findings(cache, matrix)
    yield from _unread(matrix)


def _in_shared_modules(cache: Cache, matrix: Matrix) -> Iterator[Finding]:
    """Names that functions lack in modules which loaders of several models import.

    Modules of one model are often copies of a library of which half is never called.
    """
    models = matrix.checkout.models

    def read() -> dict[str, tuple[_Found, ...]]:
        with (
            content_cache(cache, "outlines", models, ModuleFacts) as outlines,
            content_cache(cache, "undefined", models, tuple) as cached,
        ):
            paths = shared_modules(ModelsTree(models, cached=outlines), matrix.loaders.values())
            return {path: found for path in paths if (found := _of_content(cached, models, path, undefined_names))}

    for path, names in of_loaders(cache, matrix, "undefined_in_shared", dict, read).items():
        for one in names:
            yield Finding(UNDEFINED_NAME.kind, _UNBOUND.format(one), matrix.checkout.relative(models / path), one.line)


def _replaced(cache: Cache, matrix: Matrix) -> Iterator[Finding]:
    """Variants that their own tables replace, where these are written."""
    for directory, variants in model_infos(cache, matrix).replaced.items():
        for one in variants:
            path = matrix.checkout.relative(matrix.checkout.models / one.path)
            yield Finding(LOST_VARIANT.kind, _REPLACED.format(one), path, one.line, id=directory)


def _per_file(
    cache: Cache, matrix: Matrix, kind: str, read: Callable[[bytes], tuple[_Found, ...]]
) -> dict[str, tuple[_Found, ...]]:
    """What `read` finds in the file of each loader; those without are left out."""
    models = matrix.checkout.models
    found: dict[str, tuple[_Found, ...]] = {}
    with content_cache(cache, kind, models, tuple) as cached:
        for directory in matrix.loaders:
            if names := _of_content(cached, models, loader_file(directory), read):
                found[directory] = names
    return found


def _of_content(
    cached: ContentCache[tuple[_Found, ...]], models: Path, path: str, read: Callable[[bytes], tuple[_Found, ...]]
) -> tuple[_Found, ...]:
    known = cached.get(path)
    return cached.put(path, _in_file(models / path, read), [path]) if known is None else known


def _in_file(path: Path, read: Callable[[bytes], tuple[_Found, ...]]) -> tuple[_Found, ...]:
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
