"""A heat map of recall: attribute values down, systems across, as one SVG."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from probeta import atomic


class Tile(NamedTuple):
    """One cell of the map; ``rate`` is None where there is no support."""

    row: str
    system: str
    rate: float | None
    support: int


def heat_map(tiles: Sequence[Tile], *, title: str) -> str:
    """The SVG of the tiles, rows and systems in the order of their first tile; rates in percent."""
    import altair

    rows = list(dict.fromkeys(tile.row for tile in tiles))
    systems = list(dict.fromkeys(tile.system for tile in tiles))
    data = altair.InlineData(
        values=[
            {
                "row": tile.row,
                "system": tile.system,
                "rate": tile.rate,
                "shown": "-" if tile.rate is None else f"{100 * tile.rate:.1f}",
            }
            for tile in tiles
        ]
    )
    base = altair.Chart(data, title=title).encode(
        x=altair.X("system:N", sort=systems, title=None, axis=altair.Axis(orient="top", labelAngle=-30)),
        y=altair.Y("row:N", sort=rows, title=None),
    )
    scale = altair.Scale(domain=[0, 1], scheme="viridis")
    squares = base.mark_rect(stroke="white").encode(
        color=altair.Color("rate:Q", scale=scale, title="recall", legend=altair.Legend(format="%"))
    )
    # Dark tiles need light letters.
    shade = altair.condition(altair.datum.rate < 0.6, altair.value("white"), altair.value("black"))
    numbers = base.mark_text(fontSize=11).encode(text="shown:N", color=shade)
    chart = (squares + numbers).properties(width={"step": 62}, height={"step": 22})
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    return svg


def write_heat_map(path: Path, tiles: Sequence[Tile], *, title: str) -> None:
    """Write the map to ``path``, whole or not at all."""
    atomic.write_text(path, heat_map(tiles, title=title))
