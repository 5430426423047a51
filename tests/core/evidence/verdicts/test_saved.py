# SPDX-License-Identifier: Apache-2.0
"""core.evidence.verdicts.saved: saved verdicts equal newly computed ones, whatever has changed since."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.ci import Selected
from core.evidence import Ending, Observation, Results
from core.evidence.store import EvidenceStore
from core.evidence.verdicts import Policy, SavedVerdicts, Verdict, Verdicts
from core.evidence.verdicts.saved import SavedVerdict, Turn
from core.matrix import Matrix, index
from core.sources.ci import Job
from tests.support.evidence import report, seen
from tests.support.tree import INFERENCE, LOADERS, YAML, write_checkout

TINY, NET, ORG = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug", "org/name"))
JOB = Job("nightly.json", 0, "run", "n150", "tests/runner", "n150 and expected_passing", forge_models=True)
ARTEFACT = "n150-n150_and_expected_passing"
POLICY = Policy()


@pytest.fixture(scope="module")
def matrices(tmp_path_factory: pytest.TempPathFactory) -> tuple[Matrix, Matrix]:
    other = YAML | {INFERENCE: YAML[INFERENCE].replace("EXPECTED_PASSING", "KNOWN_FAILURE_XFAIL")}
    one, two = (index(write_checkout(tmp_path_factory.mktemp("c"), LOADERS, text)) for text in (YAML, other))
    return one, two


def _words(found: Verdicts) -> Mapping[str, list[object]]:
    facts, rows = found.facts(), range(len(found.matrix.ids))
    columns = {arch: facts.column("verdict", arch) for arch in found.matrix.schema.archs}
    return {arch: [column[row] for row in rows] for arch, column in columns.items()}


_NIGHT = st.lists(
    st.builds(
        lambda id, arch, ending, host: seen(ending, test_id=id, arch=arch, host=host, job=ARTEFACT, pcc=0.995),
        st.sampled_from([TINY, NET, ORG]),
        st.sampled_from(["n150", "p150", "nowhere"]),
        st.sampled_from([Ending.PASSED, Ending.FAILED, Ending.NOT_RUN, Ending.BROKEN, Ending.INACCURATE]),
        st.sampled_from(["good", "bad"]),
    ),
    max_size=6,
)
_POLICIES = st.sampled_from([Policy(minimum_runs=2), Policy(minimum_runs=1, window=2), Policy(ignored_hosts=("bad",))])
_STEPS = st.lists(st.tuples(_NIGHT, _NIGHT, _POLICIES, st.booleans(), st.booleans()), min_size=1, max_size=5)


@pytest.mark.slow("stores of many nights are made and read")
@given(_STEPS)
def test_saved_verdicts_are_those_of_a_rebuild_and_of_all_results_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    matrices: tuple[Matrix, Matrix],
    steps: list[tuple[list[Observation], list[Observation], Policy, bool, bool]],
) -> None:
    directory = tmp_path_factory.mktemp("saved")
    store, saved = EvidenceStore(directory / "x.sqlite"), SavedVerdicts(directory / "v.sqlite")
    for number, (night, own, policy, other, with_jobs) in enumerate(steps):
        rows = [replace(one, when=float(number), run=str(number)) for one in night]
        store.add([report(*rows, digest=str(number), run=str(number))])
        here = [replace(one, when=number + 0.5, run=f"own {number}") for one in own]
        matrix = matrices[other]
        selected = Selected((JOB,), ("nightly",), (0, 1), [1] * len(matrix.ids)) if with_jobs else None
        found = Verdicts(matrix, Results(here, store), policy, selected, saved)
        every = sorted([*store.observations(), *here], key=lambda one: one.when)
        in_memory = Verdicts(matrix, every, policy, selected)
        words = _words(in_memory)
        assert _words(found) == words
        assert found.turned == in_memory.turned
        assert found.courses == in_memory.courses
        assert _words(Verdicts(matrix, Results(here, store), policy, selected, saved)) == words
        rebuilt = SavedVerdicts(directory / f"v{number}.sqlite")
        Verdicts(matrix, Results(here, store), policy, selected, rebuilt).facts()
        assert saved.read() == rebuilt.read()
        for id in (TINY, NET, ORG):
            assert [_plain(one.rows) for one in found.of(id)] == [_plain(one.rows) for one in in_memory.of(id)]
            assert [(one.verdict, one.why) for one in found.of(id)] == [
                (one.verdict, one.why) for one in in_memory.of(id)
            ]
            assert {arch: _plain(rows) for arch, rows in found.seen.get(id, {}).items()} == {
                arch: _plain(rows) for arch, rows in in_memory.seen.get(id, {}).items()
            }


def _plain(rows: object) -> list[str]:
    assert isinstance(rows, list | tuple)
    return sorted(map(repr, rows))


def test_of_what_was_never_run_all_results_are_counted(tmp_path: Path, matrices: tuple[Matrix, Matrix]) -> None:
    store = EvidenceStore(tmp_path / "x.sqlite")
    rows = [seen(Ending.NOT_RUN, test_id=TINY, when=float(at), run=str(at)) for at in range(150)]
    store.add([report(*rows)])
    found, before = Verdicts(matrices[0], Results((), store), Policy()), Verdicts(matrices[0], rows, Policy())
    assert found.of(TINY)[0].why == before.of(TINY)[0].why == "never run, 150 skipped"
    assert found.of(TINY)[0].rows == tuple(rows[-100:])


def test_only_what_has_changed_is_judged_again(
    tmp_path: Path, matrices: tuple[Matrix, Matrix], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    recent = EvidenceStore.recent

    def spy(self: EvidenceStore, ids: list[str], *rest: object, **options: object) -> object:
        asked.extend(ids)
        return recent(self, ids, *rest, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(EvidenceStore, "recent", spy)
    store, saved = EvidenceStore(tmp_path / "x.sqlite"), SavedVerdicts(tmp_path / "v.sqlite")

    def judged(matrix: Matrix = matrices[0], policy: Policy = POLICY, own: tuple[Observation, ...] = ()) -> set[str]:
        asked.clear()
        Verdicts(matrix, Results(own, store), policy, None, saved).facts()
        return set(asked)

    store.add([report(seen(test_id=TINY), seen(test_id=NET), digest="a")])
    assert judged() == {TINY, NET}
    assert judged() == set()
    store.add([report(seen(test_id=NET, run="b"), digest="b")])
    assert judged() == {NET}
    assert judged(own=(seen(test_id=TINY, run="own"),)) == {TINY}
    assert judged(policy=Policy(minimum_runs=2)) == {TINY, NET}
    assert judged(matrix=matrices[1], policy=Policy(minimum_runs=2)) == {
        id for id in (TINY, NET) if matrices[0].entries[id] != matrices[1].entries[id]
    }


@pytest.mark.parametrize("damage", [b"no database at all" * 100, b"", b"SQLite format 3\0" + b"x" * 200])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: bytes) -> None:
    saved = SavedVerdicts(tmp_path / "v.sqlite")
    one = {"a": SavedVerdict("s", {"n150": Verdict.STALE}, {"n150": Turn(1.5, True)}, 2.5)}
    (tmp_path / "v.sqlite").write_bytes(damage)
    assert saved.read() == {}
    saved.change(one, [])
    saved.change(one, [])
    assert saved.read() == one
    saved.change({}, ["a"])
    assert saved.read() == {}
