# SPDX-License-Identifier: Apache-2.0
from .records import HandwrittenTest as HandwrittenTest, Level as Level, MarkRecord as MarkRecord
from .suite import ROOTS as ROOTS, Suite as Suite, read_suite as read_suite
