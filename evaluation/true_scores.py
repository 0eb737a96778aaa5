"""What systems really reach on a corpus, to compare with what was predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from probeta import tables
from probeta.errors import DataError, Fault, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class TrueScores:
    """What a system really reaches on a corpus, as fractions."""

    recall: float
    f1: float | None = None


def read_true(path: Path, *, corpora: Sequence[str]) -> dict[str, dict[str, TrueScores]]:
    """True scores by corpus and system, from ``system, recall`` and perhaps ``f1`` and ``corpus``.

    A table without a column ``corpus`` is about the only corpus there is.
    """
    table = tables.read_table(path, required=("system", "recall"))
    if "corpus" not in table.columns and len(corpora) > 1:
        raise UsageError(f"{path} needs a column corpus, since there are several: {', '.join(corpora)}")
    found: dict[str, dict[str, TrueScores]] = {name: {} for name in corpora}
    faults = []
    for row in table:
        corpus = row.get("corpus") or corpora[0]
        scores: dict[str, float] = {}
        for column in ("recall", "f1"):
            text = row.get(column)
            if column == "f1" and not text:
                continue
            try:
                scores[column] = float(text)
            except ValueError:
                scores[column] = -1.0
            if not 0 <= scores[column] <= 1:
                faults.append(
                    Fault(
                        code="true_score",
                        message="the score is no fraction",
                        file=table.file,
                        row=row.line,
                        column=column,
                        expected="0 to 1",
                        found=text,
                        fix="divide percentages by 100",
                    )
                )
        if corpus not in found:
            faults.append(
                Fault(
                    code="corpus",
                    message="there is no such corpus",
                    file=table.file,
                    row=row.line,
                    column="corpus",
                    expected=", ".join(corpora),
                    found=corpus,
                    fix="name the corpora with --corpus NAME=FILE",
                )
            )
            continue
        if not row["system"] or row["system"] in found[corpus]:
            faults.append(
                Fault(
                    code="true_score",
                    message="the system stands twice" if row["system"] else "the row names no system",
                    file=table.file,
                    row=row.line,
                    column="system",
                    expected="one row a system and corpus",
                    found=row["system"],
                )
            )
            continue
        if scores.keys() >= {"recall"}:
            found[corpus][row["system"]] = TrueScores(recall=scores["recall"], f1=scores.get("f1"))
    if faults:
        raise DataError(faults)
    return found
