"""The documents of a built set with the name of the repository that they are published in.

A build knows no repository unless the recipe names one, so its card loads the set from a folder. Who reads
the card on the Hub wants a line that works there: a push makes the documents anew with the name, in the
folder too, so that what is there and what is here stay the same bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from probeta import builtset
from probeta.publishing.documents import documents
from probeta.publishing.facts import repository_of
from probeta.publishing.folder import hand_text, json_text

if TYPE_CHECKING:
    from probeta.recipe import Recipe


def named(folder: Path, recipe: Recipe, repository: str) -> dict[str, bytes]:
    """The files of the set that change where its documents name ``repository``; none where they do already."""
    if repository_of(folder, recipe) == repository:
        return {}
    made = {
        builtset.PUBLISHED: json_text({"repository": repository}),
        **documents(folder, recipe, kept=hand_text(folder), repository=repository),
    }
    changed = {
        name: text.encode("utf-8")
        for name, text in made.items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != text.encode("utf-8")
    }
    return {**changed, "SHA256SUMS": builtset.checksums(folder, instead=changed).encode("utf-8")}
