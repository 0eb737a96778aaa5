"""JSONL, read and written with every check, beside loops over the standard library's json without any.

The **json loop** parses each line, or makes each line of a record that is ready, and looks at nothing: no
types, offsets, surfaces or ids. Before anything is timed, its records and ours are compared.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Row, best_cpu, consume, rate
from benchmarks.perturb import corpus
from probeta.builders.spans.perturb import configurations
from probeta.errors import UsageError
from probeta.formats import read_sentences, write_sentences
from probeta.formats.rows import to_row
from probeta.records import Sentence

_REPEATED = 30


def _sentences(repeated: int) -> Iterator[Sentence]:
    """The twelve configurations of 153 sentences, again and again under other ids."""
    bases = corpus()
    again = (
        Sentence(f"{base.id}-{turn}", base.text, base.spans, base.attributes)
        for turn in range(repeated)
        for base in bases
    )
    return configurations(again)


def _json_read(path: Path) -> Iterator[object]:
    with path.open(encoding="utf-8") as handle:
        for line in handle:
            yield json.loads(line)


def _json_write(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", encoding="utf-8") as handle:
        for row in rows:
            handle.write(json.dumps(row, ensure_ascii=False) + "\n")


def _grown_megabytes() -> float:
    """By how much the peak grows from a file to one of ten times its length."""
    with tempfile.TemporaryDirectory() as folder:
        one, ten = Path(folder) / "one.jsonl", Path(folder) / "ten.jsonl"
        write_sentences(one, _sentences(_REPEATED))
        write_sentences(ten, _sentences(_REPEATED * 10))
        return _peak_megabytes(ten) - _peak_megabytes(one)


def _peak_megabytes(path: Path) -> float:
    """The peak resident memory of a fresh process that reads the file to its end."""
    code = "import sys; from benchmarks.formats import _read_whole; _read_whole(sys.argv[1])"
    command = [sys.executable, "-c", code, str(path)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _read_whole(path: str) -> None:
    consume(read_sentences(path))
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)


def run() -> list[Row]:
    """Records read and written a second, their ratio to the json loop, growth of memory with the file."""
    # First, while this process is small: a child's peak begins at the size of the process it is forked from.
    grown = _grown_megabytes()
    sentences = list(_sentences(_REPEATED))
    rows = [to_row(sentence) for sentence in sentences]
    count = len(sentences)
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = Path(folder) / "ours.jsonl", Path(folder) / "theirs.jsonl"
        write_sentences(ours, sentences)
        _json_write(theirs, rows)
        if list(_json_read(ours)) != list(_json_read(theirs)) or list(read_sentences(theirs)) != sentences:
            raise UsageError("the json loop and we do not read and write the same records")
        read = best_cpu(lambda: consume(read_sentences(ours)), runs=7)
        json_read = best_cpu(lambda: consume(_json_read(ours)), runs=7)
        written = best_cpu(lambda: write_sentences(ours, sentences), runs=7)
        json_written = best_cpu(lambda: _json_write(theirs, rows), runs=7)
    return [
        Row(
            name="formats: JSONL records read and checked",
            measured=rate(count, read),
            goal="≥ 100,000/s",
            peer=f"json loop, no checks {rate(count, json_read)}",
            ratio=json_read / read,
            met=count / read >= 100_000,
        ),
        Row(
            name="formats: JSONL records checked and written",
            measured=rate(count, written),
            goal="≥ 100,000/s",
            peer=f"json loop, no checks {rate(count, json_written)}",
            ratio=json_written / written,
            met=count / written >= 100_000,
        ),
        Row(
            name=f"formats: memory from {count:,} to {10 * count:,} records read",
            measured=f"{grown:+.1f} MB",
            goal="≤ 25 MB",
            met=grown <= 25,
        ),
    ]
