# SPDX-License-Identifier: Apache-2.0
"""How values look, without a screen."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from core.matrix.indexing import index
from core.matrix.matrix import Matrix
from core.matrix.query.query import Query
from core.matrix.view.view import View
from core.model import Status
from tests.support.tree import sample
from tui.view_models.fitting import fit, short_id
from tui.view_models.style import (
    STATUS_LOOKS,
    arch_letters,
    arch_title,
    bringup_word,
    count_text,
    counted,
    diff_style,
    facet_label,
    seconds_text,
    status_look,
)

TINY, NET = (f"alpha/pytorch-{name}-single_device-inference" for name in ("tiny", "net-v1.5+aug"))


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return index(sample(tmp_path_factory.mktemp("checkout")))


def test_every_status_can_be_recognised_without_colour() -> None:
    assert set(STATUS_LOOKS) == set(Status)
    assert (
        len({look.word for look in STATUS_LOOKS.values()}) == len({look.letter for look in STATUS_LOOKS.values()}) == 5
    )


def test_status_without_an_arch_is_what_all_archs_share(matrix: Matrix) -> None:
    assert status_look(matrix, matrix.rows[TINY], "").word == "PASS"
    assert status_look(matrix, matrix.rows[NET], "").word == "mixed"
    assert status_look(matrix, matrix.rows[NET], "n150").word == "XFAIL"


def test_one_letter_an_arch(matrix: Matrix) -> None:
    assert "".join(cell.text for cell in arch_letters(matrix, matrix.rows[NET])) == "X  P    "
    title = arch_title(matrix)
    assert len(title) == len(set(title)) == len(matrix.schema.archs)


@given(st.text(max_size=30), st.integers(1, 40), st.booleans())
def test_fit_is_exact_in_cells(text: str, width: int, elide: bool) -> None:
    visible = "".join(character for character in text if character.isprintable())
    assert cell_len(fit(visible, width, elide=elide)) == width


@pytest.mark.parametrize(
    ("seconds", "text"), [(None, ""), (7.24, "7.2s"), (61, "61.0s"), (125, "2m05"), (7300, "2h01")]
)
def test_seconds(seconds: float | None, text: str) -> None:
    assert seconds_text(seconds) == text


def test_count_says_what_is_hidden(matrix: Matrix) -> None:
    view = View(matrix)
    assert count_text(view) == f"{len(matrix.ids):,} tests"
    view.toggle_all([TINY])
    view.toggle_all([NET])
    view.filter(Query.parse("tiny has:entry mode:inference"))
    assert count_text(view) == f"1 of {len(matrix.ids):,} · 2 marked (1 hidden)"


def test_styles_of_lines() -> None:
    assert [diff_style(line) for line in ("--- a/x", "+++ b/x", "@@ -1 @@", "+x", "-x", " x")] == [
        "file",
        "file",
        "hunk",
        "added",
        "removed",
        "",
    ]


def test_facet_labels_of_one_field_differ(matrix: Matrix) -> None:
    for facet in View(matrix).facets():
        labels = [facet_label(facet.field, one.value) for one in facet.values]
        assert len(set(labels)) == len(labels)
        assert all(len(label) <= 20 for label in labels)


def test_unknown_bringup_is_shown_as_it_is(tmp_path: Path) -> None:
    assert (bringup_word("FAILED_TTMLIR_COMPILATION"), bringup_word("SOMETHING"), bringup_word("")) == (
        "tt-mlir",
        "something",
        "",
    )


def test_counted() -> None:
    assert [counted(count, "run") for count in (0, 1, 2, 1200)] == ["0 runs", "1 run", "2 runs", "1,200 runs"]


_LONG = "qwen_2_5/causal_lm/pytorch-0.5B_Instruct-llm_decode-seq_1-batch_1-fsdp-dp-tensor_parallel-mesh_2x4-training"


@pytest.mark.parametrize(
    ("width", "text"),
    [
        (200, _LONG),
        (100, "qwen_2_5/causal_lm/pytorch-0.5B_Instruct-llm_decode-seq_1-batch_1-fsdp-dp-tensor-mesh_2x4-train"),
        (64, "qwen_2_5/c…m/pt-0.5B_Instruct-dec-s1-b1-fsdp-dp-tensor-2x4-train"),
        (56, "qwe…l_lm/pt-0.5B_Instruct-dec-s1-b1-fsdp-dp-tp-2x4-train"),
        (50, "…0.5B_Instruct-dec-s1-b1-fsdp-dp-tp-2x4-train"),
        (40, "…0.5B_Instruct-dec-s1-b1…dp-tp-2x4-train"),
    ],
)
def test_an_id_gives_way_in_what_ids_share(width: int, text: str) -> None:
    found = short_id(_LONG, width)
    assert len(found) <= width
    assert found == text


def test_ids_that_differ_in_the_variant_or_the_mode_stay_apart() -> None:
    variants = ("Nano_1L", "Nano_2L", "Nano_12L_Instruct")
    ids = [
        f"nano_lm/causal_lm/pytorch-{variant}-llm_decode-seq_1-batch_1-single_device-mesh_default-{mode}"
        for variant in variants
        for mode in ("inference", "training")
    ]
    for width in (44, 60, 80):
        assert len({short_id(id, width) for id in ids}) == len(ids)
    assert all(variant in short_id(f"a_model/pytorch-{variant}-single_device-inference", 26) for variant in variants)


@pytest.mark.parametrize(
    ("directories", "rest"),
    [
        (
            ("swin/image_classification", "swin/masked_image_modeling"),
            "v2_Tiny_Patch4_Window8_256-single_device-training",
        ),
        (
            ("ultra_fast_lane_detection", "ultra_fast_lane_detection_v2"),
            "TuSimple_ResNet34_Backbone-data_parallel-inference",
        ),
        (
            ("llama/causal_lm", "llama_lora/causal_lm"),
            "3.2_1B-llm_prefill-seq_128-batch_1-single_device-mesh_default-training",
        ),
        (("albert/masked_lm", "albert/token_classification"), "Base_v1-data_parallel-inference"),
    ],
)
def test_ids_that_differ_in_their_directories_stay_apart(directories: tuple[str, str], rest: str) -> None:
    one, other = (f"{directory}/pytorch-{rest}" for directory in directories)
    assert all(short_id(one, width) != short_id(other, width) for width in (52, 60, 67, 80, 120))


def test_without_a_variant_the_directory_stays() -> None:
    ids = [f"{name}/pytorch-single_device-inference" for name in ("drifted", "stale", "pcc-tight")]
    assert [short_id(id, 21) for id in ids] == ["drifted/pt-single-inf", "stale/pt-single-inf", "pcc-tight/pt-sd-inf"]
    assert all(id.partition("/")[0] in short_id(id, 17) for id in ids)


def test_what_is_no_id_loses_its_middle() -> None:
    assert short_id("a text that is longer than that", 12) == "a tex…n that"
    variant = "x" * 60
    assert len(short_id(f"a/pytorch-{variant}-single_device-inference", 20)) == 20
