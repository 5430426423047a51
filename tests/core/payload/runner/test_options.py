# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.runner.options: a wrong command line is reported before anything is imported."""

import re

import pytest

from .conftest import Checkout


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--models-root=absent", "--models-root: there is no directory"),
        ("--test-config=absent", "--test-config: there is no directory"),
        ("--arch=n15O", "invalid choice: 'n15O'"),
        ("--backend=cuda", "invalid choice: 'cuda'"),
        ("--optimization-level=3", "invalid choice: 3"),
    ],
)
def test_wrong_options(checkout: Checkout, option: str, said: str) -> None:
    checkout.loader("a/pytorch", "raise AssertionError('imported')\n")
    done = checkout.run(option)
    assert done.code == 4
    assert said in done.output
    assert "imported" not in done.output


def test_the_header_says_what_is_used(checkout: Checkout) -> None:
    output = checkout.run("--arch=p150", "--collect-only").output
    assert f"models: {checkout.models}" in output
    assert f"expectations: {checkout.config}, arch: p150" in output


def test_the_log_of_a_test_that_passes_says_the_profile_and_what_is_ignored(checkout: Checkout) -> None:
    checkout.acting("pass")
    words = ("--profile-name=fast", "--compile-option=enable_trace=true", "--torch-option=x=true")
    output = checkout.run(*words).output
    assert "profile: fast\n" in output
    assert re.search(r"^ignored by the backend \w+: enable_trace, x$", output, re.MULTILINE), output


def test_a_profile_for_upstreams_runner_fits_this_one(checkout: Checkout) -> None:
    """Programs go where upstream's go; options for missing features are reported as having no effect."""
    checkout.acting("raise AssertionError(settings)")
    words = ("--dump-irs", "--optimization-level=1", "--log-pid", "--log-memory", "--enable-chisel", "--emitpy")
    text = checkout.one(*words).message
    assert "/checkout/collected_irs/pytorch_tiny_Base_cv_custom/irs" in text
    assert "optimization_level=1" in text
    output = checkout.run(*words, "--collect-only").output
    assert [f"{one} has no effect" in output for one in words] == [False, False, True, True, True, True]
    assert "/out/tiny_pytorch-Base" in checkout.one("--dump-irs", f"--serialize={checkout.root}/out").message


def test_directories_may_be_named(checkout: Checkout) -> None:
    checkout.loader("a/pytorch")
    checkout.entries({"a/pytorch-Base-single_device-inference": {"markers": ["own"]}})
    checkout.config.rename(checkout.root / "other")
    done = checkout.run("--collect-only", "-q", "-m", "own", "--test-config=other", f"--models-root={checkout.models}")
    assert len(done.ids()) == 2


def test_another_plugin_may_know_forked(checkout: Checkout) -> None:
    checkout.loader("a/pytorch")
    other = "def pytest_addoption(parser):\n    parser.getgroup('other').addoption('--forked', action='store_true')\n"
    (checkout.fake / "other.py").write_text(other)
    assert checkout.run("--collect-only", "-q", "--forked", "-p", "no:pytest_forked", "-p", "other").code == 0


@pytest.mark.parametrize(("told", "measure"), [("1", False), ("0", True)])
def test_the_environment_may_turn_off_timed_runs(checkout: Checkout, told: str, measure: bool) -> None:
    checkout.acting("raise AssertionError(settings)")
    assert f"measure={measure}" in checkout.one(environ={"DISABLE_PERF_MEASUREMENT": told}).message
