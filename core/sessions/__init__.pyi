# SPDX-License-Identifier: Apache-2.0
from .estimates import Accuracy as Accuracy, accuracy as accuracy
from .placing import Candidate as Candidate, SessionPlan as SessionPlan, Slot as Slot
from .session import (
    MOST_HOURS as MOST_HOURS,
    RECENT_DAYS as RECENT_DAYS,
    ArchUnknown as ArchUnknown,
    HoursUnknown as HoursUnknown,
    hours_if_any as hours_if_any,
    plan_session as plan_session,
    session_slots as session_slots,
)
