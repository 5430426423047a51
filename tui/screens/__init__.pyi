# SPDX-License-Identifier: Apache-2.0
from .base import SessionScreen as SessionScreen
from .ci_programs import show_programs_of as show_programs_of
from .command_line import CommandLine as CommandLine
from .compare import CompareScreen as CompareScreen
from .dialogs import (
    Ask as Ask,
    Confirm as Confirm,
    Dialog as Dialog,
    Notice as Notice,
    ask_once_more as ask_once_more,
    ask_to_download as ask_to_download,
    ask_to_start as ask_to_start,
)
from .diff import DiffScreen as DiffScreen
from .doctor import DoctorScreen as DoctorScreen
from .entry_commits import EntryCommits as EntryCommits
from .job_log import JobLogScreen as JobLogScreen
from .launch import Launch as Launch, LaunchOps as LaunchOps
from .pick import Helped as Helped, HelpScreen as HelpScreen, KeyHelp as KeyHelp, Option as Option, Pick as Pick
from .plan import PlanScreen as PlanScreen
from .profiles import ProfilesScreen as ProfilesScreen
from .programs import ProgramsScreen as ProgramsScreen
from .runs import RunsScreen as RunsScreen
from .table import SCREENS as SCREENS
from .target_question import act_on as act_on
from .triage import TriageScreen as TriageScreen
from .typed_verbs import Verbs as Verbs
from .workflows import WorkflowsScreen as WorkflowsScreen
