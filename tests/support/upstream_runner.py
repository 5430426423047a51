# SPDX-License-Identifier: Apache-2.0
"""A runner in a checkout that captures, tees and eats output as tt-xla's own does, for a model of each way to end.

It needs pytest only, and torch_xla where a scene runs a model. Tests in `tests/xla` drive it.
"""

from collections.abc import Mapping
from pathlib import Path

from core.sources import Checkout
from tests.support.tree import loader_source, write_checkout

LOADER, BROKEN = "scenes/pytorch", "broken/pytorch"
LEGALIZE = "error: failed to legalize operation 'stablehlo.custom_call'"
BUFFERS = "Statically allocated circular buffers in program 7 clash with L1 buffers on core range [(x=0,y=0)]"
LAST_WORDS = "TT_FATAL: the last words before the abort"
CODE_13 = "Bad StatusOr access: INTERNAL: Error code: 13"
NO_WEIGHT = "no weight here: model.safetensors"

SCENES: Mapping[str, str] = {
    "passes": """
        import torch, torch_xla
        for number in range(3):
            os.write(2, b"\\rlayers %d of 3" % number)
        model = torch.nn.Linear(4, 2)
        return tester.test(lambda: model.to("xla")(torch.ones(3, 4, device="xla")).cpu())
    """,
    "raises": 'raise ValueError("no such operator in the frontend")',
    "native": f"""
        os.write(2, b"loc(1): {LEGALIZE}\\n")
        time.sleep(0.05)
        libc.printf(b"12:00:00.1 | critical | Always | TT_FATAL: {BUFFERS}\\n")
        raise RuntimeError("{CODE_13}")
    """,
    # Somebody else has read what was captured, so that only the log has it.
    "unheard": f"""
        os.write(2, b"12:00:00.1 | critical | Always | TT_FATAL: {BUFFERS}\\n")
        capture.readouterr()
        raise RuntimeError("{CODE_13}")
    """,
    "aborts": f"""
        print("printed before the abort")
        libc.printf(b"{LAST_WORDS}\\n")
        os.abort()
    """,
    "hangs": """
        libc.printf(b"about to wait for ever\\n")
        threading.Thread(target=spin, daemon=True).start()
        while True:
            time.sleep(60)
    """,
    "weightless": f'raise FileNotFoundError("{NO_WEIGHT}")',
    "slow": """
        for number in range(30):
            os.write(1, b"\\rstep %d" % number)
            time.sleep(0.1)
            if os.path.exists("enough"):
                return tester.test(lambda: None)
    """,
}
"""By variant: what happens where upstream compiles and runs the model. Add to these for further ways to end."""

_CONFTEST = '''
import io, os, pickle, shutil, sys, tempfile, threading
import pytest


def pytest_addoption(parser):
    for name in ("--log-memory", "--force-run"):
        parser.addoption(name, action="store_true", default=False)
    for name in ("--perf-report-dir", "--perf-id", "--arch"):
        parser.addoption(name, default=None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item):
    """What pytest-forked does, whose releases do not go with every pytest."""
    if not item.config.getoption("forked", False):
        return None
    from _pytest.runner import runtestprotocol
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    place = tempfile.mkdtemp(dir=os.getcwd())
    pid = os.fork()
    if not pid:
        for descriptor in (1, 2):
            os.dup2(os.open(f"{place}/{descriptor}", os.O_WRONLY | os.O_CREAT), descriptor)
        make = item.config.hook.pytest_report_to_serializable
        reports = [make(config=item.config, report=one) for one in runtestprotocol(item, log=False)]
        with open(f"{place}/reports", "wb") as file:
            pickle.dump(reports, file)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    if os.path.exists(f"{place}/reports"):
        with open(f"{place}/reports", "rb") as file:
            loaded = pickle.load(file)
        make = item.config.hook.pytest_report_from_serializable
        reports = [make(config=item.config, data=data) for data in loaded]
    else:
        said = f":-1: running the test CRASHED with signal {status & 0x7F}"
        reports = [pytest.TestReport(item.nodeid, item.location, {}, "failed", said, "teardown")]
    shutil.rmtree(place)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


@pytest.fixture(autouse=True)
def memory_usage_tracker(request):
    yield
    if request.config.getoption("--log-memory"):
        print("Test memory usage: 1 MB")


class _Tee:
    """A descriptor led into memory, and a thread that never rests and copies it to where the descriptor went."""

    def __init__(self, stream):
        self.number = stream.fileno()
        self.saved, self.memory = os.dup(self.number), os.memfd_create("tee")
        self.seen, self.position, self.end = io.StringIO(), 0, None
        os.dup2(self.memory, self.number)
        threading.Thread(target=self.copy, daemon=True).start()

    def copy(self):
        while self.end is None or self.position < self.end:
            data = os.pread(self.memory, 65536, self.position)
            if data:
                self.position += len(data)
                self.seen.write(data.decode(errors="replace"))
                os.write(self.saved, data)


class _Tees:
    def __init__(self):
        self.tees = [_Tee(sys.stdout), _Tee(sys.stderr)]

    def readouterr(self):
        return type("Read", (), dict(zip(("out", "err"), (tee.seen.getvalue() for tee in self.tees))))


@pytest.fixture
def captured_output_fixture(request):
    forked, captured = request.config.getoption("forked", False), request.config.getoption("capture") != "no"
    if forked or captured:
        yield request.getfixturevalue("capfd")
        return
    tees = _Tees()
    yield tees
    for tee in tees.tees:
        os.dup2(tee.saved, tee.number)
        tee.end = os.fstat(tee.memory).st_size
'''

_RUNNER = '''
import ctypes, importlib.util, json, os, sys, threading, time, warnings
from pathlib import Path
import pytest

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "third_party/tt_forge_models"
libc = ctypes.CDLL(None)


def _variants(path):
    """As upstream does, a loader that cannot be imported has no tests, and a warning on stderr says so."""
    sys.path.append(str(MODELS.parent))
    spec = importlib.util.spec_from_file_location("loader", MODELS / path / "loader.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        print(f"12:00 | WARNING | Cannot import path: {MODELS / path / 'loader.py'}: {error}", file=sys.stderr)
        return []
    return [f"{path}-{one}" for one in module.ModelLoader._VARIANTS]


IDS = [id for path in ("@LOADER@", "@BROKEN@") for id in _variants(path)]


class ModelTester:
    """The part of upstream's tester that is timed."""

    def __init__(self):
        self._input_activations = type("Tensor", (), {"shape": (3, 4)})()
        self._perf_measurements = []

    def test(self, run):
        self._perf_measurements.append(self._test_e2e_perf(run))
        self._run_on_tt_device(run)

    def _test_e2e_perf(self, run):
        self._run_on_tt_device(run)
        begin = time.perf_counter()
        self._run_on_tt_device(run)
        seconds = time.perf_counter() - begin
        return {"warmup_iters_count": 1, "perf_iters_count": 1, "total_time": seconds, "avg_time": seconds,
                "perf_times": [seconds]}

    def _run_on_tt_device(self, run):
        return run()


def spin():
    while True:
        pass


@SCENES@


def _told(output, error):
    """The line of the captured output that upstream quotes, else the exception."""
    for line in output.splitlines():
        if "circular buffers" in line.lower():
            return line[line.find("Statically allocated"):].strip()
        if "error:" in line:
            return line[line.find("error:"):].strip()
    return str(error)


@pytest.mark.parametrize("mode", ["inference"])
@pytest.mark.parametrize("parallelism", ["single_device"])
@pytest.mark.parametrize("entry", IDS)
def test_all_models_torch(entry, parallelism, mode, record_property, request, captured_output_fixture):
    print(f"Running {request.node.nodeid}", flush=True)
    libc.printf(b"a line of the device's library\\n")
    tester, passed, said = ModelTester(), False, ""
    try:
        globals()[f"scene_{entry.rpartition('-')[2]}"](tester, captured_output_fixture)
        passed = True
    except Exception as error:
        read = captured_output_fixture.readouterr()
        said = _told(read.out + read.err, error)
        raise
    finally:
        if said:
            record_property("error_message", said)
        tags = {"test_name": "test_all_models_torch", "specific_test_case": request.node.name,
                "bringup_status": "PASSED" if passed else "UNKNOWN", "arch": request.config.getoption("--arch"),
                "model_test_status": "ModelTestStatus.EXPECTED_PASSING"}
        record_property("tags", tags)
        place = request.config.getoption("--perf-report-dir")
        if place:
            os.makedirs(place, exist_ok=True)
            name = f"report_perf_{entry.replace('/', '_')}_{request.config.getoption('--perf-id')}.json"
            Path(place, name).write_text(json.dumps({"model": entry, "measurements": []}))
'''


def write_upstream(root: Path, scenes: Mapping[str, str] = SCENES) -> Checkout:
    """A checkout with that runner, a model of one variant for each scene, and one whose loader cannot be imported."""
    loaders = {LOADER: loader_source(list(scenes)), BROKEN: "import no_such_package\n" + loader_source(["base"])}
    checkout = write_checkout(root, loaders, {})
    functions = [f"def scene_{name}(tester, capture):\n{_indented(body)}" for name, body in scenes.items()]
    runner = root / "tests/runner"
    (root / "tests/conftest.py").write_text(_CONFTEST)
    (root / "pytest.ini").write_text("[pytest]\naddopts = --tb=short\n")
    text = _RUNNER.replace("@LOADER@", LOADER).replace("@BROKEN@", BROKEN)
    (runner / "test_models.py").write_text(text.replace("@SCENES@", "\n\n".join(functions)))
    return checkout


def test_id(scene: str, loader: str = LOADER) -> str:
    """The id of the test of a scene."""
    return f"{loader}-{scene}-single_device-inference"


def _indented(body: str) -> str:
    lines = [line for line in body.splitlines() if line.strip()]
    depth = min(len(line) - len(line.lstrip()) for line in lines)
    return "\n".join(f"    {line[depth:]}" for line in lines)
