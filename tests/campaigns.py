"""Small campaigns for tests: a built set of a few rows, a campaign drawn from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from probeta.annotation import campaign as files
from probeta.annotation.campaign import Campaign, Item, Settings, task_key
from probeta.annotation.client import Client
from probeta.annotation.guideline import sha256
from probeta.annotation.predictions import push_predictions, read_predictions
from probeta.formats.jsonl import write_jsonl

#: Texts in which offsets can go wrong: each holds the word burpees once.
EDGES = (
    "Los burpees, «big» y ya",
    "🎉 Los burpees de 👩‍👩‍👧 hoy",
    "e\u0301xito de los burpees",
    "  Dos  espacios\ty burpees",
    "Línea\nburpees\r\nfin",
    "<b>burpees</b> & <script>alert(1)</script>",
    "\ufeffburpees\u200b con\u00a0duro",
    "𝔅urpees y burpees 𝔅",
)


GUIDELINE = "# Guía\n\nMarque los **anglicismos**.\n"


def campaign(
    folder: Path, *, kind: str = "spans", size: int = 8, overlap: int = 3, name: str = "test", **settings: Any
) -> Campaign:
    """A campaign folder with ``size`` items, without a draw."""
    identity = f"{abs(hash((name, str(folder)))) % 16**8:08x}"
    labels = {"ENG": "An anglicism."}
    if kind == "pairs":
        labels = {name: f"About {name}." for name in ("contrasting", "entailment", "reasoning", "neutral")}
    made = Settings.model_validate(
        {
            "id": identity,
            "title": f"{name} {identity}",
            "kind": kind,
            "language": "es",
            "labels": labels,
            "source": {"name": name},
            "seed": 1,
            "overlap": overlap,
            "guideline_sha256": sha256(GUIDELINE),
            **settings,
        }
    )
    folder.mkdir(parents=True)
    files.write_settings(folder / files.CAMPAIGN, made)
    (folder / files.GUIDELINE).write_text(GUIDELINE, encoding="utf-8")
    items = []
    for number in range(size):
        text = f"{EDGES[number % len(EDGES)]} {number}"
        fields = {"text": text} if kind == "spans" else {"sentence_1": text, "sentence_2": f"Pues {number}."}
        item = f"i{number:04d}"
        items.append(Item(item=item, key=task_key(identity, item), role="sample", fields=fields))
    write_jsonl(folder / files.ITEMS, [item.record() for item in items])
    write_jsonl(
        folder / files.GOLD,
        [
            {"item": item.item, "original": "neutral" if kind == "pairs" else [], "genre": "news"}
            for item in items
        ],
    )
    return Campaign(folder)


def region(text: str, word: str = "burpees", label: str = "ENG") -> dict[str, Any]:
    """A region as the interface makes it."""
    start = text.rindex(word)
    value = {"start": start, "end": start + len(word), "text": word, "labels": [label]}
    return {"id": f"r{start}", "from_name": "label", "to_name": "text", "type": "labels", "value": value}


def choice(label: str) -> dict[str, Any]:
    """A choice as the interface makes it."""
    return {
        "id": "c1",
        "from_name": "label",
        "to_name": "hypothesis",
        "type": "choices",
        "value": {"choices": [label]},
    }


def rewrite(campaign: Campaign, change: Any) -> None:
    """Change ``items.jsonl`` by a function of its rows."""
    path = campaign.path(files.ITEMS)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    write_jsonl(path, change(rows))


def fill_in(made: Campaign, source: Path, client: Client) -> int:
    """Push pre-annotations; how many the server made."""
    return push_predictions(made, read_predictions(made, source), client=client)
