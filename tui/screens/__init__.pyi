# SPDX-License-Identifier: Apache-2.0
from .base import SessionScreen as SessionScreen
from .dialogs import Confirm as Confirm, Notice as Notice
from .doctor import DoctorScreen as DoctorScreen
from .pick import HelpScreen as HelpScreen
from .runs import RunsScreen as RunsScreen
from .table import SCREENS as SCREENS
from .workflows import WorkflowsScreen as WorkflowsScreen
