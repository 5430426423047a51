# SPDX-License-Identifier: Apache-2.0
"""`ttmatrix profiles`: lists all profiles, with the mistakes of some."""

from core.base.settings import paths
from core.payload.ttmatrix_payload.models.compile_options import LEVELS
from core.sources import Checkout
from tests.support.cli import call


def test_a_mistake_in_one_keeps_no_other_from_being_listed(runnable: Checkout) -> None:
    file = paths().settings_file
    file.write_text(
        f"{file.read_text()}\n[profiles.good]\nbatch_size = 2\n[profiles.bad]\noptions = {{ optimisation_level = 1 }}\n"
    )
    called = call("profiles", "--repo", runnable.root)
    assert called.code == 1
    assert [line.split()[0] for line in called.out.splitlines()] == ["profile", "bad", "good"]
    assert "Profile 'bad': there is no compile option 'optimisation_level'" in called.err
    found = call("profiles", "--json", "--repo", runnable.root).json
    assert found["good"]["mistake"] is None
    assert "Did you mean optimization_level?" in found["bad"]["mistake"]


def test_what_each_level_does_is_explained(runnable: Checkout) -> None:
    told = call("profiles", "--options", "--repo", runnable.root).out
    for level in (0, 1, 2):
        assert f"{level}      {LEVELS[level]}" in told
