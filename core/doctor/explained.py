# SPDX-License-Identifier: Apache-2.0
"""What a kind of finding means, from the page `docs/findings.md`, which is shipped with the program."""

from functools import cache
from pathlib import Path

from core.base.files import read_text

_PAGE = "findings.md"


@cache
def sections() -> dict[str, str]:
    """The text of the page by its headings."""
    here = Path(__file__).parent
    shipped = here / _PAGE
    page = shipped if shipped.is_file() else here.parents[1] / "docs" / _PAGE
    _, *sections = read_text(page).split("\n## ")
    return {name: text.strip() for name, _, text in (one.partition("\n") for one in sections)}


def explanation(kind: str) -> str:
    """What the kind is, why it hurts and how it is fixed: paragraphs of Markdown. Raises KeyError for none."""
    return sections()[kind]
