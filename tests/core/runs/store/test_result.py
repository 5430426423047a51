# SPDX-License-Identifier: Apache-2.0
"""The fields of what a run reports: whatever it wrote, each is of its type or not there."""

from hypothesis import given, strategies as st

from core.runs.store import RunResult

_NAMES = [name for name in vars(RunResult) if not name.startswith("_") and name != "raw"]
_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(_NAMES), _ANYTHING))
def test_no_value_of_a_field_is_too_odd(raw: dict[str, object]) -> None:
    said = RunResult(raw)
    for name in _NAMES:
        getattr(said, name)
    for text in (said.reason, said.cause, said.message, said.error_message, said.backend, said.device, said.summary):
        assert isinstance(text, str)
    assert said.in_file is None or isinstance(said.in_file, int)


def test_the_fields_of_each_kind_of_run() -> None:
    cpu = RunResult({"phases": [{"dtype": "bfloat16", "ok": True}, {"dtype": "float32", "step": "forward"}]})
    assert [one.ok for one in cpu.phases] == [True, False]
    assert cpu.summary.startswith("bfloat16 ok; float32 forward")
    assert RunResult({"problem": {"message": "no torch\nat all"}}).summary == "no torch"
    assert RunResult({"message": "it broke\nhere", "phases": [{}]}).summary == "it broke"
    assert RunResult({"line": "a/loader.py:12"}).line == ("a/loader.py", 12)
    assert RunResult({"line": "a/loader.py"}).line is None
    ours = RunResult({"performance": '{"run_s": 1.5, "peak_bytes": 7}', "seconds": 2})
    assert (ours.performance["run_s"], ours.peak_bytes, ours.seconds) == (1.5, 7.0, 2)
    assert RunResult({"performance": "[" * 100_000}).performance == {}
