# SPDX-License-Identifier: Apache-2.0
from .classify import Beside as Beside, Setting as Setting, observe as observe
from .documents import arch_in as arch_in
from .reading import (
    OTHER as OTHER,
    REPEATED as REPEATED,
    STAND_IN as STAND_IN,
    Given as Given,
    Reading as Reading,
    Report as Report,
    read_reports as read_reports,
)
