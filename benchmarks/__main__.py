"""Run all benchmarks or the named ones and print one table.

Exit 0: every goal is met; 1: one is missed; 2: a peer is missing or a name is wrong.
"""

from __future__ import annotations

import argparse
import importlib
import json
import pkgutil
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.harness import peer, table
from probeta.errors import ProbetaError, one_of
from probeta.progress import say


def names() -> list[str]:
    """The benchmarks: the modules of this folder that are not its machinery."""
    found = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    return sorted(name for name in found if name not in ("__main__", "harness"))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(names())}; all if none")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    options = parser.parse_args(argv)
    try:
        chosen = [one_of(name, names(), what="benchmark") for name in options.names] or names()
        modules = [importlib.import_module(f"benchmarks.{name}") for name in chosen]
        # Every peer is looked for before the first minute is spent.
        for module in modules:
            for needed in getattr(module, "PEERS", ()):
                peer(needed)
        rows = []
        for name, module in zip(chosen, modules, strict=True):
            say(f"{name} ...")
            rows += module.run()
    except ProbetaError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps({"rows": [asdict(row) for row in rows]}, ensure_ascii=False, indent=2))
    else:
        print(table(rows))
    return 1 if any(row.met is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
