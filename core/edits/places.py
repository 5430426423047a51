# SPDX-License-Identifier: Apache-2.0
"""Paths of the files that operations name: expectation files in test_config, manifests anywhere in the checkout."""

from pathlib import Path, PurePosixPath

from core.edits.operations import is_manifest

TEST_CONFIG_PREFIX = "tests/runner/test_config/"


def in_checkout(file: str, test_config: str = TEST_CONFIG_PREFIX) -> str:
    """The path, relative to the checkout, of a file that an operation names."""
    return file if is_manifest(file) else f"{test_config}{file}"


def from_checkout(path: str) -> str:
    """The name that operations use for the file at `path`, which is relative to the checkout."""
    return path if is_manifest(path) else path.removeprefix(TEST_CONFIG_PREFIX)


def path_of(test_config: Path, file: str) -> Path:
    """The path of a file that an operation names."""
    return root_of(test_config) / file if is_manifest(file) else test_config / file


def root_of(test_config: Path) -> Path:
    """The root of the checkout that has this test_config directory."""
    return test_config.parents[len(PurePosixPath(TEST_CONFIG_PREFIX).parts) - 1]


def leads_out(file: str) -> bool:
    """Whether a path is absolute or leads out of the checkout."""
    return file.startswith("/") or ".." in PurePosixPath(file).parts
