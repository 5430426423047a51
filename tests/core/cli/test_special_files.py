# SPDX-License-Identifier: Apache-2.0
"""A file of the checkout or of the settings that is a device, a pipe or endless is a finding, at once; never a hang."""

import json
import resource
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.sources import Checkout
from tests.faults.player import Ended, Player
from tests.support.cli import call
from tests.support.special import SPECIAL, make_special
from tests.support.tree import INFERENCE, sample

ID = "alpha/pytorch-tiny-single_device-inference"
PRESET = ".github/workflows/test-matrix-presets/nightly.json"
_MOST_MEMORY = 3 << 30
_SECONDS = 10.0
"""Far more than a command takes, and far less than for ever."""
_OF_THE_CHECKOUT = {
    "third_party/tt_forge_models/alpha/pytorch/loader.py": "broken-loader",
    f"tests/runner/test_config/{INFERENCE}": "broken-yaml",
    "tests/runner/test_config/torch/test_config_placeholders.yaml": "broken-yaml",
    "tests/runner/test_config/constants.py": "broken-schema",
    PRESET: "broken-preset",
    ".github/workflows/schedule-nightly.yml": "broken-workflow",
    ".test_durations": "broken-durations",
    "tests/op_manifests/scores.yaml": "op-manifest",
}
_OF_A_PERSON = {
    "config/settings.toml": ("list",),
    "config/hosts.toml": ("hosts", "list"),
    "config/policy.toml": ("policy",),
    "checkout/ttmatrix-policy.toml": ("policy",),
    "checkout/ttmatrix-profiles.toml": ("profiles",),
    "operations.json": ("edit", "--apply", "operations.json"),
}
_MEANT = ("endless device", "pipe", "huge")
"""Kinds that would never end; the others only cannot be read."""


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("template") / "tt-xla"
    sample(root)
    for name in _OF_THE_CHECKOUT:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
    # Everything is loaded before the commands are forked.
    for words in (("doctor", "--json"), *_OF_A_PERSON.values()):
        call(*words, "--repo", root)
    return root


@pytest.fixture
def checkout(template: Path, tmp_path: Path) -> Checkout:
    shutil.copytree(template, tmp_path / "checkout")
    return Checkout(tmp_path / "checkout")


def asked(words: tuple[object, ...], home: Path) -> Ended:
    """The end of a command with little memory; fails if it does not come soon."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))

    player = Player(words, home / "said", {"TTMATRIX_HOME": str(home)}, limited)
    begun = time.monotonic()
    if not player.is_over(_SECONDS):
        player.kill()
    ended = player.wait()
    assert not ended.killed, f"{words} took {time.monotonic() - begun:.0f} s"
    assert "Traceback" not in ended.said, ended.said
    return ended


def files() -> Iterator[tuple[str, str]]:
    for kind in SPECIAL:
        few = kind in _MEANT or kind == "link to nothing"
        yield from ((name, kind) for name in (_OF_THE_CHECKOUT if few else [*_OF_THE_CHECKOUT][:3]))


@pytest.mark.parametrize(("name", "kind"), [one for one in files() if one[1] != "directory"])
def test_a_file_of_the_checkout_is_a_finding(checkout: Checkout, tmp_path: Path, name: str, kind: str) -> None:
    (checkout.root / name).unlink(missing_ok=True)
    make_special(kind, checkout.root / name)
    ended = asked(("doctor", "--json", "--repo", checkout.root), tmp_path)
    found = json.loads(ended.said)
    assert (_OF_THE_CHECKOUT[name], name) in {(one["kind"], one["file"]) for one in found}, found
    for words in (("list",), ("show", ID), ("jobs",)):
        assert asked((*words, "--repo", checkout.root), tmp_path).code in (0, 1, 64)


@pytest.mark.parametrize("kind", _MEANT)
@pytest.mark.parametrize("name", _OF_A_PERSON)
def test_a_file_of_a_person_is_refused_by_name(checkout: Checkout, tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    make_special(kind, tmp_path / name)
    words = [tmp_path / word if word == name else word for word in _OF_A_PERSON[name]]
    if name == "operations.json" and kind == "pipe":
        pytest.skip("a person may name a pipe, and then waits for what comes through it")
    ended = asked((*words, "--repo", checkout.root), tmp_path)
    assert ended.code == 2
    assert name in ended.said and SPECIAL[kind].partition(";")[0] in ended.said, ended.said
