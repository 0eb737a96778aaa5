"""Compare a wheel's names with `git ls-files`: every shipped folder whole, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import zipfile

SHIPPED = ("builders", "guidelines", "templates", "validation", "annotation", "evaluation", "publishing")


def expected(tracked: list[str]) -> set[str]:
    """The names inside the wheel that the tracked files should become."""
    names = set()
    for path in tracked:
        top = path.split("/", 1)[0]
        if top in SHIPPED:
            names.add(f"probeta/{path}")
        elif top == "probeta" and path.removeprefix("probeta/") not in SHIPPED:
            names.add(path)
    return names


def main(wheel: str) -> int:
    """Print the differences; 1 if there are any."""
    tracked = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    want = expected([path for path in tracked.split("\0") if path])
    have = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    for name in sorted(want - have):
        print(f"missing from the wheel: {name}")
    for name in sorted(have - want):
        print(f"in the wheel but not in git: {name}")
    if want == have:
        print(f"the wheel holds the {len(want)} tracked files")
    return int(want != have)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
