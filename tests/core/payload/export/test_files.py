# SPDX-License-Identifier: Apache-2.0
"""Which exports are complete, and where they are copied."""

from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.export.files import CPP, GRAPHS, PYTHON, NotFree, deliver, exported, faults

GOOD = "def main():\n    return 1\n"


def _written(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.mark.parametrize(
    ("target", "files", "wrong"),
    [
        (PYTHON, {"graph_0/main.py": GOOD, "graph_0/ttnn.mlir": "module {}"}, []),
        (PYTHON, {"graph_0/main.py": GOOD, "graph_0/__init__.py": ""}, []),
        (PYTHON, {}, ["The export has no main.py file"]),
        (PYTHON, {"graph_0/ttnn.mlir": "module {}"}, ["graph_0 has no main.py file"]),
        (PYTHON, {"graph_0/main.py": GOOD, "graph_1/__init__.py": ""}, ["graph_1 has no main.py file"]),
        (PYTHON, {"main.py": GOOD, "irs/ttnn_1.mlir": "module {}", "run": "", "manifest.json": ""}, []),
        (PYTHON, {"graph_0/utils.py": GOOD, "graph_0/run": "#!"}, ["graph_0 has no main.py file"]),
        (PYTHON, {"graph_0/main.py": ""}, ["graph_0/main.py is empty"]),
        (PYTHON, {"graph_0/main.py": "a\ndef main(:\n"}, ["graph_0/main.py, line 2: invalid syntax"]),
        (PYTHON, {"graph_0/main.py": "a = '\\d'\n"}, []),
        (CPP, {"graph_0/ttnn-standalone.cpp": "int main() {}"}, []),
        (CPP, {"graph_0/main.py": GOOD}, ["graph_0 has no .cpp file"]),
        (GRAPHS, {"forward.fx.0.py": GOOD, "forward.stablehlo.mlir": "module {}"}, []),
        (GRAPHS, {"forward.fx.0.py": GOOD, "forward.stablehlo.mlir": ""}, ["forward.stablehlo.mlir is empty"]),
        (GRAPHS, {}, ["The export has no .py or .jaxpr or .mlir file"]),
    ],
)
def test_an_export_is_whole_if_its_files_are_there_have_content_and_compile(
    tmp_path: Path, target: str, files: dict[str, str], wrong: list[str]
) -> None:
    assert faults(exported(_written(tmp_path, files)), target, tensors=False) == wrong


def test_python_with_bytes_that_are_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "main.py").write_bytes(b"a = '\x00'\n")
    (said,) = faults(exported(tmp_path), PYTHON, tensors=False)
    assert said.startswith("main.py")
    assert "null bytes" in said


def test_tensors_that_were_asked_for_must_be_there(tmp_path: Path) -> None:
    _written(tmp_path, {"graph_0/main.py": GOOD})
    assert faults(exported(tmp_path), PYTHON, tensors=True) == ["no tensors were written"]
    _written(tmp_path, {"graph_0/tensors/arg0.tensorbin": "1"})
    found = exported(tmp_path)
    assert faults(found, PYTHON, tensors=True) == []
    assert (found.names, found.tensors) == (["graph_0/main.py"], 1)


def test_a_copy_goes_to_a_place_without_files_only(tmp_path: Path) -> None:
    made = _written(tmp_path / "made", {"graph_0/main.py": GOOD})
    (tmp_path / "out/empty").mkdir(parents=True)
    for place in (tmp_path / "out/deep/new", tmp_path / "out/empty"):
        deliver(made, place)
        assert (place / "graph_0/main.py").read_text() == GOOD
    (place / "graph_0/main.py").write_text("edited")
    with pytest.raises(NotFree, match="is not empty: name another export path"):
        deliver(made, place)
    assert (place / "graph_0/main.py").read_text() == "edited"
    assert sorted(one.name for one in (tmp_path / "out").iterdir()) == ["deep", "empty"]
