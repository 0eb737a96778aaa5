"""An annotator at work in headless Chromium: own link, mouse, keys; the pull shows exactly that."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from campaigns import campaign, fill_in, region
from label_studio import PEOPLE, Studio

from probeta.annotation import assignment, pull
from probeta.annotation.assign import assign
from probeta.annotation.campaign import Campaign
from probeta.annotation.collect import Collected, collect
from probeta.annotation.push import push

if TYPE_CHECKING:
    from browser import Browser

pytestmark = [pytest.mark.server, pytest.mark.browser]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium of the system; a visible skip where there is none, except in CI."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        missing = "Chromium or its driver is not installed (Debian: chromium, chromium-driver)"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    from browser import Browser

    made = Browser(chromium, driver)
    yield made
    made.close()


def shots() -> Path:
    """Where screenshots go, to be looked at: the folder named by the variable, else one of the system's."""
    named = os.environ.get("PROBETA_SCREENSHOTS")
    return Path(named) if named else Path(os.environ.get("TMPDIR", "/tmp")) / "probeta-screenshots"


def prepared(studio: Studio, made: Campaign, guideline: str) -> dict[str, str]:
    """Push and assign; the first person's link is ``a01``."""
    shutil.copy(Path(str(files("probeta.guidelines"))) / guideline, made.path("guideline.md"))
    with studio.client() as client:
        push(made, client=client, new_guideline=True)
        return dict(assign(made, emails=PEOPLE[:3], client=client).links)


def pulled(studio: Studio, made: Campaign, browser: Browser, *, answers: int) -> Collected:
    """A pull, once the server has so many answers and skips: a click comes back before they are there."""
    project = made.settings.project
    assert project is not None
    with studio.client() as client:

        def there() -> bool:
            listed = client.tasks(project, include=("total_annotations", "cancelled_annotations"))
            return (
                sum(task["total_annotations"] + task["cancelled_annotations"] for task in listed) == answers
            )

        browser.until(there, what=f"{answers} answers")
        return collect(made, pull.fetch(made, client=client))


@pytest.fixture(scope="module")
def at_work(studio: Studio, browser: Browser) -> Browser:
    browser.log_in(studio.url, PEOPLE[0])
    return browser


def test_marking_a_span_behind_an_emoji_and_accents(studio: Studio, at_work: Browser, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=1, name="spans")
    text = "🎉 Así, «é\u0301l» 👩‍👩‍👧 prueba burpees & <b>más</b>"
    made.path("items.jsonl").write_text(
        made.path("items.jsonl").read_text("utf-8").replace(made.items()[0].fields["text"], text), "utf-8"
    )
    links = prepared(studio, made, "anglicisms/annotation.es.md")
    at_work.open(links["a01"])
    # HTML in a text is text.
    assert "<b>más</b>" in at_work.text()
    at_work.choose("1")
    at_work.mark("burpees")
    at_work.shot(shots() / "spans.png")
    at_work.click("Submit")
    found = pulled(studio, made, at_work, answers=1)
    assert not found.normal.faults
    row = found.normal.rows[0]
    assert (row["annotator"], row["status"], len(found.normal.rows)) == ("a01", "answered", 1)
    start = text.index("burpees")
    assert row["spans"] == [{"start": start, "end": start + 7, "label": "ENG", "text": "burpees"}]
    assert row["seconds"] > 0


def test_a_pair_by_key_and_a_skip(studio: Studio, at_work: Browser, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", kind="pairs", size=6, overlap=1, name="pairs")
    links = prepared(studio, made, "nli/annotation.es.md")
    mine = [item for item in made.items() if "a01" in assignment.read(made)[item.item]]
    assert len(mine) == 2
    at_work.open(links["a01"])
    # The link serves this annotator's items and no others, and nothing tells the label.
    assert mine[0].fields["sentence_2"] in at_work.text()
    at_work.choose("3")
    at_work.shot(shots() / "pairs.png")
    at_work.click("Submit")
    at_work.ready(shows=mine[1].fields["sentence_2"])
    at_work.click("Skip")
    found = pulled(studio, made, at_work, answers=2)
    assert not found.normal.faults
    rows = {row["item"]: (row["annotator"], row["status"], row.get("label")) for row in found.normal.rows}
    # The third of the labels in the campaign's order.
    assert rows == {
        mine[0].item: ("a01", "answered", "reasoning"),
        mine[1].item: ("a01", "skipped", None),
    }
    assert "not_assigned" not in {note.code for note in found.normal.notes}


def test_a_pre_annotation_handed_in_as_it_is_and_one_added_to(
    studio: Studio, at_work: Browser, tmp_path: Path
) -> None:
    made = campaign(tmp_path / "c", size=2, overlap=1, name="filled in")
    items = made.items()
    file = tmp_path / "model.jsonl"
    spans = [{**region(item.fields["text"])["value"], "label": "ENG"} for item in items]
    file.write_text(
        "".join(
            json.dumps({"id": item.item, "spans": [{name: span[name] for name in ("start", "end", "label")}]})
            + "\n"
            for item, span in zip(items, spans, strict=True)
        ),
        encoding="utf-8",
    )
    with studio.client() as client:
        push(made, client=client)
        fill_in(made, file, client)
        links = assign(made, emails=PEOPLE[:1], client=client).links
    at_work.open(links["a01"])
    at_work.until(lambda: at_work.marked("burpees"), what="the pre-annotation")
    at_work.click("Submit")
    at_work.ready(shows=items[1].fields["text"])
    at_work.until(lambda: at_work.marked("burpees"), what="the pre-annotation")
    at_work.choose("1")
    at_work.mark("Los")
    at_work.shot(shots() / "filled-in.png")
    at_work.click("Submit")
    found = pulled(studio, made, at_work, answers=2)
    assert not found.normal.faults
    counts = found.counts()
    assert (counts["rows"], counts["from_prediction"], counts["accepted_unchanged"]) == (2, 2, 1)
    texts = {row["item"]: [span["text"] for span in row["spans"]] for row in found.normal.rows}
    assert texts == {items[0].item: ["burpees"], items[1].item: ["Los", "burpees"]}
