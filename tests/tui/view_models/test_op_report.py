# SPDX-License-Identifier: Apache-2.0
"""tui.view_models.op_report: the numbers of `ops report` as rows, with the last nights."""

from core.evidence.analysis import BackendNumbers, Night, Tally
from core.evidence.analysis.op_rates import Steadiness
from tui.view_models import OpReport, ReportList, report_rows
from tui.view_models.op_report import op_cells, op_columns

TOTAL = Tally(10, passed=6, failed=1, errors=1, xfailed=1, skipped=1, missing=0, duplicates=2, seconds=3.5)
STEADY = Steadiness(tests=8, compared=4, steady=3, still_failing=0, new_fail=1, fixed=0, flaky=0)
NUMBERS = BackendNumbers("eager", TOTAL, {}, {}, {}, ops=4, enabled=3, steadiness=STEADY)
REPORT = OpReport([NUMBERS], {"eager": [Night(20_000, 8, 8), Night(20_002, 8, 6)], "tt": [Night(20_001, 3, 3)]})


def test_every_number_has_its_column() -> None:
    heads = [column.title for column in op_columns(REPORT)]
    texts = ["".join(cell.text for cell in cells) for cells in op_cells(REPORT, NUMBERS)]
    assert dict(zip(heads, texts, strict=True)) == {
        "backend": "eager",
        "cases": "10",
        "passed": "6",
        "failed": "2",
        "rate": "75%",
        "coverage": "3 of 4 ops",
        "saved": "22%",
        "steady": "75%",
        "s/case": "0.5",
        "10-04": "8/8",
        "10-05": "·",
        "10-06": "6/8",
    }


def test_only_the_last_nights_are_shown() -> None:
    many = OpReport([NUMBERS], {"eager": [Night(20_000 + day, 1, 1) for day in range(9)]})
    assert many.days == [20_004, 20_005, 20_006, 20_007, 20_008]


def test_a_row_leads_to_the_cases_of_its_backend() -> None:
    (row,) = report_rows(None, ReportList.OPS, REPORT).items  # type: ignore[arg-type]
    assert str(row.query) == "kind:op backend:eager"
