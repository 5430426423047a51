# SPDX-License-Identifier: Apache-2.0
from .records import ROOTS as ROOTS, HandwrittenTest as HandwrittenTest, MarkRecord as MarkRecord
from .suite import FileTests as FileTests, Suite as Suite, read_suite as read_suite
