# SPDX-License-Identifier: Apache-2.0
"""A checkout is read completely the first time, and afterwards only what has changed."""

import os
from pathlib import Path

from core.matrix import Universe, index, read_and_join
from core.sources import stamp_of
from tests.support.tree import INFERENCE, LOADERS, YAML, sample, write_checkout


def test_collected_universe_leaves_out_and_adds(tmp_path: Path) -> None:
    placeholders = "PLACEHOLDER_MODELS:\n  org/Some Model:\n    bringup_status: NOT_STARTED\n"
    checkout = write_checkout(tmp_path, LOADERS, YAML | {"torch/test_config_placeholders.yaml": placeholders})
    matrix = index(checkout, Universe.COLLECTED)
    assert "org/Some Model" in matrix.universe()
    assert len(matrix.universe()) == 3 * 6 + 2 * 6 + 2 * 864 + 864 + 6 + 6 + 1


def test_findings_of_all_sources_are_gathered(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path, LOADERS | {"bad/pytorch": "class ("}, YAML | {INFERENCE: "a: ["})
    assert sorted(finding.kind for finding in index(checkout).findings) == ["broken-loader", "broken-yaml"]


def test_a_file_with_the_same_stamp_is_not_read_again(tmp_path: Path) -> None:
    checkout = sample(tmp_path)
    first = read_and_join(checkout)
    files = {file.name: (stamp_of(checkout.test_config / file.name), file) for file in first.matrix.files}
    changed = checkout.test_config / INFERENCE
    changed.write_text(changed.read_text().replace("NOT_SUPPORTED_SKIP", "EXCLUDE_MODEL"))
    os.utime(changed, (1, 1))
    second = read_and_join(checkout, files=files)
    same = [file.name for file in second.matrix.files if file is files[file.name][1]]
    assert sorted(same) == sorted(files.keys() - {INFERENCE})
    assert "EXCLUDE_MODEL" in second.matrix.status["n150"].values
