# SPDX-License-Identifier: Apache-2.0
from .agendas import Agenda as Agenda, agenda as agenda, with_leaving as with_leaving
from .inbox import URGENCY as URGENCY, Concern as Concern, Item as Item, change_of as change_of, decided as decided
from .proposal import Held as Held, Proposal as Proposal, document as document, propose as propose
from .reruns import Wanted as Wanted, lacking as lacking, plan_reruns as plan_reruns
from .rules import with_issue as with_issue
