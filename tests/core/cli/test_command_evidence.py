# SPDX-License-Identifier: Apache-2.0
"""`evidence`: export from one checkout's store and import into another's; statistics; pruning."""

from pathlib import Path

import pytest

from core.base.settings import paths
from core.evidence import Ending, store_file
from core.evidence.store import EvidenceStore
from core.sources import Checkout
from tests.support.cli import call
from tests.support.evidence import report, seen
from tests.support.tree import sample

_DAY = 86_400.0


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "tt-xla")


def filled(checkout: Checkout, nights: int = 4) -> EvidenceStore:
    store = EvidenceStore(store_file(paths().evidence, checkout.root))
    store.add(report(seen(when=1e9 + at * _DAY, run=f"n{at}"), digest=f"d{at}", run=f"n{at}") for at in range(nights))
    return store


def test_one_file_is_read_by_everyone(checkout: Checkout, tmp_path: Path) -> None:
    store, other = filled(checkout), sample(tmp_path / "other")
    file = tmp_path / "team.csv"
    assert call("evidence", "export", file, "--repo", checkout.root, "--json").json["results"] == 4
    words = "evidence", "import", file, "--repo", other.root, "--json"
    assert call(*words).json == [{"file": str(file), "new": 4, "known": 0}]
    assert call(*words).json == [{"file": str(file), "new": 0, "known": 4}]
    assert EvidenceStore(store_file(paths().evidence, other.root)).observations() == store.observations()
    assert "4 new reports" not in call(*words[:-1]).out


def test_stats(checkout: Checkout) -> None:
    assert call("evidence", "stats", "--repo", checkout.root).code == 0
    filled(checkout)
    found = call("evidence", "stats", "--repo", checkout.root, "--json").json
    assert (found["results"], found["reports"], found["runs"], found["cells"]) == (4, 4, 4, 1)
    assert (found["first"], found["last"]) == ("2001-09-09", "2001-09-12")


def test_thinning_says_what_it_would_do_and_does_it_when_asked(checkout: Checkout) -> None:
    store = filled(checkout, 120)
    before = store.observations()
    would = call("evidence", "prune", "--repo", checkout.root, "--json").json
    assert store.observations() == before and not would["written"]
    done = call("evidence", "prune", "--write", "--repo", checkout.root, "--json").json
    after = store.observations()
    assert done["removed"] == would["removed"] == len(before) - len(after) > 50
    assert after[-50:] == before[-50:]
    assert {one.ending for one in after} == {Ending.PASSED}
    # Pruned results do not come back when the same files are ingested.
    assert filled(checkout, 120).observations() == after


def test_the_policy_has_old_results_that_repeat_go_with_the_next_reports(checkout: Checkout, tmp_path: Path) -> None:
    store = filled(checkout, 120)
    xml = "<testsuite><testcase classname='x' name='{}'/></testsuite>"
    name = "test_all_models_torch[alpha/pytorch-tiny-single_device-inference]"
    for file in ("a.xml", "b.xml"):
        (tmp_path / file).write_text(xml.format(name) + f"<!-- {file} -->")
    assert "removed" not in call("ingest", tmp_path / "a.xml", "--arch", "n150", "--repo", checkout.root).err
    assert store.stats().results == 121
    (checkout.root / "ttmatrix-policy.toml").write_text("[retention]\ndays = 30.0\n")
    called = call("ingest", tmp_path / "b.xml", "--arch", "n150", "--repo", checkout.root)
    assert "results that only repeated others (policy: retention)" in called.err.replace("\n", " ")
    assert 52 <= store.stats().results < 80


def test_a_name_that_is_no_table_is_a_usage_error(checkout: Checkout) -> None:
    for verb in ("export", "import"):
        called = call("evidence", verb, "results.zip", "--repo", checkout.root)
        assert called.code == 64
        assert "It must end in .csv or .parquet" in called.err
