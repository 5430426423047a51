# SPDX-License-Identifier: Apache-2.0
"""The shipped files: all of them, nothing else, and importable once laid out."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from core.base.errors import TTMatrixError
from core.demo import template
from core.demo.template import TEST_CONFIG, expectations_dir, package_markers, sample_files
from core.sources import Checkout, Schema, loader_directories, read_schema, scan_loaders

ROOT = Path(__file__).parents[3]
PRESETS = ".github/workflows/test-matrix-presets"


def test_expectations_are_at_the_top_of_the_source_tree() -> None:
    assert expectations_dir() == ROOT / "test_config"


def test_expectations_are_inside_an_installed_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = tmp_path / "core" / "demo"
    (installed / "test_config" / "torch").mkdir(parents=True)
    (tmp_path / "test_config" / "torch").mkdir(parents=True)
    monkeypatch.setattr(template, "_HERE", installed)
    assert expectations_dir() == installed / "test_config"


def test_missing_expectations_name_both_places(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(template, "_HERE", tmp_path / "core" / "demo")
    with pytest.raises(TTMatrixError) as caught:
        expectations_dir()
    assert str(tmp_path / "core" / "demo" / "test_config") in caught.value.detail
    assert str(tmp_path / "test_config") in caught.value.detail
    assert caught.value.hint


def test_files_of_both_places_are_there_with_hidden_ones_and_markers() -> None:
    files = sample_files()
    assert list(files) == sorted(files)
    assert files[".gitignore"] == "__pycache__/\n*.pyc\n"
    assert files["third_party/tt_forge_models/tinynet/pytorch/__init__.py"] == ""
    name = "torch/test_config_inference_single_device.yaml"
    assert files[f"{TEST_CONFIG}/{name}"] == (ROOT / "test_config" / name).read_text(encoding="utf-8")


def test_compiled_modules_beside_the_sources_are_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cache = tmp_path / "tree" / "third_party" / "__pycache__"
    cache.mkdir(parents=True)
    (cache / "base.cpython-311.pyc").write_bytes(b"\xa7\r\r\n")
    (cache.parent / "base.py").write_text("")
    monkeypatch.setattr(template, "_TREE", tmp_path / "tree")
    below = {path for path in sample_files() if path.startswith("third_party")}
    assert below == {"third_party/base.py", "third_party/__init__.py"}


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=4)))
def test_every_module_below_third_party_is_in_packages_only(folders: list[list[str]]) -> None:
    modules = ["/".join(["third_party", *folder, "loader.py"]) for folder in folders]
    markers = package_markers([*modules, "tests/runner/constants.py", "third_party/x/requirements.txt"])
    needed = {f"{module[:end]}/__init__.py" for module in modules for end in range(len(module)) if module[end] == "/"}
    assert markers == needed


def test_presets_name_jobs_and_include_files_that_exist() -> None:
    presets = {path: json.loads(text) for path, text in sample_files().items() if path.startswith(PRESETS)}
    included = [name for jobs in presets.values() for job in jobs for name in job.get("include", ())]
    assert included and all(f"{PRESETS}/{name}" in presets for name in included)
    jobs = [job for jobs in presets.values() for job in jobs if "include" not in job]
    assert all({"runs-on", "name", "dir", "test-mark", "forge-models"} <= job.keys() for job in jobs)
    assert {job["runs-on"] for job in jobs} <= set(Schema().archs)


def test_constants_say_what_upstream_says(sample: Checkout) -> None:
    found, findings = read_schema(sample)
    assert findings == ()
    assert set(found.archs) == set(Schema().archs)
    assert set(found.fields) == set(Schema().fields)
    others = [name for name in Schema._fields if name not in ("archs", "fields")]
    assert {name: getattr(found, name) for name in others} == {name: getattr(Schema(), name) for name in others}


def test_readme_names_every_model(sample: Checkout) -> None:
    readme = (sample.root / "README.md").read_text(encoding="utf-8")
    loaders, _ = scan_loaders(sample, loader_directories(sample.models, ()))
    assert [one.directory for one in loaders if f"`{one.directory.partition('/')[0]}`" not in readme] == []
