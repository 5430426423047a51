# SPDX-License-Identifier: Apache-2.0
from .candidates import Knowledge as Knowledge, candidates as candidates
from .estimates import Accuracy as Accuracy, Estimates as Estimates, accuracy as accuracy
from .placing import SessionPlan as SessionPlan, Slot as Slot, fill as fill, slots_of as slots_of
