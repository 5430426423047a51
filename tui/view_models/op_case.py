# SPDX-License-Identifier: Apache-2.0
"""The results of an op case in the detail panel. Pure: from the facts about it to styled lines."""

from collections.abc import Iterable, Mapping

from rich.text import Text

from core.base.text import one_line, significant
from core.evidence import FAILURES, Ending, Observation
from core.evidence.verdicts import Judgement


def op_results_text(results: Iterable[Observation], judged: Iterable[Judgement] = ()) -> Text:
    """The last result of an op case on each backend with its numbers, and the verdict there."""
    verdicts: Mapping[str, Judgement] = {one.arch: one for one in judged}
    text = Text(no_wrap=False)
    for one in sorted(results, key=lambda one: one.arch):
        if one.op is None:
            continue
        style = "green" if one.ending is Ending.PASSED else "red" if one.ending in FAILURES else "yellow"
        text.append(f"\n{one_line(one.arch):12} ")
        text.append(one_line(one.op.status), style)
        numbers = {
            "max abs": one.op.max_abs,
            "max rel": one.op.max_rel,
            "PCC": one.op.pcc,
            "differ %": one.op.mismatched,
        }
        said = [f"{name} {significant(value)}" for name, value in numbers.items() if value is not None]
        text.append(f"  {'  '.join([*said, f'{one.seconds:.2f} s', one_line(one.job or one.run)])}", "dim")
        if one.reason:
            text.append(f"\n{'':12} {one_line(one.reason)}")
        if verdict := verdicts.get(one.arch):
            text.append(f"\n{'':12} {verdict.verdict}: ", "bold")
            text.append(one_line(verdict.why), "dim")
    return text
