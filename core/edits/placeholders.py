# SPDX-License-Identifier: Apache-2.0
"""Placeholders of planned models: the tests that belong to one, and the edits that remove it (docs/rules.md 2.5)."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from core.edits.bulk import ENTRY_SCOPE, set_fields
from core.edits.operations import Operation, OpKind
from core.errors import TTMatrixError, UsageError
from core.files import read_text
from core.matrix import Matrix
from core.model import Entry, Status
from core.sources import checkpoints, loader_file
from core.text import letters

PROMOTED_STATUSES = (
    Status.EXPECTED_PASSING,
    Status.KNOWN_FAILURE_XFAIL,
    Status.NOT_SUPPORTED_SKIP,
    Status.UNSPECIFIED,
)
"""The statuses that an entry which replaces a placeholder may have."""
_EXPLAINED = (Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)
_CARRIED = ("bringup_status", "reason")


def planned_models(matrix: Matrix) -> dict[str, Entry]:
    """All placeholders of the checkout by name; the last one of each name."""
    return {one.id: one for file in matrix.files for one in file.placeholders}


def model_tests_of(matrix: Matrix, names: Collection[str]) -> dict[str, list[str]]:
    """The ids of the tests of the model that each placeholder names, according to the loader or its directory.

    Inference tests on a single device come first. Reads the loaders: a few hundred files.
    """
    sources = _sources(matrix) if names else {}
    found: dict[str, list[str]] = {}
    for name in names:
        bases = tuple(f"{base}-" for base in _bases(name, sources))
        ids = [id for id in matrix.model_tests.ids if id.startswith(bases)] if bases else []
        found[name] = sorted(ids, key=lambda id: not id.endswith("-single_device-inference"))
    return found


def removal(matrix: Matrix, names: Sequence[str]) -> tuple[Operation, ...]:
    """Operations that remove these placeholders. Raises UsageError for an unknown name."""
    return tuple(Operation(OpKind.REMOVE, name, _placeholder(matrix, name).file) for name in names)


def promotion(matrix: Matrix, name: str, ids: Sequence[str], status: str) -> tuple[Operation, ...]:
    """Operations that replace a placeholder by an entry for each test of `ids` that has none yet.

    An entry with a failing status takes bring-up status and reason from the placeholder. Raises UsageError for a name
    that is no placeholder, for an id that no loader generates, and for a status that is not in PROMOTED_STATUSES.
    """
    placeholder = _placeholder(matrix, name)
    if status not in PROMOTED_STATUSES:
        raise UsageError(f"A new entry cannot have the status {status!r}", f"Statuses: {', '.join(PROMOTED_STATUSES)}")
    for id in ids:
        if id not in matrix.model_tests.rows or id in matrix.strays:
            raise UsageError(f"There is no test {id!r}", hint="Write the loader of the model first, then its entries.")
    carried = {key: str(placeholder.fields[key]) for key in _CARRIED if placeholder.fields.get(key)}
    filled = {"status": str(status), **(carried if status in _EXPLAINED else {})}
    without = [id for id in ids if id not in matrix.entries]
    return (*removal(matrix, [name]), *set_fields(matrix, without, ENTRY_SCOPE, filled))


def _placeholder(matrix: Matrix, name: str) -> Entry:
    known = planned_models(matrix)
    if name not in known:
        raise UsageError(f"There is no placeholder {name!r}", "\n".join(known) or "The checkout has none.")
    return known[name]


def _sources(matrix: Matrix) -> dict[str, str]:
    """The text of every loader by directory; one that cannot be read is left out."""
    found: dict[str, str] = {}
    for directory in matrix.loaders:
        try:
            found[directory] = read_text(matrix.checkout.models / loader_file(directory))
        except TTMatrixError:
            continue
    return found


def _bases(name: str, sources: Mapping[str, str]) -> Iterator[str]:
    """The beginnings of ids of the model: directories of its name, and variants with a checkpoint of its name."""
    wanted = {letters(name), letters(name.rpartition("/")[2])}
    for directory, source in sources.items():
        if letters(directory.partition("/")[0]) in wanted:
            yield directory
        # Most loaders do not contain the name, and parsing is the slow part.
        elif name in source:
            yield from (f"{directory}-{variant}" for variant in checkpoint_variants(source, name))


def checkpoint_variants(source: str, checkpoint: str) -> set[str]:
    """Variants for which a loader uses the checkpoint of this name; none if the source is not valid Python."""
    try:
        return {variant for variant, name in checkpoints(source).items() if name == checkpoint}
    except (SyntaxError, ValueError):
        return set()
