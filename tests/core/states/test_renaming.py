# SPDX-License-Identifier: Apache-2.0
"""core.states.renaming: a test counts as renamed where something shows it, and only there."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.sources import Checkout
from core.states import difference
from core.states.renaming import Rename
from tests.support.states import MODELS, commit, states_of, with_submodule
from tests.support.tree import INFERENCE, YAML, loader_source

CONFIG = f"tests/runner/test_config/{INFERENCE}"
LOADER = f"{MODELS}/alpha/pytorch/loader.py"
TINY = "alpha/pytorch-tiny-single_device-inference"
TINIER = "alpha/pytorch-tinier-single_device-inference"
OTHERS = ["net-v1.5+aug", "org/name"]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return with_submodule(tmp_path / "tt-xla")


def renamed(checkout: Checkout, before: Mapping[str, str | None], after: Mapping[str, str | None]) -> list[Rename]:
    for texts in (before, after):
        commit(checkout, "next", texts)
    states = states_of(checkout, checkout.root.parent / "cache")
    there, back = (difference(*map(states.at, ends)) for ends in (("HEAD~1", "HEAD"), ("HEAD", "HEAD~1")))
    assert {(one.before, one.after) for one in there.renamed} == {(one.after, one.before) for one in back.renamed}
    return list(there.renamed)


def test_nothing_but_the_name_of_a_variant(checkout: Checkout) -> None:
    found = renamed(checkout, {}, {LOADER: loader_source(["tinier", *OTHERS])})
    assert Rename(TINY, TINIER, "nothing else of its loader changed") in found
    assert len(found) == 6


def test_the_names_of_several_variants(checkout: Checkout) -> None:
    found = renamed(checkout, {}, {LOADER: loader_source(["tinier", "net-v2", "org/name"])})
    assert {one.after.split("-single")[0] for one in found if "single" in one.after} == {
        "alpha/pytorch-tinier",
        "alpha/pytorch-net-v2",
    }


@pytest.mark.parametrize(
    "source",
    [
        loader_source(["tinier", *OTHERS, "more"]),
        loader_source(["tinier", *OTHERS]) + "x = 1\n",
        loader_source(["tinier", *OTHERS]).replace("return {}", "return {'a': 1}"),
        loader_source(["tinier", "org/name"]),
    ],
)
def test_more_than_a_name_shows_nothing(checkout: Checkout, source: str) -> None:
    assert renamed(checkout, {}, {LOADER: source}) == []


def test_another_text_beside_the_name_shows_nothing(checkout: Checkout) -> None:
    """It may be what is loaded."""
    before, after = (loader_source([name, *OTHERS]) + f"x = '{name} of {name}'\n" for name in ("tiny", "tinier"))
    assert renamed(checkout, {LOADER: before}, {LOADER: after}) == []


def test_an_entry_that_got_another_id(checkout: Checkout) -> None:
    """A model without variants got some: its entry shows which of them it is now."""
    yaml = YAML[INFERENCE]
    single = yaml + "  beta/pytorch-single_device-inference:\n    status: EXPECTED_PASSING\n    required_pcc: 0.9\n"
    several = single.replace("beta/pytorch-single", "beta/pytorch-1b-single")
    place = f"{MODELS}/beta/pytorch/loader.py"
    before = {CONFIG: single, place: loader_source([])}
    after = {CONFIG: several, place: loader_source(["1b", "176b"])}
    found = renamed(checkout, before, after)
    why = "its entry got this id where it is in its file"
    assert Rename("beta/pytorch-single_device-inference", "beta/pytorch-1b-single_device-inference", why) in found
    assert {one.after.split("-")[1] for one in found} == {"1b"} and len(found) == 6
