"""What tests of pushes share: the repository, and what is in it and on disk."""

from __future__ import annotations

from pathlib import Path

from hub_standin import Hub

REPO = "org/towns"


def on_disk(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def there(hub: Hub, revision: str = "main") -> dict[str, bytes]:
    return {name: data for name, data in hub.tree(REPO, revision).items() if name != ".gitattributes"}


def change(folder: Path) -> None:
    """Another version of the set: what people wrote into the card is new."""
    card = folder / "README.md"
    text = card.read_text(encoding="utf-8")
    card.write_text(
        text.replace("<!-- yours: notes -->\n", "<!-- yours: notes -->\nSeen.\n", 1), encoding="utf-8"
    )
