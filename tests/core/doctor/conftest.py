# SPDX-License-Identifier: Apache-2.0
"""Look for one kind of finding in a few lines of YAML."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from core.doctor.check import Check
from core.doctor.doctor import CHECKS, diagnose
from core.domain.model import Finding
from core.matrix import Matrix, index
from tests.support.findings import Find, assert_mend_heals
from tests.support.tree import INFERENCE, LOADERS, write_checkout


@pytest.fixture
def checked(tmp_path: Path) -> Callable[..., Matrix]:
    """A matrix of the usual loaders and of entries given as text, for the torch inference file or by file."""

    def build(yaml: str | Mapping[str, str], loaders: Mapping[str, str] = LOADERS) -> Matrix:
        files = {INFERENCE: yaml} if isinstance(yaml, str) else yaml
        return index(write_checkout(tmp_path, loaders, {name: f"test_config:\n{text}" for name, text in files.items()}))

    return build


@pytest.fixture
def find(checked: Callable[..., Matrix]) -> Find:
    """The findings of one check; each fix must remove its finding and add no other."""

    def look(check: Check, yaml: str | Mapping[str, str], **options: Mapping[str, str]) -> list[Finding]:
        assert check in CHECKS, f"name the check {check.kind} in CHECKS of core/doctor/doctor.py"
        matrix = checked(yaml, **options)
        found = [one for one in diagnose(matrix) if one.kind == check.kind]
        for one in found:
            assert_mend_heals(matrix, one)
        return found

    return look
