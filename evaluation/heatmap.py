"""A heat map of recall: attribute values down, systems across, as one SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from probeta import atomic


class Tile(NamedTuple):
    """One cell of the map; ``rate`` is None where there is no support."""

    row: str
    system: str
    rate: float | None
    support: int


def heat_map(groups: Mapping[str, Sequence[Tile]], *, title: str, note: str) -> str:
    """The SVG of the tiles, a map below the other for each heading; rates in percent.

    Rows and systems come in the order of their first tile. ``title`` says what is shown, ``note`` stands
    small below it.
    """
    import altair
    import vl_convert

    maps = [_map(tiles, heading, systems=place == 0) for place, (heading, tiles) in enumerate(groups.items())]
    heading = altair.TitleParams(title, subtitle=note, anchor="start", subtitleFontSize=8, offset=12)
    chart = altair.vconcat(*maps, title=heading).configure_title(anchor="start")
    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    return svg


def _map(tiles: Sequence[Tile], heading: str, *, systems: bool) -> Any:
    """One map; the systems' names stand above the first one only."""
    import altair

    rows = list(dict.fromkeys(tile.row for tile in tiles))
    names = list(dict.fromkeys(tile.system for tile in tiles))
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
    axis = altair.Axis(orient="top", labelAngle=-30) if systems else None
    base = altair.Chart(data, title=heading).encode(
        x=altair.X("system:N", sort=names, title=None, axis=axis),
        y=altair.Y("row:N", sort=rows, title=None),
    )
    scale = altair.Scale(domain=[0, 1], scheme="viridis")
    squares = base.mark_rect(stroke="white").encode(
        color=altair.Color("rate:Q", scale=scale, title="recall", legend=altair.Legend(format="%"))
    )
    # Dark tiles need light letters.
    shade = altair.condition(altair.datum.rate < 0.6, altair.value("white"), altair.value("black"))
    numbers = base.mark_text(fontSize=11).encode(text="shown:N", color=shade)
    return (squares + numbers).properties(width={"step": 62}, height={"step": 22})


def write_heat_map(path: Path, groups: Mapping[str, Sequence[Tile]], *, title: str, note: str) -> None:
    """Write the map to ``path``, whole or not at all."""
    atomic.write_text(path, heat_map(groups, title=title, note=note))
