"""The local server: found, started on loopback with its secrets hidden, stopped with whoever started it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from campaigns import campaign
from label_studio import ADMIN, PASSWORD, TOKEN, Studio

from probeta.annotation import serve
from probeta.annotation.campaign import Campaign
from probeta.errors import PrerequisiteError, UsageError


def up(url: str) -> bool:
    try:
        return httpx.get(f"{url}/health/", trust_env=False, timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


def wait(condition: bool, since: float) -> bool:
    assert time.monotonic() - since < 120
    time.sleep(0.2)
    return condition


@pytest.mark.server
def test_serve_until_interrupted(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=1)
    data = tmp_path / "data"
    ignore = shutil.ignore_patterns("*.log", "*-journal", "*-wal", "*-shm")
    shutil.copytree(studio.data, data, ignore=ignore)
    port = serve.free_port()
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
    running = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
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
        # As a service manager stops it; Ctrl-C takes the same way.
        running.send_signal(signal.SIGTERM)
        _, errors = running.communicate(timeout=30)
    finally:
        running.kill()
        running.wait()
    assert "Ctrl-C stops it" in errors and TOKEN not in errors
    assert not up(url)


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
        serve.start(
            executable=broken, port=serve.free_port(), env=env, data=tmp_path, email="a@b", token="geheim"
        )
