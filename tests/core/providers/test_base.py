# SPDX-License-Identifier: Apache-2.0
"""Every provider that a field needs exists, and is used only when needed."""

import subprocess
import sys
from pathlib import Path

from core.matrix import index
from core.matrix.cache import Cache
from core.matrix.query import FIELDS, Scope, column_of
from core.providers import PROVIDERS, compute_columns, waiting_words
from tests.support.sample import sample_checkout


def test_every_field_finds_its_column(tmp_path: Path) -> None:
    matrix = index(sample_checkout(tmp_path / "tt-xla"))
    scope = Scope(matrix, learned=compute_columns(Cache(matrix.checkout, tmp_path / "cache"), matrix, PROVIDERS))
    needing = [field for field in FIELDS if field.needs]
    assert {field.needs for field in needing} == {*PROVIDERS}
    for field in needing:
        for arch in ("", *matrix.schema.archs):
            column = column_of(scope.on(arch), field.name)
            assert [column[row] for row in range(len(matrix.ids))]


def test_providers_are_imported_when_they_are_asked() -> None:
    script = "import sys, core.matrix.view.view, core.providers.base as base; print({f'core.providers.{m}' for m in base.PROVIDERS} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_what_is_waited_for() -> None:
    assert waiting_words(["jobs"]) == "reading the scheduled CI jobs …"
    assert "models and the scheduled" in waiting_words(["models", "jobs"])
