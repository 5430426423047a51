# SPDX-License-Identifier: Apache-2.0
"""The variant enum of a loader, as its own file defines it."""

import libcst as cst

from core.triage.loader_code.code import Code, constant


def member_of(code: Code, variant: str) -> str:
    """The name of the enum member whose value is `variant`; empty where none is given or found."""
    for cls in code.classes.values() if variant else ():
        for statement in cls.body.body:
            match statement:
                case cst.SimpleStatementLine(
                    body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
                ) if constant(value) == variant:
                    return name
    return ""
