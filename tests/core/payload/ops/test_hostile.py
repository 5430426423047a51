# SPDX-License-Identifier: Apache-2.0
"""Malicious and broken manifests: each gets its message, and nothing is executed."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from core.payload.ttmatrix_payload.ops import MOST_BYTES, Manifest, find_files, read_file, read_files, yaml_text

GOOD = "  - {name: good, op: torch.add}\n"
HEAD = f"cases:\n{GOOD}"


def _input(argument: str) -> str:
    return f"{HEAD}  - op: torch.add\n    inputs:\n      - {argument}\n"


def _case(keys: str) -> str:
    return f"{HEAD}  - {{name: bad, {keys}}}\n"


def _bomb() -> str:
    levels = "\n".join(f"x{one}: &x{one} [{', '.join([f'*x{one - 1}'] * 10)}]" for one in range(1, 9))
    return f"x0: &x0 [0]\n{levels}\n{HEAD}"


LITERALS = {
    "py-import": (_input("py: __import__('os').system('touch PWNED')"), "only slice(...) may be called"),
    "py-power": (_input("py: 9**9**9"), "cannot read '**9**9'"),
    "py-repeat": (_input("py: '[0]*10**9'"), "cannot read '*10**9'"),
    "py-deep": (_input(f"py: '{'(' * 900}'"), "nests more than 32 deep"),
    "py-long": (_input(f"py: '{'1,' * 3000}'"), "has 6,000 characters"),
    "py-huge": (_input(f"py: {'9' * 4000}"), "more than 64 bits"),
    "py-subclasses": (_input("py: '().__class__.__bases__[0].__subclasses__()'"), "expected the end, not '.'"),
    "py-lambda": (_input("py: '(lambda: 1)()'"), "cannot read ': 1)()'"),
    "value-huge": (_input(f"value: {'7' * 5000}"), "more than 64 bits"),
    "value-map": (_input("value: {a: 1}"), "not a mapping"),
    "value-many": (_input(f"value: [{'1,' * 5000}]"), "5,000 items"),
    "skip-call": (
        _case("op: torch.add, skip_if: \"__import__('os').system('touch PWNED')\""),
        "unknown name '__import__'",
    ),
    "skip-torch": (_case("op: torch.add, skip_if: \"torch.os.system('touch PWNED')\""), "unknown name 'torch'"),
    "skip-dunder": (_case("op: torch.add, skip_if: cfg.__class__"), "cfg has no '__class__'"),
    "skip-secret": (_case("op: torch.add, skip_if: \"env['AWS_SECRET_ACCESS_KEY'] == 'x'\""), "may not be asked for"),
    "skip-method": (_case("op: torch.add, skip_if: \"model.upper() == 'X'\""), "has nothing below it"),
    "skip-arithmetic": (_case("op: torch.add, skip_if: 2**9999999 > 1"), "cannot read '**9999999"),
    "xfail-call": (_case("op: torch.add, xfail_if: exit()"), "unknown name 'exit'"),
}
NAMES = {
    "op-system": (_case("op: torch.os.system"), "is in no module that ops are looked up in"),
    "op-walk": (_case("op: torch.nn.functional.torch.os.system"), "is in no module"),
    "op-load": (_case("op: torch.load"), "ops may not touch files"),
    "op-from-file": (_case("op: torch.from_file"), "ops may not touch files"),
    "op-library": (_case("op: torch.ops.load_library"), "is in no module"),
    "op-dunder": (_case("op: torch.__class__"), "is not allowed"),
    "op-blank": (_case("op: 'torch.add; import os'"), "is not a name of an op"),
    "op-eval": (_case("op: eval"), "is in no module"),
    "op-long": (_case(f"op: torch.{'a' * 290}"), "is not a name of an op"),
    "op-aten-file": (_case("op: torch.ops.aten.from_file.default"), "ops may not touch files"),
    "keyword-dunder": (_case("op: torch.add, kwmap: {'a b': 1}"), "is not a name of a keyword argument"),
}
PATHS = {
    "path-up": (_input("file: ../../secret.pt"), "leads out of the directory"),
    "path-absolute": (_input("file: /etc/passwd.pt"), "is absolute"),
    "path-url": (_input("file: 'https://example.com/a.pt'"), "is not a path relative"),
    "path-home": (_input("file: ~/a.pt"), "is not a path relative"),
    "path-pickle": (_input("file: a.pkl"), "must end in .pt"),
    "path-null": (_input('file: "a\\0.pt"'), "control characters"),
    "path-init": (_input("tensor: {shape: [1], init: file, init_args: {path: ../a.pt}}"), "leads out of the directory"),
}
SIZES = {
    "shape-huge": (_input("tensor: {shape: [1048576, 1048576]}"), "1,099,511,627,776 elements"),
    "shape-negative": (_input("tensor: {shape: [-1, 2]}"), "must be from 0 to"),
    "shape-bool": (_input("tensor: {shape: [true, 2]}"), "must be a whole number, not True"),
    "shape-many": (_input(f"tensor: {{shape: [{'1,' * 65}]}}"), "has 65 items; at most 64"),
    "shape-float": (_input("tensor: {shape: [1.5]}"), "must be a whole number, not 1.5"),
    "stride-far": (_input("tensor: {shape: [3], stride: [68719476736]}"), "lead beyond"),
    "offset-negative": (_input("tensor: {shape: [3], storage_offset: -1}"), "must be from 0 to"),
    "base-huge": (
        _input("tensor: {shape: [1048576, 65536], preset: noncontig_slice, preset_args: {step: 65536}}"),
        "more than 68,719,476,736",
    ),
    "step-zero": (
        _input("tensor: {shape: [4], preset: noncontig_slice, preset_args: {step: 0}}"),
        "step must be a whole number from 1",
    ),
    "randint-range": (
        _input("tensor: {shape: [4], dtype: uint8, init: randint, init_args: {high: 257}}"),
        "does not fit into uint8",
    ),
    "rtol-inf": (_case("op: torch.add, rtol: .inf"), "rtol must be from 0 to 1"),
    "rtol-nan": (_case("op: torch.add, rtol: .nan"), "rtol must be from 0 to 1"),
    "atol-huge": (_case("op: torch.add, atol: 1e300"), "atol must be from 0 to"),
    "seed-huge": (_case(f"op: torch.add, seed: {2**63}"), "seed must be from 0 to"),
    "regex": (_case("op: torch.add, expects_error: {match_re: '(('}"), "match_re: missing )"),
    "error-any": (_case("op: torch.add, expects_error: {type: BaseException}"), "unknown error 'BaseException'"),
}
FILES: dict[str, tuple[str | bytes, str]] = {
    "tag-python": (
        f"{HEAD}  - !!python/object/apply:os.system ['touch PWNED']\n",
        "the tag tag:yaml.org,2002:python/object",
    ),
    "tag-string": (_input("value: !!str 5"), "the tag tag:yaml.org,2002:str is not allowed"),
    "tag-binary": (_case("op: torch.add, description: !!binary aGk="), "is not allowed"),
    "alias-bomb": (_bomb(), "its aliases make more than"),
    "alias-loop": (f"{HEAD}  - &a {{name: *a}}\n", "undefined alias|refers to itself"),
    "alias-within": (f"x: &a [*a]\n{HEAD}", "undefined alias|refers to itself"),
    "deep-flow": (f"{HEAD}  - {'[' * 100_000}", "nests more than"),
    "deep-block": (f"{HEAD}  {'- ' * 3000}a\n", "nests more than"),
    "double-key": (_case("op: torch.add, op: torch.mul"), "op is there twice"),
    "double-top": (f"{HEAD}cases: []\n", "cases is there twice"),
    "double-name": (f"{HEAD}{GOOD}", "there is a case 'good' on line 2 already"),
    "merge": (f"d: &d {{op: torch.add}}\n{HEAD}  - {{<<: *d}}\n", "unknown key '<<'"),
    "unknown-key": (_case("op: torch.add, inptus: []"), "unknown key 'inptus' in a case"),
    "both-defaults": (f"default: {{}}\ndefaults: {{}}\n{HEAD}", "there are both default and defaults"),
    "two-documents": (f"{HEAD}---\n{HEAD}", "is not YAML"),
    "not-a-map": ("- 1\n", "a manifest must be a mapping"),
    "cases-map": ("cases: {a: 1}\n", "cases must be a list"),
    "empty": ("", "the file is empty"),
    "no-yaml": ("cases: [\n", "is not YAML"),
    "null-byte": (f"{HEAD}\0", "is not YAML"),
    "control": (f"{HEAD}  - {{name: '\x1b[2J', op: torch.add}}\n", "is not YAML"),
    "escape-name": (
        _case('op: torch.add, name2: "\\e[2J"').replace("name: bad, ", "").replace("name2", "name"),
        "printable",
    ),
    "model-colons": (f"model: a::b\n{HEAD}", "printable name without '::'"),
    "tab": (f"{HEAD}\t- a\n", "is not YAML"),
    "10-mb-scalar": (
        f"{HEAD}  - {{name: bad, op: torch.add, description: {'x' * 10_000_000}}}\n",
        "has 10,000,000 characters",
    ),
    "utf-16": (HEAD.encode("utf-16"), "is not UTF-8"),
    "latin-1": (b"model: caf\xe9\n", "is not UTF-8 text: byte 0xe9"),
    "too-large": (b"#" * (MOST_BYTES + 1), "bytes; at most 16,777,216 are read"),
}
_WRONG_IN_CASE = {
    "inputs": "7",
    "kwmap": "[1]",
    "attrs": "x",
    "description": "{a: 1}",
    "dtype": "[1]",
    "seed": "x",
    "rtol": "{}",
    "atol": "[]",
    "pcc": "yes",
    "expects_error": "3",
    "xfail_reason": "[1]",
    "xfail_strict": "maybe",
}
_WRONG_IN_TENSOR = {
    "init": "[rand]",
    "init_args": "7",
    "data": "{a: b}",
    "stride": "x",
    "storage_offset": "[1]",
    "preset_args": "q",
    "base_shape": "5",
    "contiguous": "7",
    "device": "[cuda]",
}
TYPES = {
    **{
        f"type-{key}": (_case(f"op: torch.neg, {key}: {value}"), f"{key} must be")
        for key, value in _WRONG_IN_CASE.items()
    },
    **{
        f"type-tensor-{key}": (_input(f"tensor: {{shape: [2], {key}: {value}}}"), f"{key} must be")
        for key, value in _WRONG_IN_TENSOR.items()
    },
    "key-number": (_case("1: 2, op: torch.neg"), "unknown key '1' in a case"),
    "key-list": (_case("? [a, b] : 2, op: torch.neg"), "a key must be a word"),
    "case-null": (f"{HEAD}  - null\n", "a case must be a mapping"),
    "case-number": (f"{HEAD}  - {'9' * 40}\n", "a case must be a mapping"),
    "bidirectional": (_case('op: "a\u202eb"'), "is not a name of an op"),
    "surrogate": (_case('op: torch.neg, description: "\\ud800"'), "is not YAML"),
}
HOSTILE: dict[str, tuple[str | bytes, str]] = {**LITERALS, **NAMES, **PATHS, **SIZES, **FILES, **TYPES}
_WHOLE_FILE = {
    "no-yaml",
    "null-byte",
    "control",
    "tab",
    "utf-16",
    "latin-1",
    "too-large",
    "empty",
    "not-a-map",
    "cases-map",
}
_WHOLE_FILE |= {
    "tag-python",
    "tag-string",
    "tag-binary",
    "alias-bomb",
    "alias-loop",
    "alias-within",
    "deep-flow",
    "deep-block",
}
_WHOLE_FILE |= {"two-documents", "surrogate"}
"""Nothing of these is read."""


def _write(directory: Path, name: str) -> Path:
    content = HOSTILE[name][0]
    path = directory / f"{name}.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture(params=["yaml", "ruamel"], autouse=True)
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the two libraries that may be installed."""
    if request.param == "ruamel":
        monkeypatch.setattr(yaml_text, "_library", yaml_text._ruamel)
    else:
        pytest.importorskip("yaml")


@pytest.mark.parametrize("name", HOSTILE)
def test_each_gets_its_message_and_costs_nothing_else(name: str, tmp_path: Path) -> None:
    start = time.process_time()
    manifest = read_file(_write(tmp_path, name))
    assert time.process_time() - start < 30
    messages = [problem.message for problem in manifest.problems if not problem.warning]
    assert any(part in message for part in HOSTILE[name][1].split("|") for message in messages), messages
    assert all(len(message) < 500 and message.isprintable() for message in messages)
    assert [case.name for case in manifest.cases] == ([] if name in _WHOLE_FILE else ["good"])


_LOOK = """
import json, sys
from pathlib import Path
from core.payload.ttmatrix_payload.ops import read_file, read_text
read_text("a: {b: 1, c: [2, 'x']}", "warm.yaml")
b"a".decode("utf-8-sig")
seen = []
def look(event, arguments):
    if event in ("exec", "compile", "os.system", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.fork", "pickle.find_class",
                 "ctypes.dlopen", "marshal.loads") or event.startswith("socket."):
        seen.append([event, str(arguments)[:200]])
    if event == "import":
        seen.append([event, str(arguments[0])])
    if event == "open" and not str(arguments[0]).startswith(sys.argv[1]) and not isinstance(arguments[0], int):
        seen.append([event, str(arguments[0])])
sys.addaudithook(look)
manifests = [read_file(path) for path in sorted(Path(sys.argv[1]).glob("*.yaml"))]
found = list(seen)
print(json.dumps([found, len(manifests), sum(bool(one.problems) for one in manifests)]))
"""


def test_nothing_is_executed_imported_or_opened(tmp_path: Path) -> None:
    for name in HOSTILE:
        _write(tmp_path, name)
    root = Path(__file__).parents[4]
    done = subprocess.run(
        [sys.executable, "-c", _LOOK, str(tmp_path)], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [[], len(HOSTILE), len(HOSTILE)]
    assert not list(root.glob("PWNED")) and not list(tmp_path.glob("PWNED"))


def test_special_files(tmp_path: Path) -> None:
    (tmp_path / "directory.yaml").mkdir()
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "device.yaml").symlink_to("/dev/zero")
    (tmp_path / "good.yaml").write_text(HEAD)
    for path in tmp_path.iterdir():
        problems = read_file(path).problems
        assert path.stem == "good" or "regular file" in problems[0].message or "directory" in problems[0].message
    found: tuple[Manifest, ...] = read_files(find_files(tmp_path, "ops", tmp_path))
    assert [bool(one.problems) for one in found] == [True, True, False, True]


@pytest.mark.parametrize(
    "text", [HEAD.replace("\n", "\r\n"), "\ufeff" + HEAD, "---\n" + HEAD + "...\n", "%YAML 1.2\n---\n" + HEAD]
)
def test_what_is_unusual_but_right_is_read(text: str, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_bytes(text.encode())
    manifest = read_file(tmp_path / "m.yaml")
    assert (manifest.problems, len(manifest.cases)) == ((), 1)


def test_a_mistake_in_one_case_loses_no_other(tmp_path: Path) -> None:
    names = [
        name
        for name in HOSTILE
        if name not in _WHOLE_FILE
        and str(HOSTILE[name][0]).startswith(HEAD)
        and name not in ("double-name", "10-mb-scalar")
    ]
    bodies = [str(HOSTILE[name][0]).removeprefix(HEAD) for name in names]
    numbered = [
        body.replace("name: bad", f"name: bad{index}") for index, body in enumerate(bodies) if body.startswith("  - ")
    ]
    (tmp_path / "m.yaml").write_text(HEAD + "".join(numbered) + GOOD.replace("good", "last"))
    manifest = read_file(tmp_path / "m.yaml")
    assert [case.name for case in manifest.cases] == ["good", "last"]
    assert len(numbered) > 40 and len({problem.line for problem in manifest.problems}) >= len(numbered)
