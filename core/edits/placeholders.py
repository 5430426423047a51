# SPDX-License-Identifier: Apache-2.0
"""Placeholders of models that are planned: the tests that one names, and the edits that end it (docs/rules.md 2.5)."""

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
"""What an entry that comes for a placeholder may say."""
_EXPLAINED = (Status.KNOWN_FAILURE_XFAIL, Status.NOT_SUPPORTED_SKIP)
_CARRIED = ("bringup_status", "reason")


def planned_models(matrix: Matrix) -> dict[str, Entry]:
    """All placeholders of the checkout by name; the last one of a name counts."""
    return {one.id: one for file in matrix.files for one in file.placeholders}


def model_tests_of(matrix: Matrix, names: Collection[str]) -> dict[str, list[str]]:
    """By name of a placeholder the ids of the tests of that very model, as its loader or its directory says.

    Tests of one device that infer come first. Reads the loaders: some hundred files.
    """
    sources = _sources(matrix) if names else {}
    found: dict[str, list[str]] = {}
    for name in names:
        bases = tuple(f"{base}-" for base in _bases(name, sources))
        ids = [id for id in matrix.model_tests.ids if id.startswith(bases)] if bases else []
        found[name] = sorted(ids, key=lambda id: not id.endswith("-single_device-inference"))
    return found


def removal(matrix: Matrix, names: Sequence[str]) -> tuple[Operation, ...]:
    """What removes these placeholders. Raises UsageError for a name that is none."""
    return tuple(Operation(OpKind.REMOVE, name, _placeholder(matrix, name).file) for name in names)


def promotion(matrix: Matrix, name: str, ids: Sequence[str], status: str) -> tuple[Operation, ...]:
    """What replaces a placeholder by an entry for each test of `ids` that has none yet.

    An entry that explains a failure says what the placeholder says of bring-up and reason. Raises UsageError for a
    name that is no placeholder, for an id that no loader gives rise to, and for another status than PROMOTED_STATUSES.
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
    """What ids of the model begin with: directories of its name, and variants with a checkpoint of its name."""
    wanted = {letters(name), letters(name.rpartition("/")[2])}
    for directory, source in sources.items():
        if letters(directory.partition("/")[0]) in wanted:
            yield directory
        # Most loaders do not know the name, and parsing is what takes time.
        elif name in source:
            yield from (f"{directory}-{variant}" for variant in checkpoint_variants(source, name))


def checkpoint_variants(source: str, checkpoint: str) -> set[str]:
    """Variants that a loader gives the checkpoint of this name; none where the source is no Python."""
    try:
        return {variant for variant, name in checkpoints(source).items() if name == checkpoint}
    except (SyntaxError, ValueError):
        return set()
