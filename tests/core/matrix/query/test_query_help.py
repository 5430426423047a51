# SPDX-License-Identifier: Apache-2.0
"""The help covers every field and operator, and its examples can be typed."""

import re

from core.matrix.query import FIELDS, Query, decimal, help_text
from core.matrix.query.completion import help_sections
from core.matrix.query.values import number_test


def _rows(title: str) -> dict[str, str]:
    return next(dict(section.rows) for section in help_sections() if section.title == title)


def test_every_example_of_an_operator_is_a_query() -> None:
    for written in _rows("operators"):
        assert str(Query.parse(written)) == written


def test_every_field_is_reported_with_the_kind_of_its_values() -> None:
    fields, kinds = _rows("fields"), _rows("values")
    assert len(fields) == len(FIELDS)
    for field in FIELDS:
        assert fields[f"{field.name}:{field.metavar}" if field.name else field.metavar] == field.help
        assert field.metavar in kinds


def test_the_numbers_of_the_help_are_numbers() -> None:
    examples = [word for word in re.split(r"\s+", _rows("values")["NUMBER"]) if word != "none"]
    assert examples
    for text in examples:
        number_test(text, decimal)


def test_help_is_two_aligned_columns_that_fit_a_terminal() -> None:
    lines = help_text().splitlines()
    assert max(map(len, lines)) <= 110
    rows = [row for section in help_sections() for row in section.rows]
    second = lines[1].index(rows[0][1])
    for written, means in rows:
        assert f"  {written}".ljust(second) + means in lines
