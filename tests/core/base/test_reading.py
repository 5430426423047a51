# SPDX-License-Identifier: Apache-2.0
"""The door through which files are read: no device, no pipe, nothing endless."""

import os
import threading
from pathlib import Path

import pytest

from core.base.errors import TTMatrixError
from core.base.files import TEXT_BYTES, atomic_write, open_regular, read_bytes, read_given, read_loosely, read_text
from core.base.files.reading import NotRead
from tests.support.special import SPECIAL, make_special


@pytest.mark.parametrize("kind", SPECIAL)
def test_what_is_no_file_is_refused_at_once_with_its_kind(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "file.yaml"
    make_special(kind, file)
    for read in (lambda path: open_regular(path, TEXT_BYTES), read_bytes, read_loosely):
        with pytest.raises(OSError):
            read(file)
    with pytest.raises(TTMatrixError, match="Cannot read") as caught:
        read_text(file)
    assert SPECIAL[kind] in caught.value.detail


def test_a_regular_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\xef\xbb\xbfa\r\nb\xff"[:-1])
    assert read_text(file) == "\ufeffa\r\nb"
    assert read_loosely(file) == "\ufeffa\nb"
    assert read_bytes(file, 7) == file.read_bytes()
    with pytest.raises(NotRead, match="at most 0 are read"):
        read_bytes(file, 6)
    (tmp_path / "link").symlink_to(file)
    assert read_bytes(tmp_path / "link") == file.read_bytes()


def test_a_file_of_the_system_that_gives_nothing_yet_is_no_text() -> None:
    kernel = Path("/proc/kmsg")
    if not os.access(kernel, os.R_OK):
        pytest.skip("only root may read it")
    with pytest.raises(OSError):
        read_bytes(kernel)


def test_a_pipe_that_a_person_names_is_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("said"))
    writer.start()
    assert read_given(pipe) == "said"
    writer.join()
    with pytest.raises(TTMatrixError, match="a device"):
        read_given(Path("/dev/zero"))


@pytest.mark.parametrize("kind", ["endless device", "pipe", "socket", "directory"])
def test_nothing_is_put_in_the_place_of_what_is_no_file(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "file"
    make_special(kind, file)
    before = file.stat()
    with pytest.raises(TTMatrixError, match="Cannot write"):
        atomic_write(file, "text")
    assert (file.stat().st_ino, file.stat().st_mode) == (before.st_ino, before.st_mode)
