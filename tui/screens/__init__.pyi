# SPDX-License-Identifier: Apache-2.0
from .base import SessionScreen as SessionScreen
from .dialogs import Confirm as Confirm, Notice as Notice
from .doctor import DoctorScreen as DoctorScreen
from .launch import Launch as Launch
from .pick import HelpScreen as HelpScreen, Option as Option, Pick as Pick
from .runs import RunsScreen as RunsScreen
from .table import SCREENS as SCREENS
from .target_question import act_on as act_on
from .workflows import WorkflowsScreen as WorkflowsScreen
