# SPDX-License-Identifier: Apache-2.0
"""How values look, without a screen."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from rich.cells import cell_len

from core.domain.model import Status
from core.matrix import Matrix, index
from core.matrix.query import Query
from core.matrix.view import View
from tests.support.tree import sample
from tui.view_models import NO_TITLES, Cell, count_text, counted, diff_style, facet_label, fit
from tui.view_models.headings import heading_line
from tui.view_models.style import STATUS_LOOKS, arch_letters, arch_title, bringup_word, seconds_text, status_look

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


def test_wide_text_that_is_cut_says_so() -> None:
    wide = "宽字符错误：张量形状不匹配"
    assert [fit(wide, width) for width in (0, 1, 6, 7)] == ["", "…", "宽字 …", "宽字符…"]
    assert fit(wide, 40).rstrip() == wide


@pytest.mark.parametrize(
    "words", ["宽字符错误", "宽字符错误：张量形状不匹配，无法在设备上分配内存，请检查配置文件并重试"]
)
def test_headings_of_wide_text_fill_their_line(words: str) -> None:
    line = heading_line([Cell("new ", "fail"), Cell(words)], 12, "5%", [Cell("█")], 70, 24, NO_TITLES, opened=True)
    assert sum(cell_len(cell.text) for cell in line) == 70
    assert line[2].text.rstrip().removeprefix(words) in ("", line[2].text.rstrip()) and "12" in line[-1].text


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
