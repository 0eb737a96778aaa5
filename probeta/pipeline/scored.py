"""Write scores: into a folder, or into a built set with the card that shows them and the checksums, all or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from probeta import builtset
from probeta.evaluation.report import report_files, write_report
from probeta.publishing import folder
from probeta.publishing.documents import documents
from probeta.recipe import load_recipe

if TYPE_CHECKING:
    from probeta.evaluation.evaluate import SpanEvaluation
    from probeta.evaluation.evaluate_pairs import PairEvaluation


def write_scores(out: Path, found: SpanEvaluation | PairEvaluation, *, by: Sequence[str] = ()) -> list[str]:
    """Write the report ``scores`` and its maps below ``out/reports``; what was written is returned.

    In a built set the maps are drawn in the languages of its cards, and its documents are made anew; those of
    earlier scores do not outlive them. Raises a DataError if that would lose what people wrote into a card
    outside of its regions.
    """
    if not builtset.is_built_set(out):
        return write_report(out, found, by=by)
    recipe = load_recipe(out / "build")
    files = report_files(found, by=by, languages=("en", *recipe.card.translations))
    texts = {f"reports/{name}": text for name, text in files.items()}
    folder.add(
        out,
        folder.Contents(
            configs=[],
            texts=texts,
            documents=lambda target, kept: documents(target, recipe, kept=kept),
        ),
        without="reports/scores*",
    )
    return [*texts, "the card"]
