# SPDX-License-Identifier: Apache-2.0
"""core.runs.planning.download_sizes: what servers say of sizes, and that nothing depends on them."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from core.runs.planning import Download, with_sizes
from core.runs.planning.downloads import Kind

FILES = {
    "/api/models/org/both": {"a.safetensors": 1000, "b.bin": 900, "c.h5": 800, "config.json": 7},
    "/api/models/org/old": {"b.bin": 900, "rust.ot": 1, "config.json": 7},
    "/api/datasets/org/pictures": {"a.parquet": 50, "b.bin": 4},
}


class _Hub(BaseHTTPRequestHandler):
    asked: list[str]

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self.asked.append(path)
        assert query == "blobs=true"
        files = [{"rfilename": name, "size": size} for name, size in FILES.get(path, {}).items()]
        self.send_response(200 if files else 404)
        self.end_headers()
        self.wfile.write(json.dumps({"siblings": files}).encode())

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "4096")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[str]:
    _Hub.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), _Hub) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_servers_say(hub: str, tmp_path: Path) -> None:
    local = tmp_path / "here 1.whl"
    local.write_text("123")
    wanted = {
        Download(Kind.CHECKPOINT, "org/both"): 1007,
        Download(Kind.CHECKPOINT, "org/old"): 907,
        Download(Kind.CHECKPOINT, "org/secret"): None,
        Download(Kind.DATASET, "org/pictures"): 54,
        Download(Kind.PACKAGE, "timm"): None,
        Download(Kind.PACKAGE, "timm==1", address=f"{hub}/timm.whl"): 4096,
        Download(Kind.PACKAGE, "here==1", address=local.as_uri()): 3,
        Download(Kind.FILE, f"{hub}/cat.jpg"): 4096,
    }
    for _ in range(2):
        assert [one.size for one in with_sizes([*wanted], {"HF_ENDPOINT": hub}, files=True)] == [*wanted.values()]
    assert len(_Hub.asked) == 4, "each once"
    assert with_sizes([Download(Kind.FILE, f"{hub}/dog.jpg")], {"HF_ENDPOINT": hub}, files=False)[0].size is None


def test_no_hub_is_no_error(hub: str) -> None:
    one = Download(Kind.CHECKPOINT, "org/both")
    assert with_sizes([one], {"HF_ENDPOINT": "http://127.0.0.1:9"}, files=True) == [one]
    assert with_sizes([one], {"HF_ENDPOINT": hub, "HF_HUB_OFFLINE": "1"}, files=True) == [one]
    assert not _Hub.asked
