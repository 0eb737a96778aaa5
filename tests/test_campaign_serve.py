"""``campaign serve`` as a person runs it: it comes up, tells the campaign, and takes its server along when it ends."""

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
from label_studio import ADMIN, PASSWORD, TOKEN, Studio

from probeta.annotation import serve

pytestmark = pytest.mark.server


def test_the_server_ends_with_the_command(studio: Studio, tmp_path: Path) -> None:
    data, port = tmp_path / "data", serve.free_port()
    shutil.copytree(studio.data, data, ignore=shutil.ignore_patterns("*.log"))
    env = os.environ | {
        "LABEL_STUDIO_API_KEY": TOKEN,
        "PROBETA_LABEL_STUDIO_PASSWORD": PASSWORD,
        "PROBETA_LABEL_STUDIO": str(studio.executable),
    }
    command = [sys.executable, "-m", "probeta.cli.main", "campaign", "serve"]
    command += ["--port", str(port), "--data", str(data), "--email", ADMIN]
    with (tmp_path / "said").open("wb") as said:
        running = subprocess.Popen(command, env=env, stdout=said, stderr=said)
    try:
        for _ in range(600):
            try:
                assert httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).status_code == 200
                break
            except httpx.TransportError:
                assert running.poll() is None, (tmp_path / "said").read_text()
                time.sleep(0.2)
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait(30)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0
    assert TOKEN not in (tmp_path / "said").read_text()
