# SPDX-License-Identifier: Apache-2.0
"""Read a checkout into a Matrix, going on from what is known of its files."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from core.matrix.join import join
from core.matrix.matrix import Matrix, Universe
from core.matrix.universe import collected_members, validator_members
from core.sources.checkout import Checkout
from core.sources.expectations import Known as KnownFiles
from core.sources.expectations import read_expectations
from core.sources.importable import mark_broken
from core.sources.loaders import loader_directories, loader_file, scan_loaders
from core.sources.models_tree import Known as KnownModules
from core.sources.models_tree import ModelsTree, Unreadable
from core.sources.modules import ModuleFacts
from core.sources.schema_read import read_schema


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A matrix with what was read to make it, for the next index to go on from."""

    matrix: Matrix
    modules: Mapping[str, ModuleFacts | Unreadable]
    """By path relative to the models root."""
    began_ns: int
    """When the first file was read, by the clock that stamps files."""


def index(checkout: Checkout, universe: Universe = Universe.VALIDATOR) -> Matrix:
    """Read the checkout and join. What is broken in it becomes findings; it never raises for content."""
    return read_and_join(checkout, universe).matrix


def read_and_join(
    checkout: Checkout,
    universe: Universe = Universe.VALIDATOR,
    modules: KnownModules | None = None,
    files: KnownFiles | None = None,
) -> Reading:
    """As `index`. What stands in `modules` and `files` and bears the same stamp is not read again."""
    began_ns = time.time_ns()
    schema, schema_findings = read_schema(checkout)
    tree = ModelsTree(checkout.models, modules or {})
    directories = list(loader_directories(checkout.models, schema.excluded_torch_directories))
    tree.read_ahead([loader_file(directory) for directory in directories])
    read = read_expectations(checkout, schema, files)
    loaders, loader_findings = scan_loaders(checkout, directories, tree)
    findings = (*schema_findings, *loader_findings, *(one for file in read for one in file.findings))
    if universe is Universe.VALIDATOR:
        members = validator_members(loaders, schema)
    else:
        # Only this universe asks what can be imported: it takes many more files to tell.
        loaders, broken = mark_broken(checkout, tree, loaders)
        findings = (*findings, *broken)
        members = collected_members(loaders, schema, [key for file in read for key in file.placeholders])
    return Reading(join(checkout, schema, loaders, members, read, findings), tree.modules, began_ns)
