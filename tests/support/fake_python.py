# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the checkout's interpreter: payload, pytest and our probe behave as the variant's name says."""

import stat
import sys
from pathlib import Path

_SCRIPT = r"""#!@PYTHON@
import json, os, re, shutil, sys, time

LINE = " ".join(sys.argv)


def probe():
    versions = {"python": "3.12.0", "torch": "2.9.0", "torch_xla": "2.9.0", "pjrt_plugin_tt": "0.1", "pytest": "9.0.2",
                "yaml": "6.0"}
    print("TTMATRIX-PROBE", json.dumps(versions | {"jax": None}))


def pytest():
    file, name = re.search(r"--junitxml=(\S+)", LINE)[1], re.search(r"::(\S+)", LINE)[1]
    print("collected 1 item", flush=True)
    if "3B" in name:
        sys.exit(3)
    if "1B" in name:
        assert os.environ["ENABLE_BRINGUP_STAGE_LOGGING"] == "1"
        with open("._bringup_stage.txt", "w") as stage:
            stage.write("RUNTIME_EXECUTION_START")
        os.kill(os.getpid(), 11)
    hang()
    failure = "<failure message='RuntimeError: TT_FATAL'>E   RuntimeError: TT_FATAL</failure>" if fails() else ""
    tags = {"pcc": 0.98, "bringup_status": "PASSED"}
    with open(file, "w") as out:
        out.write(f'<testsuites><testsuite><testcase name="{name}" time="1"><properties><property name="tags"')
        out.write(f' value="{tags}"/></properties>{failure}</testcase></testsuite></testsuites>')
    sys.exit(1 if failure else 0)


def payload():
    nonce = re.search(r"--nonce=(\w+)", LINE)[1]
    print("loading the model", flush=True)
    hang()
    ok = not fails()
    phase = {"dtype": "bfloat16", "ok": ok, "step": None if ok else "forward", "error_type": "RuntimeError",
             "error": None if ok else "mat1 and mat2 must have the same dtype", "inputs": [], "output": None}
    result = {"version": 1, "nonce": nonce, "problem": None, "phases": [phase]}
    print("TTMATRIX-RESULT " + json.dumps(result), flush=True)
    sys.exit(0 if ok else 1)


def extraction():
    with open(re.search(r"--output=(\S+)", LINE)[1], "w") as out:
        out.write("model: tiny\ncases:\n  - {name: torch.relu.1, op: torch.relu, inputs: [{tensor: {shape: [2]}}]}\n")
    said = {"cases": 1, "calls": 2, "left_out": {"torch.rand: random or uninitialised values": 1}, "failure": ""}
    nonce, into = (re.search(rf"--{name}=(\S+)", LINE) for name in ("nonce", "into"))
    if not nonce:
        print("TTMATRIX-OPS", json.dumps(said))
        return
    os.makedirs(os.path.dirname(into[1]), exist_ok=True)
    shutil.copy(re.search(r"--output=(\S+)", LINE)[1], into[1])
    said |= {"file": into[1], "model": "tiny", "in_file": 1, "added": 1, "version": 1, "nonce": nonce[1]}
    print("TTMATRIX-RESULT", json.dumps(said), flush=True)


def bisection():
    nonce, progress = (re.search(rf"--{name}=(\w+)", LINE) for name in ("nonce", "progress"))
    os.write(int(progress[1]) if progress else 2, b"    1 torch.relu, so far 0.00e+00\n")
    if nonce:
        line = {"version": 1, "nonce": nonce[1], "verdict": "op", "message": "op: torch.sigmoid in gate departs"}
        line |= {"op": "torch.sigmoid", "module": "gate", "line": "tiny/model.py:12", "drift": [0.0, 1e-3, 0.02]}
        print("TTMATRIX-RESULT " + json.dumps(line), flush=True)
        sys.exit(1)
    apart = {"rel": 0.02, "max_rel": 0.024, "max_abs": 0.01, "pcc": 1.0, "mismatched": 0.0, "problem": ""}
    where = {"number": 0, "op": "torch.sigmoid", "module": "gate", "file": "tiny/model.py", "line": 12}
    departs = fails()
    first = {**where, "code": "return gate", "dtype": "bfloat16", "shape": [2], **apart, "rtol": 0.012, "atol": 0.001}
    whole = {"departs": departs, "error": "", **apart}
    report = {"verdict": "op" if departs else "none", "first": {**first, "error": ""} if departs else None}
    report |= {"departures": int(departs), "calls": 1, "complete": True, "whole": whole, "by_op": whole}
    report["curve"] = [{**where, "departs": departs, "isolated": apart, "cumulative": apart}]
    report |= {"capture": {"by": "export", "graphs": 1, "failed": []}, "passed_over": {}, "minimised": None}
    case = re.search(r"--case=(\S+)", LINE)[1] if departs else None
    report |= {"case": case, "case_fails": departs, "case_message": "", "not_in_bfloat16": "", "seconds": 1.5}
    print("TTMATRIX-BISECT", json.dumps(report))


def layers():
    asked = {}
    for place in sys.argv[2:]:
        with open(os.path.join(place, "requirements.txt")) as lines:
            asked[place] = lines.read().split()
    print("TTMATRIX-LAYERS", json.dumps(asked))


def hang():
    if "net-v1.5+aug" in LINE:
        print("waiting", flush=True)
        time.sleep(600)


def fails():
    return "org/name" in LINE


if sys.argv[1:2] == ["-c"]:
    probe()
elif sys.argv[1:3] == ["-m", "pytest"]:
    pytest()
elif sys.argv[1].endswith("ops_extract.py"):
    extraction()
elif sys.argv[1].endswith("ops_bisect.py"):
    bisection()
elif sys.argv[1].endswith("requirements_lacking.py"):
    layers()
else:
    payload()
"""


def without_package(python: Path, name: str) -> None:
    """Make the stand-in `python` unable to import a package."""
    script = python.read_text()
    assert f'"{name}": "' in script
    python.write_text(script.replace(f'"{name}": "', f'"{name}": None and "'))


def use_fake_python(home: Path, directory: Path) -> None:
    """Make the settings below `home` name the stand-in: variant `tiny` passes, `org/name` fails, the third hangs.

    It lacks packages that a requirements.txt asks for. On a device `1B` dies by SIGSEGV and `3B` writes no report.
    """
    script = directory / "python"
    script.write_text(_SCRIPT.replace("@PYTHON@", sys.executable))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    config = home / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "settings.toml").write_text(f'python = "{script}"\n')
