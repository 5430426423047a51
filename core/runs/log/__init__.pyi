# SPDX-License-Identifier: Apache-2.0
from .ansi import PLAIN as PLAIN, Colour as Colour, Look as Look, coloured_line as coloured_line
from .compare import compare_logs as compare_logs, side_by_side as side_by_side
from .growth import (
    GAP as GAP,
    STEP_SECONDS as STEP_SECONDS,
    ArrivalNotes as ArrivalNotes,
    Arrivals as Arrivals,
    LogLimit as LogLimit,
)
from .parts import parts_of as parts_of
from .reader import LogLook as LogLook, Seek as Seek
from .search import Pattern as Pattern, parse_filter as parse_filter, parse_pattern as parse_pattern
from .signs import (
    DEVICE_ASSERTION as DEVICE_ASSERTION,
    DEVICE_MEMORY as DEVICE_MEMORY,
    DIAGNOSTIC as DIAGNOSTIC,
    STAGES as STAGES,
    WRONG_NUMBERS as WRONG_NUMBERS,
    SignKind as SignKind,
    cause_line as cause_line,
    is_noise as is_noise,
    out_of_memory as out_of_memory,
    shortened as shortened,
    sign_of as sign_of,
    trace_advice as trace_advice,
)
from .tail import LogFile as LogFile, last_line as last_line
