# SPDX-License-Identifier: Apache-2.0
from .doctor import examine as examine, kinds as kinds
from .explained import explanation as explanation
from .preparation import FINDINGS as FINDINGS, prepare as prepare
from .severities import severity as severity
