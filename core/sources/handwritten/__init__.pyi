# SPDX-License-Identifier: Apache-2.0
from .records import HandwrittenTest as HandwrittenTest
from .suite import ROOTS as ROOTS, Suite as Suite, read_suite as read_suite
