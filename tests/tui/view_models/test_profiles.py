# SPDX-License-Identifier: Apache-2.0
"""Tests under several profiles as rows of any width, and in words."""

import pytest

from core.evidence.analysis import profile_table
from core.runs import Outcome
from tests.core.evidence.analysis.test_profile_comparison import TEST, run
from tui.view_models import Rows, Tried, profile_rows, profile_words
from tui.view_models.profiles import short_number

RUNS = [
    *(run("", seconds, number) for number, seconds in enumerate((1.5, 1.51, 1.49))),
    *(run("fast", seconds, 3 + number) for number, seconds in enumerate((1.2, 1.21, 1.19))),
    run("once", 1.8, 6, Outcome.PASS),
    run("once", 1.8, 7, Outcome.FAIL),
]
TABLE = profile_table(RUNS, ["", "fast", "once"])


def texts(rows: Rows[Tried], position: int) -> list[str]:
    return ["".join(cell.text for cell in cells) for cells in rows.cells(position)]


@pytest.mark.parametrize(
    ("width", "changes"),
    [(79, ["   1.5", "   1.2▼", "   1.8?"]), (119, ["   1.5", "   1.2 -20%", "   1.8 +20%?"])],
)
def test_every_number_has_a_column_on_any_screen(width: int, changes: list[str]) -> None:
    rows = profile_rows(TABLE, width=width)
    assert 1 + sum(column.width + 1 for column in rows.columns) == width
    heads = [column.title.strip() for column in rows.columns]
    assert (heads[3], heads[6], heads[8]) == ("PCC", "run s", "peak MB")
    assert [texts(rows, position)[6] for position in range(3)] == changes
    assert [texts(rows, position)[8].split() for position in range(3)] == [["3"], ["3="] if width == 79 else ["3", "="],
        ["3?"] if width == 79 else ["3", "+0.0%?"]]  # fmt: skip
    assert all(len(text) <= column.width for column, text in zip(rows.columns[3:], texts(rows, 2)[3:], strict=True))


def test_what_failed_is_said_first() -> None:
    assert profile_rows(TABLE).cells(2)[2][0] == ("1 fail, 1 pass", "fail")


def test_words_say_median_repeats_and_what_is_beyond_the_noise() -> None:
    def said(profile: str) -> list[str]:
        return [text.split(maxsplit=1)[1] for text, style in profile_words(TABLE, TEST, profile) if not style]

    _, _, run_s, peak = said("")
    assert run_s == "1.5, the median of 3 runs (1.5, 1.51, 1.49)"
    assert said("fast")[2] == "1.2, the median of 3 runs (1.2, 1.21, 1.19): 20.0% less than the 1.5 of default"
    assert said("fast")[3] == f"{peak}: the same as the 3 of default"
    assert said("once")[2] == (
        "1.8, the median of 2 runs (1.8, 1.8): 20.0% more than the 1.5 of default; "
        "with fewer than three runs of each, that may be noise"
    )
    near = profile_table([*RUNS[:3], *(run("near", seconds) for seconds in (1.505, 1.515, 1.495))], ["", "near"])
    text = profile_words(near, TEST, "near")[-2][0]
    assert text.endswith("(1.505, 1.515, 1.495): within the noise of the 1.5 of default")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.99912, "0.9991"),
        (0.0, "0"),
        (600.0, "600"),
        (12345.6, "12346"),
        (999999.0, "1e6"),
        (1234567.0, "1.23e6"),
        (0.00123456, "0.0012"),
        (1.234e-5, "1.2e-5"),
        (-0.12345, "-0.123"),
        (1e-12, "1e-12"),
        (-1.5e-12, "-2e-12"),
    ],
)
def test_a_number_in_six_characters(number: float, text: str) -> None:
    assert short_number(number) == text
    assert len(text) <= 6
