"""The BLAS paper's Tables 3 to 6 as the commands take them; figures from the paper, mapped to our names."""

from __future__ import annotations

import csv
from pathlib import Path

FOLDER = Path(__file__).parent / "data" / "paper"
CASINGS = {
    "Standard casing": "standard",
    "Text is lowercase": "lower",
    "Span is titlecase": "span_title",
    "Text is titlecase": "title",
    "Span is uppercase": "span_upper",
    "Text is uppercase": "upper",
}
POSITIONS = {"ini": "initial", "mid": "mid"}


def rows(name: str) -> list[dict[str, str]]:
    """A table's rows."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        found = list(csv.DictReader(handle))
    for row in found:
        if "type" in row:
            row["type"] = row["type"].replace(" ", "_")
    return found


def fraction(percent: str) -> float:
    """A printed percentage as a fraction."""
    return float(percent) / 100


def cells() -> list[dict[str, object]]:
    """Tables 5 and 4 as rows of `probeta predict --recalls`: whole cells, then a row for each casing."""
    found: list[dict[str, object]] = [
        {
            "system": row["model"],
            "type": row["type"],
            "length": row["length"],
            "position": POSITIONS[row["position"]],
            "casing": "standard",
            "quotes": row["quotation"],
            "n": row["n_spans"],
            "recall": fraction(row["recall"]),
        }
        for row in rows("table5")
    ]
    found += [
        {
            "system": row["model"],
            "type": "",
            "length": "",
            "position": "",
            "casing": CASINGS[row["casing"]],
            "quotes": row["quotation"],
            "n": 173,
            "recall": fraction(row["recall"]),
        }
        for row in rows("table4")
    ]
    return found


def write(path: Path, table: list[dict[str, object]]) -> Path:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path
