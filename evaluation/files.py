"""The names of files: what systems and corpora are called, what a signature calls the data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probeta.errors import UsageError
from probeta.hashing import file_sha256, text_hash


def named_files(arguments: Sequence[str], *, what: str) -> dict[str, Path]:
    """Files by name: ``NAME=FILE``, or a file whose stem is its name; ``what`` says what they are.

    >>> sorted(named_files(["crf=out/1.jsonl", "out/beto.jsonl"], what="systems"))
    ['beto', 'crf']
    """
    found: dict[str, Path] = {}
    for argument in arguments:
        name, equals, file = argument.partition("=")
        if not equals or not name or Path(argument).exists():
            name, file = Path(argument).stem, argument
        if name in found:
            raise UsageError(f"two {what} are called {name}: name them, NAME=FILE")
        found[name] = Path(file)
    return found


def data_version(path: Path | str) -> str:
    """What a signature calls the data: a built set's name and version, else the file's name, and a hash.

    The hash of a built set leaves its reports out: a score written into the set does not change its data.
    """
    if str(path) == "-":
        return "stdin"
    place = Path(path)
    if place.is_dir():
        recipe = place / "build" / "probeta.yaml"
        sums = place / "SHA256SUMS"
        if recipe.is_file() and sums.is_file():
            from probeta.recipe.source import parse_yaml
            from probeta.tables import decode_utf8

            declared = parse_yaml(decode_utf8(recipe.read_bytes(), file=recipe.name), file=recipe.name).value
            if isinstance(declared, dict):
                lines = decode_utf8(sums.read_bytes(), file=sums.name).splitlines()
                kept = text_hash(*(line for line in lines if "  reports/" not in line))
                return f"{declared.get('name')}-{declared.get('version')}@{kept[:8]}"
        return place.name
    return f"{place.name}@{file_sha256(place)[:8]}"
