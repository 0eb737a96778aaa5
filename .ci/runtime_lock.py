"""Print requirements.lock without what only the development groups bring.

`uv export` names after each pin who asked for it (`# via`); a pin stays if a chain of those leads to the
project's own dependencies.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def normal(requirement: str) -> str:
    """The registry's normal form of the package that a requirement names."""
    match = NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def blocks(text: str) -> dict[str, list[str]]:
    """Package -> its lines in the lock."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in text.splitlines():
        if NAME.match(line):
            current = found.setdefault(normal(line), [])
        if line and not line.startswith("#"):
            current.append(line)
    return found


def main() -> int:
    """Write the runtime part of the lock to stdout."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = blocks(Path("requirements.lock").read_text(encoding="utf-8"))
    needs: dict[str, set[str]] = {}
    for name, lines in found.items():
        for line in lines:
            if line.startswith("    #") and (asker := line.replace("# via", "#", 1).strip("# ")):
                needs.setdefault(normal(asker), set()).add(name)
    keep: set[str] = set()
    queue = [normal(item) for item in project["dependencies"]]
    while queue:
        name = queue.pop()
        if name not in keep and name in found:
            keep.add(name)
            queue.extend(needs.get(name, ()))
    for name in sorted(keep):
        print("\n".join(found[name]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
