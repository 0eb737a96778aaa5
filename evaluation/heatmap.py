"""Heat maps of rates: attribute values down and systems across, or a confusion matrix, as one SVG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Tile(NamedTuple):
    """One cell of a map; ``rate`` is None where there is no support, ``shown`` what stands in the cell."""

    row: str
    column: str
    rate: float | None
    shown: str


def rate_tile(row: str, column: str, rate: float | None, *, support: int) -> Tile:
    """A tile that shows its rate in percent, in a row that says how many units it is about.

    >>> rate_tile("lower", "crf", 0.5, support=8)
    Tile(row='lower (8)', column='crf', rate=0.5, shown='50.0')
    """
    return Tile(f"{row} ({support})", column, rate, "-" if rate is None else f"{100 * rate:.1f}")


def heat_map(groups: Mapping[str, Sequence[Tile]], *, title: str, note: str) -> str:
    """The SVG of the tiles, a map below the other for each heading; rates in percent.

    Rows and columns come in the order of their first tile. ``title`` says what is shown, ``note`` stands
    small below it.
    """
    import altair
    import vl_convert

    maps = [_map(tiles, heading) for heading, tiles in groups.items()]
    heading = altair.TitleParams(title, subtitle=note, anchor="start", subtitleFontSize=9, offset=14)
    chart = altair.vconcat(*maps, title=heading, spacing=24).configure_title(anchor="start")
    chart = chart.configure_axis(labelLimit=400, ticks=False, domain=False, labelPadding=6, labelFontSize=11)
    svg: str = vl_convert.vegalite_to_svg(chart.to_json())
    return svg


def _map(tiles: Sequence[Tile], heading: str) -> Any:
    import altair

    rows = list(dict.fromkeys(tile.row for tile in tiles))
    columns = list(dict.fromkeys(tile.column for tile in tiles))
    data = altair.InlineData(values=[tile._asdict() for tile in tiles])
    # A letter is about 7 units wide. Columns grow with their names; what is longer still leans.
    name = 7 * max(map(len, columns)) + 8
    width = max(62, 8 * max(len(tile.shown) for tile in tiles), min(name, 130))
    leaning = name > width
    axis = altair.Axis(orient="top", labelAngle=-30 if leaning else 0)
    base = altair.Chart(data, title=altair.TitleParams(heading, frame="group", fontSize=12)).encode(
        x=altair.X("column:N", sort=columns, title=None, axis=axis),
        y=altair.Y("row:N", sort=rows, title=None),
    )
    scale = altair.Scale(domain=[0, 1], scheme="viridis")
    legend = altair.Legend(format=".0%", values=[0, 0.25, 0.5, 0.75, 1], gradientLength=110)
    squares = base.mark_rect(stroke="white").encode(
        color=altair.Color("rate:Q", scale=scale, title=None, legend=legend)
    )
    # Dark tiles need light letters; one without a rate has the page's white.
    dark = altair.expr.isValid(altair.datum.rate) & (altair.datum.rate < 0.6)
    shade = altair.condition(dark, altair.value("white"), altair.value("black"))
    numbers = base.mark_text(fontSize=11).encode(text="shown:N", color=shade)
    return (squares + numbers).properties(width={"step": width}, height={"step": 22})
