# SPDX-License-Identifier: Apache-2.0
"""A checkout to triage in, and what acts upon it."""

from pathlib import Path

import pytest

from core.matrix.cache.index_cache import Cache
from core.matrix.indexing import index
from core.providers.models import model_infos
from core.runs.store.store import RunStore
from core.settings import load_settings, paths
from core.sources.checkout import Checkout
from core.workflows.perform import WorkflowContext
from tests.support.triage_checkout import triage_checkout


@pytest.fixture
def checkout(tmp_path: Path, own_home: Path) -> Checkout:
    return triage_checkout(tmp_path, own_home)


@pytest.fixture
def world(checkout: Checkout) -> WorkflowContext:
    matrix = index(checkout)
    infos = model_infos(Cache(checkout, paths().cache), matrix)
    return WorkflowContext(matrix, infos, load_settings(paths().settings_file), RunStore(paths().runs))
