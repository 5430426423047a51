# SPDX-License-Identifier: Apache-2.0
"""Where the files of operations are: expectation files below test_config, manifests anywhere in the checkout."""

from pathlib import Path, PurePosixPath

from core.edits.operations import is_manifest

TEST_CONFIG_PREFIX = "tests/runner/test_config/"


def in_checkout(file: str, test_config: str = TEST_CONFIG_PREFIX) -> str:
    """The path of a file, as operations name it, relative to the checkout."""
    return file if is_manifest(file) else f"{test_config}{file}"


def from_checkout(path: str) -> str:
    """What operations call the file at `path`, which is relative to the checkout."""
    return path if is_manifest(path) else path.removeprefix(TEST_CONFIG_PREFIX)


def path_of(test_config: Path, file: str) -> Path:
    """The path of a file, as operations name it."""
    return root_of(test_config) / file if is_manifest(file) else test_config / file


def root_of(test_config: Path) -> Path:
    """The checkout that has this test_config directory."""
    return test_config.parents[len(PurePosixPath(TEST_CONFIG_PREFIX).parts) - 1]


def leads_out(file: str) -> bool:
    """Whether a path is not relative to the checkout, or leads out of it."""
    return file.startswith("/") or ".." in PurePosixPath(file).parts
