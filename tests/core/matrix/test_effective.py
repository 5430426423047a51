# SPDX-License-Identifier: Apache-2.0
"""Resolution by the rules of docs/rules.md 2.3."""

import pytest
from hypothesis import given, strategies as st

from core.domain.model import Effective, Entry, Provenance, Status
from core.matrix import resolve, status_on, supported_archs, supports, text_of, texts, written

ENTRY = Entry(
    "x",
    "f",
    1,
    9,
    {
        "status": "EXPECTED_PASSING",
        "markers": ["push"],
        "required_pcc": 0.98,
        "arch_overrides": {"n150": {"status": "KNOWN_FAILURE_XFAIL", "markers": [], "reason": None}, "p150": None},
    },
)


@pytest.mark.parametrize(
    ("field", "arch", "value", "provenance"),
    [
        ("status", "n150", "KNOWN_FAILURE_XFAIL", Provenance.OVERRIDE),
        ("status", "p150", "EXPECTED_PASSING", Provenance.ENTRY),
        ("status", None, "EXPECTED_PASSING", Provenance.ENTRY),
        ("markers", "n150", [], Provenance.OVERRIDE),
        ("reason", "n150", None, Provenance.OVERRIDE),
        ("required_pcc", "n150", 0.98, Provenance.ENTRY),
        ("assert_pcc", "n150", True, Provenance.DEFAULT),
        ("bringup_status", "n150", None, Provenance.DEFAULT),
    ],
)
def test_resolve(field: str, arch: str | None, value: object, provenance: Provenance) -> None:
    assert resolve(ENTRY, field, arch) == Effective(value, provenance)


_VALUES = st.none() | st.sampled_from(["EXPECTED_PASSING", "x"]) | st.booleans()
_FIELDS = st.dictionaries(st.sampled_from(["status", "reason"]), _VALUES)


@given(_FIELDS, st.dictionaries(st.sampled_from(["n150", "p150"]), _FIELDS), st.sampled_from(["status", "reason"]))
def test_the_nearest_mapping_that_has_the_key_decides(
    base: dict[str, object], overrides: dict[str, dict[str, object]], field: str
) -> None:
    entry = Entry("x", "f", 1, 1, {**base, "arch_overrides": overrides})
    for arch in ("n150", "p150", "n300"):
        own = overrides.get(arch, {})
        found = resolve(entry, field, arch)
        if field in own:
            assert found == Effective(own[field], Provenance.OVERRIDE)
        elif field in base:
            assert found == Effective(base[field], Provenance.ENTRY)
        else:
            assert found.provenance is Provenance.DEFAULT


def test_no_entry_is_all_default() -> None:
    assert status_on(None, "n150") is Status.UNSPECIFIED
    assert supported_archs(None) == ("n150", "p150")


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("expected_passing", Status.EXPECTED_PASSING),
        (" EXCLUDE_MODEL ", Status.EXCLUDE_MODEL),
        ("nonsense", Status.UNSPECIFIED),
        (3, Status.UNSPECIFIED),
    ],
)
def test_status_in_any_case(written: object, status: Status) -> None:
    assert status_on(Entry("x", "f", 1, 1, {"status": written}), None) is status


def test_an_empty_list_of_archs_means_the_default() -> None:
    assert supported_archs(Entry("x", "f", 1, 1, {"supported_archs": []})) == ("n150", "p150")
    assert supports(Entry("x", "f", 1, 1, {"supported_archs": "n300"}), "n300")
    assert not supports(Entry("x", "f", 1, 1, {"supported_archs": ["n300-llmbox"]}), "n300")


def test_texts() -> None:
    assert (texts("a"), texts(["a", 1]), texts(None), texts(3)) == (("a",), ("a", "1"), (), ())


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (True, "true"), (0.98, "0.98"), (["a", "b"], "a, b"), ("x", "x"), ([], "")]
)
def test_text_of(value: object, text: str) -> None:
    assert text_of(value) == text


fields = st.dictionaries(st.sampled_from(["status", "reason", "markers", "required_pcc"]), st.none() | st.integers())


@given(fields, st.none() | st.dictionaries(st.sampled_from(["n150", "p150"]), st.none() | fields))
def test_all_at_once_is_each_by_itself(own: dict[str, object], overrides: dict[str, object] | None) -> None:
    entry = Entry("x", "f", 1, 9, {**own, "arch_overrides": overrides})
    for arch in ("n150", "p150", "n300"):
        found = written(entry, arch)
        for field in ("status", "reason", "markers", "required_pcc"):
            resolved = resolve(entry, field, arch)
            assert (field in found) == (resolved.provenance is not Provenance.DEFAULT)
            if field in found:
                assert found[field] == resolved.value
    assert written(None, "n150") == {}
