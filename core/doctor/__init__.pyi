# SPDX-License-Identifier: Apache-2.0
from .closed_issues import Blame as Blame, blames as blames, closed_issue_findings as closed_issue_findings
from .doctor import examine as examine, kinds as kinds, ordered as ordered
from .explained import explanation as explanation
from .preparation import FINDINGS as FINDINGS, prepare as prepare
from .severities import severity as severity
