"""The local server: found, started on loopback with its secrets hidden, stopped with whoever started it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import httpx
import pytest
from campaigns import campaign
from label_studio import ADMIN, PASSWORD, TOKEN, Studio, free_port
from processes import children, of_session

from probeta.annotation import serve
from probeta.annotation.campaign import Campaign
from probeta.errors import PrerequisiteError, UsageError


def up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/", trust_env=False, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def wait(condition: bool, since: float) -> bool:
    assert time.monotonic() - since < 300
    time.sleep(0.2)
    return condition


def test_the_wait_for_a_first_start_is_announced(tmp_path: Path) -> None:
    assert "its database is made first" in serve.announcement(tmp_path)
    (tmp_path / "label_studio.sqlite3").touch()
    assert serve.announcement(tmp_path).startswith("starting Label Studio, which takes some seconds")


@pytest.mark.server
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_serve_until_interrupted(studio: Studio, tmp_path: Path, stop: signal.Signals) -> None:
    made = campaign(tmp_path / "c", size=1)
    data = tmp_path / "data"
    ignore = shutil.ignore_patterns("*.log", "*-journal", "*-wal", "*-shm")
    shutil.copytree(studio.data, data, ignore=ignore)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "probeta.cli.main", "campaign", "serve", str(made.folder)]
    command += ["--port", str(port), "--data", str(data), "--email", ADMIN]
    env = {
        **os.environ,
        "LABEL_STUDIO_API_KEY": TOKEN,
        "PROBETA_LABEL_STUDIO_PASSWORD": PASSWORD,
        "PROBETA_LABEL_STUDIO": str(studio.executable),
        # A desktop's own variables must not become the account's.
        "USERNAME": "somebody",
        "PASSWORD": "something",
    }
    # Where the tests run in the background of a shell, it has set SIGINT aside for everything below it.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    running = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True, preexec_fn=heard)
    try:
        since = time.monotonic()
        while not up(url):
            assert running.poll() is None, running.stderr.read() if running.stderr else ""
            wait(True, since)
        while Campaign(made.folder).settings.url != url:
            wait(True, since)
        # No secret stands on any command line.
        shown = b"".join(path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if readable(path))
        assert TOKEN.encode() not in shown and PASSWORD.encode() not in shown
        listed = subprocess.run(["cat", "/proc/net/tcp"], capture_output=True, text=True, check=True).stdout
        bound = [
            line.split()[1] for line in listed.splitlines() if f":{port:04X} " in line and " 0A " in line
        ]
        # 127.0.0.1, as the kernel writes it.
        assert bound == [f"0100007F:{port:04X}"]
        (server,) = children(running.pid)
        assert of_session(server)
        # As a service manager stops it, and a person.
        running.send_signal(stop)
        _, errors = running.communicate(timeout=60)
        while of_session(server):
            wait(True, since)
    finally:
        running.kill()
        running.wait()
    assert "Ctrl-C stops it" in errors and TOKEN not in errors
    assert ("stopping" in errors, running.returncode) == (True, 0)
    assert not up(url)


@pytest.mark.server
def test_a_server_started_in_a_thread_outlives_the_thread_and_ends_with_us(
    studio: Studio, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    ignore = shutil.ignore_patterns("*.log", "*-journal", "*-wal", "*-shm")
    shutil.copytree(studio.data, data, ignore=ignore)
    program = f"""
import sys, threading
from pathlib import Path
sys.path[:0] = {[str(Path(__file__).parent)]!r}
import label_studio
started = []
thread = threading.Thread(
    target=lambda: started.append(
        label_studio.start(Path({str(studio.executable)!r}), Path({str(data)!r}), {free_port()})
    )
)
thread.start()
thread.join()
print(started[0].process.pid, started[0].url, flush=True)
sys.stdin.read()
"""
    command = [sys.executable, "-c", program]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        pid, url = running.stdout.readline().split()
        assert up(url)
        running.kill()
        running.wait()
        since = time.monotonic()
        while of_session(int(pid)):
            wait(True, since)
    finally:
        running.kill()
        running.communicate()


def readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


def test_a_taken_port_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match="is taken"):
            serve.start(executable=Path("x"), port=port, env={}, data=tmp_path, email="a@b", token="t")


def test_a_missing_program_is_one_sentence_with_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "_CHECKOUT", tmp_path / "none")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PROBETA_LABEL_STUDIO", raising=False)
    with pytest.raises(PrerequisiteError, match="serve --install"):
        serve.program()
    monkeypatch.setenv("PROBETA_LABEL_STUDIO", str(tmp_path / "none"))
    with pytest.raises(UsageError, match="is no file"):
        serve.program()
    # A program that dies at once is told, with the end of what it said and without the token.
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho cannot start with $LABEL_STUDIO_USER_TOKEN\nexit 3\n", "utf-8")
    broken.chmod(0o755)
    env = serve.environment(data=tmp_path, email="a@b", token="geheim", password="p") | {
        "PATH": "/bin:/usr/bin"
    }
    with pytest.raises(PrerequisiteError, match="cannot start with \\*\\*\\*"):
        serve.start(executable=broken, port=free_port(), env=env, data=tmp_path, email="a@b", token="geheim")
