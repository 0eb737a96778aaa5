"""Files and folders appear whole or not at all."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from probeta import atomic
from probeta.errors import UsageError


def test_a_failure_leaves_the_old_folder_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "set"
    with atomic.folder(target) as folder:
        (folder / "a").write_text("old")
    with pytest.raises(RuntimeError), atomic.folder(target) as folder:
        (folder / "a").write_text("new")
        raise RuntimeError
    assert (target / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_replaced_folder_holds_only_the_new_files(tmp_path: Path) -> None:
    target = tmp_path / "set"
    for name in ("a", "b"):
        with atomic.folder(target) as folder:
            (folder / name).write_text(name)
    assert [path.name for path in target.iterdir()] == ["b"]


def test_a_changed_folder_keeps_what_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "set"
    (target / "data").mkdir(parents=True)
    (target / "data" / "big").write_text("big")
    (target / "a").write_text("old")
    (target / "link").symlink_to("a")
    inode = (target / "data" / "big").stat().st_ino
    with pytest.raises(RuntimeError), atomic.changed(target) as folder:
        atomic.write_text(folder / "a", "new")
        raise RuntimeError
    assert (target / "a").read_text() == "old"
    with atomic.changed(target) as folder:
        atomic.write_text(folder / "a", "new")
    assert (target / "a").read_text() == (target / "link").read_text() == "new"
    assert (target / "link").is_symlink()
    assert (target / "data" / "big").stat().st_ino == inode, "linked, not copied"
    assert [path.name for path in tmp_path.iterdir()] == ["set"]
    with atomic.changed(tmp_path / "none") as folder:
        (folder / "a").write_text("first")
    assert (tmp_path / "none" / "a").read_text() == "first"


@pytest.mark.parametrize("crashed_before_rename", [True, False])
def test_the_next_run_repairs_a_crash(tmp_path: Path, crashed_before_rename: bool) -> None:
    # The two states that a kill between the renames can leave.
    target = tmp_path / "set"
    old = tmp_path / ".set.old"
    old.mkdir()
    (old / "a").write_text("old")
    (tmp_path / ".set.new").mkdir()
    if not crashed_before_rename:
        target.mkdir()
        (target / "a").write_text("new")
    atomic.repair(target)
    assert (target / "a").read_text() == ("old" if crashed_before_rename else "new")
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_full_disk_is_one_sentence_and_nothing_is_left(tmp_path: Path) -> None:
    # /dev/full refuses every write as a full disk does.
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full on this system")
    with pytest.raises(UsageError, match="No space left"), atomic.folder(tmp_path / "set") as folder:
        (folder / "a").write_text("x")
        full.write_text("x")
    assert not list(tmp_path.iterdir())


def test_a_file_is_never_half_written(tmp_path: Path) -> None:
    atomic.write_text(tmp_path / "f", "old")
    with pytest.raises(RuntimeError), atomic.file(tmp_path / "f") as temporary:
        temporary.write_text("ne")
        raise RuntimeError
    assert (tmp_path / "f").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def part_of_a_run_that(ends: signal.Signals, folder: Path) -> list[str]:
    """What stands in ``folder`` after a command that wrote ``f`` there was ended by a signal."""
    command = [sys.executable, "-m", "probeta.cli.main", "convert", "-", str(folder / "f"), "--from", "jsonl"]
    process = subprocess.Popen([*command, "--to", "jsonl"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    # It waits for more input, its part open.
    while not list(folder.glob(".f.*.part")):
        assert process.poll() is None
    process.send_signal(ends)
    process.wait()
    process.stdin.close()
    return [path.name for path in folder.iterdir()]


def test_a_run_that_is_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    assert part_of_a_run_that(signal.SIGTERM, tmp_path) == []


def test_the_next_writer_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    (left,) = part_of_a_run_that(signal.SIGKILL, tmp_path)
    assert left.endswith(".part")
    (tmp_path / ".f.draft.part").write_text("somebody's own")
    # A part that another process still writes is locked, and stays.
    (tmp_path / ".f.1.part").touch()
    with (tmp_path / ".f.1.part").open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        atomic.write_text(tmp_path / "f", "text")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".f.1.part", ".f.draft.part", "f"]


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    # What the second run says must not touch what the first one has written so far.
    target = tmp_path / "set"
    with atomic.folder(target) as folder:
        (folder / "a").write_text("first")
        with pytest.raises(UsageError, match="another run is writing"), atomic.folder(target):
            raise AssertionError
        with pytest.raises(UsageError, match="another run is writing"):
            atomic.repair(target)
    assert (target / "a").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["set"]


def test_a_link_is_followed(tmp_path: Path) -> None:
    for name in ("file", "folder"):
        (tmp_path / name).symlink_to(tmp_path / f"real_{name}")
    atomic.write_text(tmp_path / "file", "text")
    with atomic.folder(tmp_path / "folder") as folder:
        (folder / "a").write_text("a")
    assert (tmp_path / "file").is_symlink()
    assert (tmp_path / "real_file").read_text() == "text"
    assert (tmp_path / "folder").is_symlink()
    assert (tmp_path / "real_folder" / "a").read_text() == "a"


def test_a_pipe_receives_the_content_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # Opened for both ends, so that neither side waits for the other.
    handle = os.open(pipe, os.O_RDWR)
    try:
        atomic.write_text(pipe, "text")
        assert os.read(handle, 100) == b"text"
    finally:
        os.close(handle)
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


@pytest.mark.parametrize("name", ["/", "a\udcff"])
def test_a_name_that_no_folder_can_have(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError), atomic.folder(tmp_path / name):
        raise AssertionError
    assert not list(tmp_path.iterdir())
