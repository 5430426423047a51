# SPDX-License-Identifier: Apache-2.0
"""Profiles are found, checked before anything starts, and reach the command of the runner."""

from pathlib import Path

import pytest

from core.base.errors import TTMatrixError, UsageError
from core.base.settings import Profile, Scalar, Settings
from core.domain.model import TEST_MODULE
from core.matrix import index
from core.payload.ttmatrix_payload.models.compile_options import (
    TRACE_ADVICE,
    TRACE_REGION,
    CompileOptions,
    ignored,
    read_words,
    words,
)
from core.runs import RunSpec, how_to_dump, shell_command
from core.runs.planning import (
    EXPORT_KINDS,
    Export,
    Options,
    Source,
    Survey,
    default_kind,
    find_profile,
    known_profiles,
    plan_again,
    plan_test,
    plan_tests,
)
from core.runs.planning.kinds import PAYLOAD, PROFILE_PLUGIN, wants_device
from core.runs.planning.preflight_checks import obstacles
from core.runs.planning.profiles import sweep
from core.runs.spec import DUMPING
from core.sources import Checkout
from tests.support.tree import sample

TINY = "alpha/pytorch-tiny-single_device-inference"
FAST = Profile(
    options={"optimization_level": 2, "experimental_kv_cache_dtype": "bfp_bf8", "tt_enable_composite_ops": False},
    weights={"*.fc[12].weight": "bfp_bf4"},
    batch_size=8,
)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return sample(tmp_path / "checkout")


def plan(checkout: Checkout, profile: str, settings: Settings, kind: str = "device") -> RunSpec:
    matrix = index(checkout)
    return plan_test(matrix, TINY, settings, runs=Path("/runs"), kind=kind, profile=profile)


def with_runner(checkout: Checkout) -> None:
    (checkout.root / TEST_MODULE).parent.mkdir(parents=True, exist_ok=True)
    (checkout.root / TEST_MODULE).write_text("")


def test_the_checkouts_file_is_shared_and_the_settings_win(checkout: Checkout) -> None:
    (checkout.root / "ttmatrix-profiles.toml").write_text(
        "[profiles.a]\nbatch_size = 2\n[profiles.b]\nbatch_size = 3\n"
    )
    settings = Settings(profiles={"a": Profile(batch_size=4)})
    assert known_profiles(checkout, settings) == {"a": Profile(batch_size=4), "b": Profile(batch_size=3)}
    (checkout.root / "ttmatrix-profiles.toml").write_text("cpu_slots = 3")
    with pytest.raises(TTMatrixError, match="may have profiles only"):
        known_profiles(checkout, settings)
    (checkout.root / "ttmatrix-profiles.toml").write_text("[")
    with pytest.raises(TTMatrixError, match="Cannot read profiles"):
        known_profiles(checkout, settings)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("fest", "Did you mean fast?"),
        ("default+optimisation_level=1", "Did you mean optimization_level?"),
        ("default+optimization_level=3", "must be one of 0, 1, 2, not 3"),
        ("default+optimization_level=high", "must be a whole number, not 'high'"),
        ("default+enable_trace=maybe", "must be true or false, not 'maybe'"),
        ("default+math_fidelity=4", "must be a text, not 4"),
        ("default+backend=gpu", "must be one of auto, tt"),
        ("default+batch_size=many", "must be a whole number"),
        ("default+batch_size=0", "must be at least 1"),
        ("default+enable_trace", "changes nothing"),
        ("weights", "must be bfp_bf8, bfp_bf4 or bf16"),
        ("pattern", "is not a pattern"),
    ],
)
def test_what_does_not_exist_is_refused_with_the_nearest(checkout: Checkout, name: str, said: str) -> None:
    odd = {"weights": Profile(weights={"*": "int4"}), "pattern": Profile(weights={"a=b": "bf16"})}
    with pytest.raises(UsageError) as caught:
        find_profile(checkout, Settings(profiles={"fast": FAST, **odd}), name)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ({"experimental_weight_dtype": "bfp8"}, 'Write experimental_weight_dtype = "bfp_bf8".'),
        ({"experimental_weight_dtype": "bfloat8_b"}, 'Write experimental_weight_dtype = "bfp_bf8".'),
        ({"experimental_weight_dtype": "BFP_BF4"}, 'Write experimental_weight_dtype = "bfp_bf4".'),
        ({"enable_trace": "true"}, "Write enable_trace = true."),
        ({"enable_trace": "False"}, "Write enable_trace = false."),
        ({"enable_trace": 1}, "Write enable_trace = true."),
        ({"optimization_level": "1"}, "Write optimization_level = 1."),
        ({"math_fidelity": "HiFi-4"}, 'Write math_fidelity = "hifi4".'),
        ({"enable_trace": "maybe"}, ""),
        ({"optimization_level": 3}, ""),
        ({"experimental_weight_dtype": "int4"}, ""),
    ],
)
def test_another_spelling_is_refused_with_the_word_that_is_meant(
    checkout: Checkout, options: dict[str, Scalar], hint: str
) -> None:
    with pytest.raises(UsageError) as caught:
        find_profile(checkout, Settings(profiles={"odd": Profile(options=options)}), "odd")
    assert caught.value.hint == hint


@pytest.mark.parametrize(("dtype", "meant"), [("bfp8", "bfp_bf8"), ("bfloat16", "bf16"), ("bfloat4_b", "bfp_bf4")])
def test_so_is_another_spelling_of_a_weight_dtype(checkout: Checkout, dtype: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_profile(checkout, Settings(profiles={"odd": Profile(weights={"*.fc": dtype})}), "odd")
    assert caught.value.hint == f'Write "*.fc" = "{meant}".'


def test_a_sweep_is_names_that_say_all_of_it(checkout: Checkout) -> None:
    settings = Settings(profiles={"fast": FAST})
    names = sweep(["", "fast"], "optimization_level", ["0", "1"])
    assert names == [f"{base}+optimization_level={level}" for base in ("default", "fast") for level in (0, 1)]
    levels = [find_profile(checkout, settings, name).options["optimization_level"] for name in names]
    assert levels == [0, 1, 0, 1]
    changed = find_profile(checkout, settings, "fast+batch_size=2+backend=xla+enable_trace=true")
    assert (changed.batch_size, changed.backend, changed.options["enable_trace"]) == (2, "xla", True)


def test_the_built_in_runner_gets_every_value(checkout: Checkout) -> None:
    settings = Settings(python="/usr/bin/python3", profiles={"fast": FAST})
    spec = plan(checkout, "fast+backend=xla", settings)
    said = CompileOptions(
        {"optimization_level": "2", "experimental-kv-cache-dtype": "bfp_bf8"},
        {"tt_enable_composite_ops": False},
        {"*.fc[12].weight": "bfp_bf4"},
        "fast+backend=xla",
        8,
    )
    assert read_words(spec.argv) == said
    assert [word for word in spec.argv if word in words(said)] == words(said)
    assert "--backend=xla" in spec.argv
    assert spec.profile == "fast+backend=xla"


def test_tt_xlas_runner_gets_them_through_a_plugin(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    with_runner(checkout)
    monkeypatch.setenv("PYTHONPATH", "/theirs")
    settings = Settings(
        python="/usr/bin/python3", profiles={"fast": FAST, "bare": Profile(("-x",)), "ir": Profile(dump=True)}
    )
    spec = plan(checkout, "fast", settings)
    assert spec.argv[spec.argv.index(PROFILE_PLUGIN) - 1] == "-p"
    assert spec.env["PYTHONPATH"] == str(PAYLOAD), "after that of the person (child_environment)"
    plain = plan(checkout, "bare", settings)
    assert PROFILE_PLUGIN not in plain.argv
    dumped = plan(checkout, "ir", settings)
    assert read_words(dumped.argv).values == {"export_path": f"/runs/{dumped.run_id}/ir"}


def test_a_kind_without_a_compiler_takes_no_compile_options(checkout: Checkout) -> None:
    settings = Settings(python="/usr/bin/python3", profiles={"fast": FAST, "batch": Profile(batch_size=3)})
    with pytest.raises(UsageError, match="--kind cpu does not take"):
        plan(checkout, "fast", settings, "cpu")
    assert "--batch-size=3" in plan(checkout, "batch", settings, "cpu").argv


def test_models_are_compiled_where_a_profile_asks_for_it_or_several_are_compared(checkout: Checkout) -> None:
    settings = Settings(python="/usr/bin/python3", profiles={"fast": FAST, "batch": Profile(batch_size=3)})
    alone = {name: default_kind(checkout, settings, [name]) for name in ("", "batch", "fast")}
    assert alone == {"": "cpu", "batch": "cpu", "fast": "device"}
    assert default_kind(checkout, settings, ["batch", "batch"]) == "cpu"
    assert default_kind(checkout, settings, ["", "batch"]) == "device"
    planned = (
        Options(profile="fast"),
        Options(profile="batch"),
        Options(others=("batch",)),
        Options("cpu", profile="fast"),
    )
    found = [plan_tests(index(checkout), [TINY], settings, one, runs=Path("/runs")) for one in planned]
    assert [[spec.kind for spec in specs] for specs, _ in found] == [["device"], ["cpu"], ["device"] * 2, []]
    assert "--kind cpu does not take" in found[-1][1][0].title


def test_a_prefix_comes_before_the_command_and_stays_when_it_runs_again(checkout: Checkout) -> None:
    prefix = ("perf", "record", "-o", "{artefacts}/perf.data", "--")
    settings = Settings(python="/usr/bin/python3", profiles={"perf": Profile(prefix=prefix)})
    matrix = index(checkout)
    spec = plan_test(matrix, TINY, settings, runs=Path("/runs"), profile="perf")
    assert spec.command[:6] == ("perf", "record", "-o", f"/runs/{spec.run_id}/perf.data", "--", "/usr/bin/python3")
    assert " perf record -o " in shell_command(spec)
    again = plan_again(spec, Path("/runs"), matrix)
    assert again.prefix[3] == f"/runs/{again.run_id}/perf.data"


@pytest.mark.parametrize(
    ("backend", "expected"), [("tt", []), ("xla", ["enable_trace"]), ("eager", ["optimization_level", "enable_trace"])]
)
def test_what_a_backend_ignores_is_known(backend: str, expected: list[str]) -> None:
    asked = CompileOptions({"optimization_level": "1", "enable_trace": "true", "export_path": "x"})
    assert ignored(asked, backend) == expected


def test_what_is_ignored_is_said_before_the_start(checkout: Checkout, own_home: Path, tmp_path: Path) -> None:
    settings = Settings(python="/usr/bin/python3", profiles={"trace": Profile(options={"enable_trace": True})})
    specs = [plan(checkout, "trace+backend=xla", settings)]
    versions = {"pytest": "1", "torch": "1", "torch_xla": "1", "ruamel": "1"}
    seen = Survey("", False, None, None, "python", versions, "", "host", "boot", source=Source.ASKED)
    said = [one.what for one in obstacles(specs, seen, settings, {}, tmp_path)]
    assert "Profile trace+backend=xla: the backend xla ignores enable_trace" in said


@pytest.mark.parametrize(("backend", "warned"), [("eager", True), ("inductor", False)])
def test_a_dump_of_a_backend_that_compiles_nothing_is_said_before_and_after(
    checkout: Checkout, own_home: Path, tmp_path: Path, backend: str, warned: bool
) -> None:
    settings = Settings(python="/usr/bin/python3", profiles={"ir": Profile(dump=True, backend=backend)})
    spec = plan(checkout, "ir", settings)
    versions = {"pytest": "1", "torch": "1", "torch_xla": "1", "ruamel": "1"}
    seen = Survey("", False, None, None, "python", versions, "", "host", "boot", source=Source.ASKED)
    said = [one for one in obstacles([spec], seen, settings, {}, tmp_path) if "dump has no effect" in one.what]
    assert [one.remedy for one in said] == ([DUMPING] if warned else [])
    assert ("eager compiles nothing" in how_to_dump(spec)) is warned
    assert ("a profile that dumps" in how_to_dump(spec)) is not warned


def test_a_trace_without_memory_is_said_before_the_start(checkout: Checkout, own_home: Path, tmp_path: Path) -> None:
    def said(environ: dict[str, str], **more: object) -> list[str]:
        profile = Profile(options={"enable_trace": True}, backend="tt", **more)  # type: ignore[arg-type]
        settings = Settings(python="/usr/bin/python3", profiles={"trace": profile})
        found = obstacles([plan(checkout, "trace", settings)], seen, settings, environ, tmp_path)
        return [one.remedy for one in found if TRACE_REGION in one.what]

    versions = {"pytest": "1", "torch": "1", "torch_xla": "1", "ruamel": "1"}
    seen = Survey("", False, None, None, "python", versions, "", "host", "boot", source=Source.ASKED)
    assert said({}) == [TRACE_ADVICE]
    assert said({TRACE_REGION: "1"}) == said({}, environment={TRACE_REGION: "1"}) == []


@pytest.mark.parametrize("kind", EXPORT_KINDS)
def test_an_export_takes_place_and_tensors_from_the_request_before_the_profile(checkout: Checkout, kind: str) -> None:
    settings = Settings(profiles={"out": Profile(options={"export_path": "there", "export_tensors": True})})
    named = "alpha_pytorch-tiny-single_device-inference"
    spec = plan(checkout, "out", settings, kind)
    assert f"--to={kind}" in spec.argv
    assert f"--directory=/runs/{spec.run_id}/ir" in spec.argv
    assert f"--export-path={checkout.root}/there/{named}" in spec.argv
    assert "--export-tensors=true" in spec.argv
    export = Export(Path("/elsewhere"), False)
    spec = plan_test(index(checkout), TINY, settings, runs=Path("/runs"), kind=kind, profile="out", export=export)
    assert f"--export-path=/elsewhere/{named}" in spec.argv
    assert "--export-tensors=false" in spec.argv


def test_an_export_path_with_files_and_one_for_two_runs_are_refused(checkout: Checkout, tmp_path: Path) -> None:
    taken = tmp_path / "out/alpha_pytorch-tiny-single_device-inference/main.py"
    taken.parent.mkdir(parents=True)
    taken.write_text("edited")
    matrix, export = index(checkout), Export(tmp_path / "out")
    for options, said in (
        (Options("export", export=export), "The export path is taken"),
        (Options("export", export=export, repeat=2), "Several runs of a test cannot export to the same place"),
        (Options("cpu", export=export), "--kind cpu exports nothing"),
    ):
        specs, refused = plan_tests(matrix, [TINY], Settings(), options, runs=Path("/runs"))
        assert (specs, [one.title for one in refused]) == ([], [said])


def test_options_that_change_no_graph_are_named_before_an_export(checkout: Checkout) -> None:
    spec = plan(checkout, "fast", Settings(profiles={"fast": FAST}), "export")
    seen = Survey("", False, None, None, "python", {"torch": "2"}, "", "host", "boot", source=Source.ASKED)
    found = [one.what for one in obstacles([spec], seen, Settings(), {}, Path("/"))]
    (said,) = [one for one in found if "ignores" in one]
    assert said.startswith("Profile fast: --kind export ignores optimization_level, experimental-kv-cache-dtype")


def test_code_is_generated_where_devices_are_and_graphs_are_exported_here(checkout: Checkout) -> None:
    found = {kind: wants_device(plan(checkout, "", Settings(), kind)) for kind in EXPORT_KINDS}
    assert found == {"export": False, "codegen_py": True, "codegen_cpp": True}


def test_a_checkout_from_before_overrides_of_weights_refuses_them(checkout: Checkout) -> None:
    settings = Settings(profiles={"fast": FAST})
    assert find_profile(checkout, settings, "fast") == FAST
    package = checkout.root / "python_package/tt_torch"
    package.mkdir(parents=True)
    with pytest.raises(UsageError, match="cannot override their dtypes"):
        find_profile(checkout, settings, "fast")
    (package / "weight_dtype.py").write_text("")
    assert find_profile(checkout, settings, "fast") == FAST
