# SPDX-License-Identifier: Apache-2.0
"""core.workflows.case: a stored case is read back unchanged."""

import json

from core.base.files import plain, typed
from core.workflows.case import Case
from tests.support.triage import LOADER, MISMATCH, SIBLING, case, member


def test_a_case_survives_being_stored() -> None:
    about = case(member(reason=MISMATCH), member(SIBLING), inference=(member(),), task="cv_object_det")
    assert typed(json.loads(json.dumps(plain(about))), Case) == about


def test_the_registry_is_no_loader() -> None:
    assert case().loader_files == (LOADER,)
    assert Case(member(), "b.py", "r.py", {"b.py": "", "a.py": "", "r.py": ""}, ()).loader_files == ("b.py", "a.py")


def test_overrides_that_hide_what_a_workflow_writes_are_known() -> None:
    overrides = {"n150": {"reason": "x"}, "p150": {"required_pcc": 0.9}, "n300": None}
    assert member(arch_overrides=overrides).shadowed == ("n150",)
    assert member().shadowed == ()


def test_an_entry_without_status_or_reason() -> None:
    bare = type(member())("x/pytorch-single_device-training", "f.yaml", {})
    assert (bare.status, bare.reason, bare.directory) == ("UNSPECIFIED", "", "x/pytorch")
