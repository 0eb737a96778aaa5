"""Files and folders appear whole or not at all.

A folder is written beside its target under a temporary name; the old one is moved aside, the new one
renamed, the old one removed. A crash in between leaves ``.<name>.old`` or ``.<name>.new``, which the next
call repairs; a file's writer that was killed leaves ``.<name>.<process>.part``, which the next one removes. A
lock tells what a crash left from what a run still writes. A link is followed: what it points to is replaced,
not the link.
"""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from probeta.errors import UsageError


def _beside(target: Path, role: str) -> Path:
    if not target.name:
        raise UsageError(f"{target} cannot be replaced; name a folder in it")
    try:
        str(target).encode()
    except UnicodeEncodeError:
        # Arrow's writers refuse such a path.
        raise UsageError(f"{str(target)!a} is not UTF-8; choose another name") from None
    return target.with_name(f".{target.name}.{role}")


@contextmanager
def _space_named(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}; nothing was changed") from error


def _lock(path: Path) -> int | None:
    """A handle that holds ``path`` for this run until it is closed; None where nothing can be locked.

    Raises a BlockingIOError while another run holds it.
    """
    try:
        import fcntl
    except ImportError:
        # Windows: nothing there tells a crash from another run.
        return None
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    except OSError:
        # Some file systems of clusters have no locks.
        os.close(handle)
        return None
    return handle


def _still(handle: int | None, folder: Path) -> bool:
    """Whether ``folder`` is the one that was locked: the run before may have renamed or removed it."""
    try:
        return handle is None or os.path.samestat(os.fstat(handle), folder.stat())
    except FileNotFoundError:
        return False


@contextmanager
def _alone(target: Path) -> Iterator[tuple[Path, Path]]:
    """Where the old folder goes, and a new, empty one, for this run alone; what a crash left is repaired.

    A UsageError if another run writes ``target`` now.
    """
    old, new = _beside(target, "old"), _beside(target, "new")
    while True:
        new.mkdir(exist_ok=True)
        try:
            handle = _lock(new)
        except BlockingIOError:
            raise UsageError(f"another run is writing {target}; let it end first") from None
        if _still(handle, new):
            break
        if handle is not None:
            os.close(handle)
    try:
        if old.exists() and not target.exists():
            old.rename(target)
        if old.exists():
            shutil.rmtree(old)
        for leftover in new.iterdir():
            shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
        yield old, new
    finally:
        if handle is not None:
            os.close(handle)


def repair(target: Path) -> None:
    """Undo what a crash left behind: restore the old folder if the new one never arrived."""
    target = target.resolve()
    if any(_beside(target, role).exists() for role in ("old", "new")):
        with _alone(target) as (_, new):
            new.rmdir()


@contextmanager
def folder(target: Path) -> Iterator[Path]:
    """Yield an empty folder to fill; on success it takes the target's place, on failure it is gone.

    Whether an existing target may be replaced is the caller's decision, taken before.
    """
    target = target.resolve()
    with _space_named(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(target) as (old, new):
            try:
                yield new
                if target.exists():
                    target.rename(old)
                new.rename(target)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                if old.exists() and not target.exists():
                    old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)


@contextmanager
def changed(target: Path) -> Iterator[Path]:
    """Yield what is in the folder ``target`` to change; it takes the target's place on success.

    Files are linked, not copied: put a new file in the place of one, never write into it. A folder that is
    not there yet is empty.
    """
    with folder(target) as new:
        if target.exists():
            shutil.copytree(target, new, dirs_exist_ok=True, symlinks=True, copy_function=_link)
        yield new


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Some file systems have no links.
        shutil.copy2(source, target)


@contextmanager
def file(target: Path) -> Iterator[Path]:
    """Yield a temporary path to write; on success it is renamed to ``target``, on failure removed.

    A device or a pipe is not replaced; it receives the whole content at the end.
    """
    if target.exists() and not target.is_file() and not target.is_dir():
        with tempfile.TemporaryDirectory() as folder, _space_named(target):
            yield Path(folder) / "part"
            with (Path(folder) / "part").open("rb") as whole, target.open("wb") as stream:
                shutil.copyfileobj(whole, stream)
        return
    target = target.resolve()
    temporary = _beside(target, f"{os.getpid()}.part")
    handle: int | None = None
    try:
        with _space_named(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            _remove_parts(target)
            temporary.touch()
            handle = _lock(temporary)
            yield temporary
            temporary.replace(target)
    finally:
        with suppress(OSError):
            temporary.unlink()
        if handle is not None:
            os.close(handle)


def _remove_parts(target: Path) -> None:
    """Remove what killed writers of ``target`` left; a part that is locked is still being written."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        if not part.name.removeprefix(f".{target.name}.").removesuffix(".part").isdecimal():
            continue
        with suppress(OSError):
            handle = _lock(part)
            if handle is not None:
                part.unlink()
                os.close(handle)


def write_text(target: Path, text: str) -> None:
    """Write a UTF-8 file with Unix line ends, whole or not at all."""
    with file(target) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
