"""Wait until a server on this machine answers: `python examples/wait_for.py URL [SECONDS]`."""

from __future__ import annotations

import sys
import time
import urllib.error
import urllib.request


def main(url: str, seconds: float = 120.0) -> int:
    """0 when the address answers, 1 when the time is up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return 0
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    print(f"{url} did not answer within {seconds:.0f} s", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(float, sys.argv[2:])))
