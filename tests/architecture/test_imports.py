# SPDX-License-Identifier: Apache-2.0
"""The direction of imports, and what a headless command may load."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.base.settings import paths
from core.matrix.cache import Cache
from tests.support.tree import sample

ROOT = Path(__file__).parents[2]


def test_import_contracts_hold() -> None:
    linter = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "module", ["core.cli.dispatch", "core.cli.context", "core.cli.command_list", "core.cli.command_edit"]
)
def test_headless_loads_no_screen_and_no_runtime(module: str) -> None:
    heavy = ("textual", "rich", "torch", "torch_xla", "pytest", "tui")
    script = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]", f"{module}, or what it imports, imports this: nobody waits for it headless"


def test_only_the_processes_for_hosts_load_dask() -> None:
    """The queue, its commands and its screens work without the extra, and start no slower with it."""
    modules = ("core.cli.command_run", "core.cli.command_hosts", "core.runs.execution.scheduler", "tui.screens.hosts")
    each = "; ".join(f"import {one}" for one in ("sys", *modules, "tui.app.app"))
    script = f"{each}; print([name for name in ('dask', 'distributed', 'tornado') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_terminal_is_noted_without_what_reads_notes(tmp_path: Path) -> None:
    """Every start looks whether an app was killed on its terminal; nearly always there is nothing to read."""
    script = (
        "import os, pty, sys\n"
        "from tui.terminal import state\n"
        "master, slave = pty.openpty()\n"
        "sys.__stdin__ = os.fdopen(slave)\n"
        "state.put_right()\n"
        "state.note_terminal(slave)\n"
        "print([name for name in ('msgspec', 'tomllib') if name in sys.modules])\n"
        "print(len(list((state.paths().state / 'terminals').iterdir())))"
    )
    env = {**os.environ, "TTMATRIX_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["[]", "1"]


def test_the_entry_point_alone_loads_no_screen() -> None:
    script = "import sys, tui.__main__; print([name for name in ('textual', 'rich') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


_LATER = (
    "core.ci",
    "core.cli.context",
    "core.doctor",
    "core.edits",
    "core.evidence",
    "core.python.program",
    "core.runs",
    "core.sources.variants",
    "core.workflows",
    "core.workspace.evidence",
    "filelock",
    "psutil",
    "tomllib",
    "tui.screens",
    "tui.view_models.detail",
    "tui.view_models.runs",
    "watchfiles",
)
"""What the first frame does not show. Of a package of ours it may have the face, which is empty, but nothing behind."""
_NOW = ("tui.screens.base", "tui.screens.panes", "tui.screens.title", "tui.screens.table", "tui.screens.matrix")
"""What it does."""

_LOADED = """
def loaded(names):
    import sys
    def is_of(one, names):
        return f"{one}.".startswith(tuple(f"{name}." for name in names))
    def is_face(one):
        return one.startswith(("core", "tui")) and hasattr(sys.modules[one], "__path__")
    return [one for one in list(sys.modules) if is_of(one, names) and not is_face(one)]
"""
"""`loaded(names)` lists the loaded modules in packages and modules of these names, faces left out."""

_AT_FIRST_FRAME = f"""
{_LOADED}
import os, sys
from pathlib import Path
from textual.app import App
from core.cli.parser import AppRequest
from tui.app.start import open_app

def look(app):
    if getattr(app.screen, "table", None) and app.screen.table.size:
        os.write(1, repr(sorted(set(loaded({_LATER!r})) - set(loaded({_NOW!r})))).encode())
        os._exit(0)

App.post_display_hook, run = look, App.run
App.run = lambda self: run(self, headless=True)
open_app(AppRequest(Path(sys.argv[1])))
"""


def test_nothing_that_the_first_frame_does_not_show_is_imported_before_it(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", _AT_FIRST_FRAME, str(sample(tmp_path).root)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]"


_LISTED = (
    "msgspec",
    "core.ci",
    "core.edits",
    "core.evidence",
    "core.base.files",
    "core.history",
    "core.matrix.view.grid",
    "core.matrix.view.tree",
    "core.ops",
    "core.payload",
    "core.providers",
    "core.runs",
    "core.sources.loaders",
    "core.sources.schema_read",
    "ruamel",
    "tomllib",
)
"""What `ttmatrix list` does without, where nothing has changed since the index was cached and nothing is set."""


def test_list_loads_what_it_prints_and_nothing_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout = sample(tmp_path)
    # The files are new: else they would be read again.
    monkeypatch.setattr("core.sources.stamps._RACY_NS", -(10**18))
    cache = Cache(checkout, paths().cache / "index")
    _, reading = cache.index()
    assert reading is not None
    cache.save(reading)
    call = f"from core.cli import main; main(['--repo', {str(checkout.root)!r}, 'list', 'status:xfail'], None)"
    script = f"{_LOADED}\n{call}\nprint(loaded({_LISTED!r}))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_cached_index_is_taken_up_without_what_reads_a_checkout() -> None:
    script = (
        "import sys, tui.app.start; print([name for name in ('ruamel', 'core.sources.loaders') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_list_of_proposals_opens_without_what_edits_loaders() -> None:
    """Triage and review load in 0.04 s of processor time; with the workflows and libcst it is 0.3 s more."""
    script = "import sys, tui.screens.triage, tui.screens.review.screen; print('libcst' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
