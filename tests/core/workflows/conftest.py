# SPDX-License-Identifier: Apache-2.0
"""A checkout to triage in, and what acts upon it."""

from pathlib import Path

import pytest

from core.base.settings import load_settings, paths
from core.matrix import index
from core.matrix.cache import Cache
from core.providers import model_infos
from core.runs.store import RunStore
from core.sources import Checkout
from core.workflows import WorkflowContext
from tests.support.triage_checkout import triage_checkout


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    return triage_checkout(tmp_path, own_home)


@pytest.fixture
def world(checkout: Checkout) -> WorkflowContext:
    matrix = index(checkout)
    infos = model_infos(Cache(checkout, paths().cache), matrix)
    return WorkflowContext(matrix, infos, load_settings(paths().settings_file), RunStore(paths().runs))
