# SPDX-License-Identifier: Apache-2.0
"""What a loader downloads, in the detail of its test: read beside the app's own thread, and again after a reload."""

import threading
from pathlib import Path

import pytest

from core.sources.downloads import Fetched, fetched_by
from tests.support.app import build_app, screen_text, until
from tests.support.tree import INFERENCE, loader_source, write_checkout

READING = "Reading what it downloads"
MODELS = "third_party/tt_forge_models"


async def test_it_is_read_in_the_background_and_again_after_a_reload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "from .beside import load\n" + loader_source(["SMALL"]) + "    def load_model(self): return load()\n"
    checkout = write_checkout(tmp_path, {"some/pytorch": source}, {INFERENCE: "test_config: {}\n"})
    beside = checkout.models / "some/pytorch/beside.py"
    beside.write_text("def load(): return AutoModel.from_pretrained('org/first')\n")
    go_on, threads = threading.Event(), set()

    def slow(models: Path, directory: str, variant: str) -> Fetched:
        threads.add(threading.current_thread())
        assert go_on.wait(20)
        return fetched_by(models, directory, variant)

    monkeypatch.setattr("core.matrix.detail.fetched_by", slow)
    app = build_app(checkout)
    async with app.run_test(size=(200, 60)) as pilot:
        await until(pilot, lambda: READING in screen_text(app), "what is done")
        go_on.set()
        await until(pilot, lambda: "org/first" in screen_text(app), "what it downloads")
        assert READING not in screen_text(app)
        beside.write_text("def load(): return AutoModel.from_pretrained('org/second')\n")
        app.files.reload()
        await until(pilot, lambda: "org/second" in screen_text(app), "what it downloads now")
        assert "org/first" not in screen_text(app)
    assert threads and threading.main_thread() not in threads
