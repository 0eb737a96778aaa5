"""A local Label Studio: found, installed where asked for, started on loopback, stopped by its own number."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from importlib.resources import files
from pathlib import Path
from typing import Any

from probeta.annotation.campaign import Campaign
from probeta.annotation.client import KEYRING_SERVICE, TOKEN_VARIABLE, Client, ServerError
from probeta.errors import PrerequisiteError, UsageError
from probeta.progress import say

#: Names the program ``label-studio``.
EXECUTABLE_VARIABLE = "PROBETA_LABEL_STUDIO"
#: Where a checkout has it (`make test` makes it): beside this package, never in the folder that one stands in,
#: which may be anybody's.
_CHECKOUT = Path(__file__).resolve().parents[1] / ".venv-label-studio" / "bin" / "label-studio"
#: Holds the administrator's password; without it the token is the password.
PASSWORD_VARIABLE = "PROBETA_LABEL_STUDIO_PASSWORD"

#: Longest wait for a start: an empty database has to be migrated, which takes up to 75 s on two cores.
START_SECONDS = 240
#: Seconds between two words to whoever waits.
_STILL_SECONDS = 15
_DATABASE = "label_studio.sqlite3"


def home() -> Path:
    """Where the program and its data live, outside every campaign."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "probeta" / "label-studio"


def find_program() -> Path | None:
    """The program: named by the variable, of the checkout, installed by us, or on the path."""
    named = os.environ.get(EXECUTABLE_VARIABLE)
    if named:
        path = Path(named)
        if not path.is_file():
            raise UsageError(f"{EXECUTABLE_VARIABLE} names {named}, which is no file")
        return path.absolute()
    for path in (_CHECKOUT, home() / "venv" / "bin" / "label-studio"):
        if path.is_file():
            return path.absolute()
    on_path = shutil.which("label-studio")
    return Path(on_path) if on_path else None


def install() -> Path:
    """Install the program from its hashed lock into an environment of its own, which takes two minutes."""
    target = home() / "venv"
    lock = Path(str(files("probeta.annotation"))) / "requirements-label-studio.lock"
    say(f"installing Label Studio into {target} (about 1 GB, some minutes)")
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(target)], check=True)
    pip = [str(target / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
    # What pip says is progress, not a result: it goes to stderr.
    done = subprocess.run(
        [*pip, "--no-deps", "--require-hashes", "--requirement", str(lock)], check=False, stdout=2
    )
    if done.returncode:
        shutil.rmtree(target, ignore_errors=True)
        raise PrerequisiteError("Label Studio could not be installed", fix="see pip's message above")
    return target / "bin" / "label-studio"


def program(*, may_install: bool = False) -> Path:
    """The program, or one sentence with the command that installs it."""
    found = find_program()
    if found is not None:
        return found
    if may_install:
        return install()
    raise PrerequisiteError(
        "Label Studio is not installed",
        fix="`probeta campaign serve --install` puts it into its own environment",
    )


def is_free(port: int) -> bool:
    """Whether nothing listens on a port of loopback."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def environment(*, data: Path, email: str, token: str, password: str) -> dict[str, str]:
    """The server's whole environment: nothing is inherited, since it reads bare names such as USERNAME too.

    Secrets stand here and not on the command line, where `ps` shows them. Nothing is fetched or sent:
    analytics, version check and error reports are off.
    """
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(data),
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "LABEL_STUDIO_DATABASE_NAME": str(data / _DATABASE),
        "LABEL_STUDIO_USERNAME": email,
        "LABEL_STUDIO_PASSWORD": password,
        "LABEL_STUDIO_USER_TOKEN": token,
        "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
        "LABEL_STUDIO_DISABLE_SIGNUP_WITHOUT_LINK": "true",
        "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
        "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
        "LABEL_STUDIO_SENTRY_DSN": "",
        "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
    }


class Server:
    """A running Label Studio of ours; ``stop`` ends it and nothing else."""

    def __init__(self, *, process: subprocess.Popen[bytes], url: str, log: Path) -> None:
        self.process, self.url, self.log = process, url, log

    def stop(self) -> None:
        """End the server; it is killed if it does not end within ten seconds."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)

    def kill(self) -> None:
        """End the server without giving it time, as a crash would."""
        self.process.kill()
        self.process.wait(10)


def _end_with_parent() -> None:
    """Ask Linux to end the server when the thread that started it ends, even by a kill that nobody can catch."""
    import ctypes

    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _spawn(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process that ends when we do, whichever thread calls.

    It is started by a thread of its own that lives until the process ends: the caller's may end before.
    """
    born: Future[subprocess.Popen[bytes]] = Future()

    def live() -> None:
        try:
            process = subprocess.Popen(
                command, preexec_fn=_end_with_parent if sys.platform == "linux" else None, **options
            )
        except BaseException as error:
            born.set_exception(error)
            return
        born.set_result(process)
        process.wait()

    threading.Thread(target=live, name="label-studio", daemon=True).start()
    return born.result()


def start(
    *, executable: Path, port: int, env: Mapping[str, str], data: Path, email: str, token: str
) -> Server:
    """Start the server on loopback and wait until it answers with our own account.

    A busy port is refused first, since the server would silently take the next one. Raises a
    PrerequisiteError with the log's end where it dies or does not come up.
    """
    if not is_free(port):
        raise UsageError(f"port {port} is taken; name another: --port")
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
    log = data / "server.log"
    command = [str(executable), "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
    with log.open("wb") as handle:
        process = _spawn(
            command,
            env=dict(env),
            cwd=data,
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Server(process=process, url=f"http://127.0.0.1:{port}", log=log)
    try:
        _await(server, email, token)
    except BaseException:
        server.stop()
        raise
    return server


def _await(server: Server, email: str, token: str) -> None:
    began = told = time.monotonic()
    until = began + START_SECONDS
    with Client(url=server.url, token=token, timeout=10) as client:
        while time.monotonic() < until:
            if server.process.poll() is not None:
                tail = server.log.read_text(encoding="utf-8", errors="replace")[-600:].replace(token, "***")
                raise PrerequisiteError(f"Label Studio ended at its start: {tail}", fix=f"see {server.log}")
            try:
                who = client.get("/api/current-user/whoami")
            except ServerError as error:
                if error.status in (401, 403):
                    raise PrerequisiteError(
                        "the server knows another token than this one",
                        fix=f"give the token of its first start in {TOKEN_VARIABLE}",
                    ) from None
                if time.monotonic() - told >= _STILL_SECONDS:
                    told = time.monotonic()
                    say(f"Label Studio is still starting: {told - began:.0f} s, of {START_SECONDS} at most")
                time.sleep(0.2)
                continue
            if who["email"].lower() == email.lower():
                return
            raise UsageError(f"{server.url} answers with another account; is another server there?")
    raise PrerequisiteError(f"Label Studio did not answer within {START_SECONDS} s", fix=f"see {server.log}")


def server_token(url: str) -> str:
    """The token of a local server: given, kept in the keyring, or made and put there.

    Without a keyring nothing is made up, since it could only be shown or written to a file.
    """
    given = os.environ.get(TOKEN_VARIABLE, "").strip()
    if given:
        return given
    fix = f"give the server a secret of your own: export {TOKEN_VARIABLE}=$(openssl rand -hex 20)"
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise PrerequisiteError("there is no keyring to keep the server's token in", fix=fix) from None
    try:
        kept = keyring.get_password(KEYRING_SERVICE, url)
        if not kept:
            kept = secrets.token_hex(20)
            keyring.set_password(KEYRING_SERVICE, url, kept)
    except KeyringError:
        raise PrerequisiteError("there is no keyring to keep the server's token in", fix=fix) from None
    return kept


def announcement(data: Path) -> str:
    """What ``serve`` says before it waits: where the data is, and how long a start takes."""
    wait = (
        "some seconds"
        if (data / _DATABASE).is_file()
        else "a minute or two, since its database is made first"
    )
    return f"starting Label Studio, which takes {wait}; its data is in {data}"


def run(
    *, campaign: Campaign | None, port: int, data: Path | None, email: str, may_install: bool = False
) -> None:
    """Serve until interrupted; a campaign learns the address."""
    executable = program(may_install=may_install)
    url = f"http://127.0.0.1:{port}"
    token = server_token(url)
    password = os.environ.get(PASSWORD_VARIABLE) or token
    folder = (data or home() / "data").absolute()
    # A service manager stops with SIGTERM; the server must not outlive us then either.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    say(announcement(folder))
    env = environment(data=folder, email=email, token=token, password=password)
    server = start(executable=executable, port=port, env=env, data=folder, email=email, token=token)
    try:
        if campaign is not None:
            campaign.update(url=url)
        say(f"{url} is up; log in as {email}; Ctrl-C stops it")
        code = server.process.wait()
        raise PrerequisiteError(f"Label Studio ended by itself ({code})", fix=f"see {server.log}")
    except KeyboardInterrupt:
        say("stopping Label Studio")
    finally:
        server.stop()
