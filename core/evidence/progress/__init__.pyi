# SPDX-License-Identifier: Apache-2.0
from .measured import (
    HostHealth as HostHealth,
    Series as Series,
    Stale as Stale,
    Turned as Turned,
)
from .progress import By as By, Progress as Progress, ProgressReader as ProgressReader
from .words import (
    MACHINE_HEADS as MACHINE_HEADS,
    day_text as day_text,
    machine_words as machine_words,
    percent as percent,
    period as period,
    stale_words as stale_words,
    summary as summary,
    typical_days as typical_days,
    week_ends as week_ends,
)
