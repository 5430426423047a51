# SPDX-License-Identifier: Apache-2.0
from .estimates import Accuracy as Accuracy, accuracy as accuracy
from .placing import SessionPlan as SessionPlan, Slot as Slot
from .session import RECENT_DAYS as RECENT_DAYS, plan_session as plan_session, session_slots as session_slots
