# SPDX-License-Identifier: Apache-2.0
"""The rows of a checkout for the apps that ours is compared with."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from core.base.settings import Paths, Settings, paths
from core.matrix import Member, index
from core.matrix.cache import Cache
from core.matrix.indexing import join
from core.matrix.universe import validator_members
from core.sources import find_checkout, read_schema
from tui.app.app import TTMatrixApp
from tui.app.start import started_app
from tui.session import Session

MILLION = 1_000_000


def stock_rows(root: Path) -> Iterator[tuple[str, ...]]:
    """The default columns of our table for each test, from the cached index that our app starts with."""
    matrix, _ = Cache(find_checkout(root), paths().cache / "index").index()
    status, arch = matrix.flags["status"], matrix.flags["arch"]
    bringup, reason = matrix.columns["bringup"], matrix.columns["reason"]
    for row, id in enumerate(matrix.ids):
        yield id, " ".join(status[row]), " ".join(arch[row]), bringup[row], "", reason[row]


def million(root: Path) -> TTMatrixApp:
    """Our app on the checkout's ids, each many times over."""
    checkout = find_checkout(root)
    small = index(checkout)
    schema, _ = read_schema(checkout)
    loaders = tuple(small.loaders.values())
    own = list(validator_members(loaders, schema))
    many = (
        Member(f"{one.id}~{copy}" if copy else one.id, *one[1:])
        for copy in range(MILLION // len(own) + 1)
        for one in own
    )
    matrix = join(checkout, schema, loaders, many, small.files)
    scratch = Path(tempfile.mkdtemp())
    own_paths = Paths(**{name: scratch / name for name in Paths._fields})
    session = Session.open(matrix, own_paths, Settings())
    app = started_app(session, Cache(checkout, scratch), saved=True)
    # CI jobs and results cannot be read: no such checkout exists.
    session.compute_columns = lambda *_: {}  # type: ignore[method-assign]
    app.facts.request_verdicts = lambda: None  # type: ignore[method-assign]
    return app
