# SPDX-License-Identifier: Apache-2.0
"""core.payload.ttmatrix_payload.ops.running: the results of cases, with right kernels and with wrong ones."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
running: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.running")
backends: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.backends")
cases: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.cases")
files: Any = importlib.import_module("core.payload.ttmatrix_payload.ops.files")

HERE = files.Place(Path("m.yaml"), Path(), 2**30)
CPU = torch.device("cpu")
Change = Callable[[Any, list[Any]], Any]


class Wrong(backends.Eager):  # type: ignore[misc]
    """A backend with a wrong kernel: `change` is given the right output and the arguments."""

    name = "wrong"

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change

    def compile(self, model: Any, settings: Any, stage: Any) -> Any:
        return lambda *args, **kwargs: self.change(model(*args, **kwargs), list(args))


def tensor(*shape: int, **keys: Any) -> Any:
    return cases.Tensor(shape, keys.pop("dtype", "float32"), **keys)


def case(op: str, *inputs: Any, **keys: Any) -> Any:
    def argument(one: Any) -> Any:
        tensors = isinstance(one, cases.Tensor) or (type(one) is tuple and isinstance(one[0], cases.Tensor))
        return one if tensors else cases.Value(one)

    given = map(argument, inputs)
    return cases.Case("c", op, tuple(given), **keys)


def run(one: Any, change: Change | None = None, **keys: Any) -> Any:
    backend = backends.Eager() if change is None else Wrong(change)
    return running.run_case(one, backend, keys.pop("place", HERE), **keys)


def test_a_case_that_passes_says_what_was_measured() -> None:
    stages: list[str] = []
    result = run(case("torch.add", tensor(4), 1.0), told=stages.append)
    assert (result.status, result.message, result.stage) == ("pass", "", "compare")
    assert stages == ["reference", "test", "compare"]
    assert (result.max_abs, result.max_rel, result.mismatched, result.pcc) == (0, 0, 0, pytest.approx(1))
    assert min(result.seconds.build, result.seconds.eager, result.seconds.run) > 0
    assert result.seconds.compile is None
    assert result.peak_bytes is None or result.peak_bytes >= 0


def _two_percent(output: Any, _: Any) -> Any:
    output.view(-1)[0] *= 1.02
    return output


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_two_percent, "1 of 100 elements differ"),
        (lambda output, _: output.double(), "output is float64, the reference float32"),
        (lambda output, _: output.to("meta"), "output is on meta, not on cpu"),
        (lambda output, _: output[:50], "output has a shape of [50]"),
        (lambda output, _: (output,), "output is a tuple, the reference a tensor"),
        (lambda _, args: args[0].zero_(), "input 0, afterwards:"),
        (lambda *_: None, "output is a NoneType, the reference a tensor"),
    ],
)
def test_a_wrong_kernel_fails(change: Change, text: str) -> None:
    result = run(case("torch.sigmoid", tensor(100)), change)
    assert result.status == "fail"
    assert text in result.message


def test_an_op_in_place_that_writes_nothing_fails() -> None:
    """Even if its result is right."""
    one = case("torch.mul_", tensor(8, init="ones"), 3.0)
    assert run(one).status == "pass"

    def nothing_written(output: Any, args: list[Any]) -> Any:
        right = output.clone()
        args[0].fill_(1.0)
        return right

    result = run(one, nothing_written)
    assert (result.status, result.message.partition(":")[0]) == ("fail", "input 0, afterwards")


@pytest.mark.parametrize(
    "one",
    [
        case("torch.setitem", tensor(4), 1, 5.0),
        case("torch.index_copy_", tensor(4, 2), 0, tensor(2, dtype="int64", init="data", data=[3, 0]), tensor(2, 2)),
        case("torch.add_", tensor(3, 3, stride=(1, 3), contiguous=False), 1.0),
        case("torch.cat", (tensor(2, 3), tensor(2, 3)), keywords={"dim": -1}),
        case("torch.reshape", tensor(4, 5, stride=(0, 1), contiguous=False), (20,)),
        case("torch.zeros", (2, 3), keywords={"dtype": cases.DtypeName("bfloat16"), "device": cases.DeviceName("cuda:0")}),
        case("torch.to", tensor(3), cases.DeviceName("cuda:0")),
        case("torch.rand", (50,)),
        case("torch.empty", (50,)),
        case("torch.new_empty", tensor(2), (50,)),
        case("torch.nn.functional.dropout", tensor(50), 0.5, True),
        case("torch.topk", tensor(50), 3),
        case("torch.sym_sum", [1, 2]),
    ],
)  # fmt: skip
def test_ops_of_all_kinds_pass_on_the_cpu(one: Any) -> None:
    result = run(one)
    assert (result.status, result.message) == ("pass", "")


def test_the_global_generator_is_as_before() -> None:
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    run(case("torch.nn.functional.dropout", tensor(50), 0.5, True))
    run(case("torch.Tensor.uniform_", tensor(50)))
    assert torch.equal(before, torch.random.get_rng_state())


def test_memory_that_nobody_wrote_has_a_shape_and_a_dtype() -> None:
    result = run(case("torch.empty", (50,)), lambda output, _: output.double())
    assert (result.status, result.message) == ("fail", "output is float64, the reference float32")


def test_copies_keep_layout_and_shared_memory() -> None:
    row = torch.arange(6.0).as_strided((2, 3), (1, 1), 2)
    copied = running.copy_to(row, CPU)
    assert (copied.stride(), copied.storage_offset(), copied.equal(row)) == ((1, 1), 2, True)
    copied[0, 1] = 9
    assert (copied[1, 0], row[1, 0]) == (9, 3)


RAISES = cases.Raises("RuntimeError", "view")


def _raising(error: Exception) -> Change:
    def change(*_: Any) -> Any:
        raise error

    return change


def _dynamo_error(text: str) -> Exception:
    kind = type("Unsupported", (RuntimeError,), {"__module__": "torch._dynamo.exc"})
    error: Exception = kind("graph break")
    error.__cause__ = ValueError(text)
    return error


SLICED = tensor(2, 3, 8, preset="noncontig_slice", contiguous=False)


def test_an_expected_error_must_come_from_both_sides() -> None:
    wanted = (RAISES, RAISES)
    one = case("torch.view", SLICED, [2, 24], expects_error=wanted)
    assert run(one).status == "pass"
    other = case("torch.view", SLICED, 32, -1, 2880, expects_error=wanted)
    result = run(other)
    assert (result.status, result.stage) == ("fail", "reference")
    assert "is invalid for input of size 48; expected is RuntimeError with 'view'" in result.message
    result = run(case("torch.neg", tensor(2), expects_error=wanted))
    assert result.message == "reference: nothing was raised; expected is RuntimeError with 'view'"


@pytest.mark.parametrize(
    ("error", "expected", "passes"),
    [
        (TypeError("a view"), cases.Raises("TypeError", "view"), True),
        (TypeError("a view"), cases.Raises("RuntimeError", "view"), False),
        (RuntimeError("other"), cases.Raises("RuntimeError", "view"), False),
        (RuntimeError("View 12"), cases.Raises("RuntimeError", "", r"[Vv]iew \d+"), True),
        (_dynamo_error("a view"), cases.Raises("TypeError", "view"), True),
        (_dynamo_error("other"), cases.Raises("TypeError", "view"), False),
    ],
)
def test_the_error_of_a_compiler_may_quote_the_one_that_is_expected(
    error: Exception, expected: Any, passes: bool
) -> None:
    one = case("torch.neg", tensor(2, dtype="bool"), expects_error=(cases.Raises("RuntimeError", "bool"), expected))

    class Raising(Wrong):
        def compile(self, *_: Any) -> Any:
            raise error

    result = running.run_case(one, Raising(lambda output, _: output), HERE)
    assert (result.status == "pass") is passes, result.message


def test_a_reference_that_cannot_run_is_no_failure_of_the_backend() -> None:
    result = run(case("torch.mm", tensor(2), tensor(3)), _raising(AssertionError("never called")))
    assert (result.status, result.stage) == ("error(ref)", "reference")
    assert "the reference raised RuntimeError" in result.message


def test_an_error_of_the_side_under_test_is_a_failure() -> None:
    result = run(case("torch.neg", tensor(2)), _raising(ValueError("no such kernel")))
    assert (result.status, result.message) == ("fail", "wrong raised ValueError: no such kernel")


@pytest.mark.parametrize(
    ("one", "status", "text"),
    [
        (case("torch.addd", tensor(2)), "build-error", "did you mean torch.add?"),
        (case("torch.os.system", "true"), "build-error", "no module that ops are looked up in"),
        (case("torch._C._log_api_usage_once", "x"), "not-an-op", "computes nothing"),
        (case("torch.neg", tensor(2, init="nosuch")), "build-error", "no init nosuch"),
        (
            case("torch.neg", tensor(10**12)),
            "build-error",
            "of memory, more than the 1 GiB of --max-bytes",
        ),
    ],
)
def test_what_cannot_run_is_reported_before_anything_runs(one: Any, status: str, text: str) -> None:
    result = run(one)
    assert (result.status, result.stage) == (status, "build")
    assert text in result.message


def test_large_cases_are_skipped_where_that_was_asked_for() -> None:
    one = case("torch.neg", tensor(1024))
    result = run(one, place=HERE._replace(max_bytes=1024), skip_large=True)
    assert (result.status, result.message) == ("skip", "it needs 20 KiB of memory, more than the 1 KiB of --max-bytes")
    assert run(one, place=HERE._replace(max_bytes=20 * 1024), skip_large=True).status == "pass"


def test_an_output_must_be_where_the_case_wants_it() -> None:
    """An op with a device argument must not leave its output on another device."""
    moved = run(case("torch.zeros", (2,), keywords={"device": cases.DeviceName("cpu")}), lambda out, _: out.to("meta"))
    assert "output is on meta, not on cpu" in moved.message


def test_backends_that_are_not_there_say_what_there_is() -> None:
    with pytest.raises(backends.BackendMissing, match="no device nosuch"):
        backends.choose_backend("eager", "nosuch")
    with pytest.raises(backends.BackendMissing, match=r"there are .*inductor"):
        backends.choose_backend("nosuch")


def test_a_memory_format_is_torchs_own() -> None:
    one = case("torch.contiguous", tensor(1, 2, 3, 4), keywords={"memory_format": cases.FormatName("channels_last")})
    assert run(one).status == "pass"
