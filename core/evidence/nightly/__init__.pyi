# SPDX-License-Identifier: Apache-2.0
from .age import freshness as freshness, is_stale as is_stale
from .cells import Kind as Kind, NightCell as NightCell
from .choice import named_run as named_run, newest_night as newest_night
from .formats import html_body as html_body, markdown as markdown, text as text
from .issue import issue_text as issue_text, suspects as suspects
from .known import Known as Known, known_of as known_of
from .night import Machine as Machine, Night as Night, Source as Source, read_night as read_night
from .page import (
    Line as Line,
    Section as Section,
    Span as Span,
    against as against,
    headline as headline,
    headline_parts as headline_parts,
    other_jobs as other_jobs,
    sections as sections,
)
from .preset_rows import PresetRow as PresetRow, row_of as row_of
from .speed import Speed as Speed, SpeedTrend as SpeedTrend
from .versions import Moved as Moved, Versions as Versions, versions_between as versions_between
