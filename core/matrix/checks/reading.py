# SPDX-License-Identifier: Apache-2.0
"""What is found while a checkout is read, and loaders that can be read but contribute nothing."""

from collections.abc import Iterator

from core.matrix.checks.check import Check
from core.matrix.matrix import Matrix
from core.model import Finding
from core.sources.loaders import loader_file


def _broken_loaders(matrix: Matrix) -> Iterator[Finding]:
    """Besides those that cannot be parsed."""
    for loader in matrix.loaders.values():
        if loader.broken:
            where = matrix.checkout.relative(matrix.checkout.models / loader_file(loader.directory))
            message = f"Contributes no tests: {loader.broken}"
            yield Finding(BROKEN_LOADER.kind, message, where, id=loader.directory)


BROKEN_LOADER = Check("broken-loader", "a loader that contributes no tests", _broken_loaders)
BROKEN_YAML = Check("broken-yaml", "an expectation file that cannot be read")
BROKEN_SCHEMA = Check("broken-schema", "upstream's lists of archs and fields cannot be read")
BROKEN_PRESET = Check("broken-preset", "a CI preset that cannot be read")
BROKEN_WORKFLOW = Check("broken-workflow", "a CI workflow that cannot be read")
BROKEN_DURATIONS = Check("broken-durations", "the file of test durations cannot be read")
