# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.scale: the numbers of a launch, and when they are asked about."""

from dataclasses import replace
from pathlib import Path

from core.runs.planning import MANY, Download, scale_of
from core.runs.planning.downloads import Kind
from core.runs.store import RunStore
from tests.core.runs.conftest import MakeSpec

MIB = 2**20


def test_the_numbers_of_a_launch(make_spec: MakeSpec, store: RunStore) -> None:
    specs = [make_spec(moment=n, test_id=f"t{n}", estimate=10.0 if n % 2 else None) for n in range(MANY + 10)]
    store.create(make_spec(moment=99), log="x" * MIB)
    downloads = [Download(Kind.CHECKPOINT, "org/one", 3 * MIB), Download(Kind.CHECKPOINT, "org/two")]
    scale = scale_of(specs, downloads, store.root)
    assert (scale.tests, scale.runs, scale.guessed, scale.unknown) == (60, 60, 30, 1)
    assert scale.seconds == 300.0, "two at a time, each 10 s"
    assert 60 * MIB < scale.disk < 70 * MIB, "as the runs before, and the downloads"
    assert scale.large
    text = "\n".join(scale.lines)
    assert (
        "60\n" in text and "about 5 min; 30 runs without an estimate" in text and "2: 3.0 MiB and 1 of unknown" in text
    )


def test_what_is_small_and_known_is_not_asked_about(make_spec: MakeSpec, tmp_path: Path) -> None:
    spec = make_spec(estimate=1.0)
    known = [Download(Kind.CHECKPOINT, "org/one", 3 * MIB)]
    assert not scale_of([spec] * 20, known, tmp_path / "none").large
    assert not scale_of([replace(spec, run_id=str(n)) for n in range(200)], (), tmp_path).large, "one test, repeated"
    assert scale_of([spec], [Download(Kind.PACKAGE, "x")], tmp_path).large
    assert "1 s" in scale_of([spec], (), tmp_path).lines[1]
    assert scale_of([make_spec()], (), tmp_path).lines[1].endswith("no run like these has ended yet")
