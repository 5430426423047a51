# SPDX-License-Identifier: Apache-2.0
"""Settings are typed, and a mistake is reported with its key and place."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.settings import Profile, Settings, load_settings, paths, read_settings


def test_absent_means_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "settings.toml") == Settings()


def test_values_are_read(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('python = "/opt/python"\ncpu_slots = 4\ncpu_timeout = 60\n')
    assert load_settings(file) == Settings(python="/opt/python", cpu_slots=4, cpu_timeout=60)


def test_profiles_are_tables(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        '[profiles.irs]\narguments = ["--dump-irs"]\nenvironment = {A = "b"}\ntimeout = 60\n[profiles.bare]'
    )
    profiles = {"irs": Profile(("--dump-irs",), {"A": "b"}, 60), "bare": Profile()}
    assert load_settings(file) == Settings(profiles=profiles)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("pyhton = 'x'", "pyhton"),
        ("cpu_slots = 'many'", "cpu_slots"),
        ("cpu_slots = true", "cpu_slots"),
        ("x = [", "settings"),
        ("profiles = 3", "profiles"),
        ("profiles.x = 3", "profiles"),
        ("[profiles.x]\nargument = []", "argument"),
        ("[profiles.x]\narguments = 'x'", "arguments"),
        ("[profiles.x]\narguments = [1]", "arguments"),
        ("[profiles.x]\nenvironment = {A = 1}", "environment"),
        ("[profiles.x]\ntimeout = 'x'", "timeout"),
        ("[profiles.x]\ntimeout = inf", "timeout"),
        ("keep_gib = nan", "keep_gib"),
        (f"keep_days = 1{'0' * 400}", "keep_days"),
        ('python = "a\\u0000b"', "python"),
        ('[profiles.x]\narguments = ["a\\u0000b"]', "arguments"),
        ('[profiles.x]\nenvironment = {A = "a\\u0000b"}', "environment"),
        ("[profiles.x]\nenvironment = {'A=B' = 'x'}", "A=B"),
        ("[profiles.x]\nenvironment = {'' = 'x'}", "environment"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    with pytest.raises(TTMatrixError) as caught:
        load_settings(file)
    assert said in str(caught.value)
    assert str(file) in str(caught.value)


def test_home_holds_everything(tmp_path: Path) -> None:
    own = paths({"TTMATRIX_HOME": str(tmp_path)})
    assert all(tmp_path in path.parents for path in (own.config, own.state, own.cache, own.runs, own.settings_file))


def test_without_home_the_platform_decides() -> None:
    own = paths({})
    assert own.config.name == own.state.name == own.cache.name == "ttmatrix"


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(
        'cpu_slots = "two"\nnonsense = 1\ncpu_timeout = 60\n'
        '[profiles.a]\ntimeout = "soon"\n[profiles."b c"]\n[profiles.d]\ntimeout = 5\n'
        '[profiles.e]\nenvironment = {"A=B" = "c"}\n'
    )
    with pytest.raises(TTMatrixError) as raised:
        load_settings(file)
    assert raised.value.title == f"5 settings in {file} are wrong"
    lines = raised.value.detail.splitlines()
    assert len(lines) == 5
    for words in ("'cpu_slots'", "'nonsense'", "'timeout' of profile 'a'", "'b c'", "'A=B'"):
        assert sum(words in line for line in lines) == 1, words
    found, problems = read_settings(file)
    assert len(problems) == 5
    assert (found.cpu_timeout, [*found.profiles]) == (60, ["d"])
