"""Pre-annotations: answers that annotators find filled in, from a file or a spaCy pipeline.

The server drops a prediction with an unknown label or control without a word, so each is checked first
and what was made is counted. A prediction biases who sees it; a pull reports how many were left unchanged.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from probeta.annotation import ledger
from probeta.annotation.campaign import LEDGER, Campaign, Item
from probeta.annotation.client import Client
from probeta.annotation.regions import CONTROL
from probeta.errors import DataError, Fault, PrerequisiteError, UsageError
from probeta.formats.jsonl import read_jsonl
from probeta.progress import say
from probeta.records import Sentence
from probeta.tables import read_table

#: Predictions sent in one request.
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Predictions:
    """Results as Label Studio has them, by item; ``version`` names the model that they come from."""

    version: str
    results: Mapping[str, list[dict[str, Any]]]


def read_predictions(campaign: Campaign, source: Path) -> Predictions:
    """Predictions for the campaign's items, hidden checks too, that nobody tells them from the rest.

    ``source`` is a file of predictions (pairs: columns ``id``, ``label``; spans: any format of sentences),
    or the name or folder of a spaCy pipeline. Its name becomes the model's version. A repeated item has its
    original's. Raises a DataError for those that do not fit.
    """
    items = campaign.items()
    answers, version = _answers(campaign, source, [item for item in items if item.role != "repeat"])
    if not any(item.item in answers for item in items):
        raise UsageError(
            f"{source} has no prediction for any of the campaign's {len(items)} items: do the ids fit?"
        )
    found = {item.item: answers.get(item.of or item.item) for item in items}
    return Predictions(version, {item: result for item, result in found.items() if result is not None})


def push_predictions(campaign: Campaign, predictions: Predictions, *, client: Client) -> int:
    """Put a prediction on each task that has one and none of this version on the server yet.

    Returns how many were made; raises a DataError if the server made fewer than it was sent.
    """
    with campaign.lock():
        return _push(campaign, predictions.results, predictions.version, client)


def _push(
    campaign: Campaign, answers: Mapping[str, list[dict[str, Any]]], version: str, client: Client
) -> int:
    items = campaign.items()
    project = campaign.settings.project
    tasks = ledger.read(campaign.path(LEDGER))
    there = {
        prediction["task"]
        for prediction in client.get("/api/predictions/", {"project": project})
        if prediction.get("model_version") == version
    }
    body = [
        {"task": tasks[item.key].task, "result": answers[item.item], "model_version": version}
        for item in items
        if item.item in answers and tasks[item.key].task not in there
    ]
    made = 0
    for at in range(0, len(body), _BATCH):
        answer = client.post(f"/api/projects/{project}/import/predictions", body[at : at + _BATCH])
        made += int(answer.get("created", 0))
    if made != len(body):
        raise DataError(
            Fault(
                code="predictions_dropped",
                message="the server made fewer predictions than it was sent",
                expected=str(len(body)),
                found=str(made),
            )
        )
    client.patch(f"/api/projects/{project}/", {"show_collab_predictions": True, "model_version": version})
    return made


def _answers(
    campaign: Campaign, source: Path, items: Sequence[Item]
) -> tuple[dict[str, list[dict[str, Any]]], str]:
    kind, labels = campaign.settings.kind, campaign.settings.labels
    faults: list[Fault] = []
    found: dict[str, list[dict[str, Any]]] = {}
    if kind == "pairs":
        for item, label in _labels(source).items():
            if label not in labels:
                expected = ", ".join(labels)
                faults.append(
                    Fault(
                        code="unknown_label",
                        message="the predicted label is not in the campaign's set",
                        file=str(source),
                        row=item,
                        expected=expected,
                        found=label,
                    )
                )
            found[item] = [
                {
                    "from_name": CONTROL,
                    "to_name": "hypothesis",
                    "type": "choices",
                    "value": {"choices": [label]},
                }
            ]
    else:
        texts = {item.item: item.fields["text"] for item in items}
        for sentence in _sentences(source, items, texts):
            if sentence.id in texts and sentence.text != texts[sentence.id]:
                message = "the prediction is about another text"
                faults.append(Fault(code="other_text", message=message, file=str(source), row=sentence.id))
            for span in sentence.spans:
                if span.label not in labels:
                    message = "the predicted label is not in the campaign's set"
                    faults.append(
                        Fault(
                            code="unknown_label",
                            message=message,
                            file=str(source),
                            row=sentence.id,
                            expected=", ".join(labels),
                            found=span.label,
                        )
                    )
            found[sentence.id] = [
                {
                    "id": f"p{number}",
                    "from_name": CONTROL,
                    "to_name": "text",
                    "type": "labels",
                    "value": {
                        "start": span.start,
                        "end": span.end,
                        "text": sentence.text[span.start : span.end],
                        "labels": [span.label],
                    },
                }
                for number, span in enumerate(sentence.spans)
            ]
    if faults:
        raise DataError(faults)
    known = {item.item for item in items}
    return {item: result for item, result in found.items() if item in known}, source.stem or source.name


def _labels(source: Path) -> Mapping[str, str]:
    if not source.is_file():
        raise UsageError(f"no such file: {source}; for pairs, predictions come from a file (id, label)")
    if source.suffix.lower() == ".jsonl":
        return {str(row.get("id")): str(row.get("label")) for _, row in read_jsonl(source)}
    return {row["id"]: row["label"] for row in read_table(source, required=("id", "label"))}


def _sentences(source: Path, items: Sequence[Item], texts: Mapping[str, str]) -> list[Sentence]:
    from probeta.formats import ReadOptions, read_sentences

    if source.is_file():
        if source.suffix.lower() == ".jsonl":
            return _lines(source, texts)
        return list(read_sentences(source, options=ReadOptions(texts=texts)))
    from probeta.records import Span

    pipeline = _pipeline(source)
    found = []
    for item, document in zip(items, pipeline.pipe(item.fields["text"] for item in items), strict=True):
        spans = tuple(Span(entity.start_char, entity.end_char, entity.label_) for entity in document.ents)
        found.append(Sentence(item.item, item.fields["text"], spans))
    return found


def _lines(source: Path, texts: Mapping[str, str]) -> list[Sentence]:
    """The lines of a system's file that are about the campaign's items, as `probeta score` takes it.

    A campaign draws some items of a set that a system has answered whole, often without the texts.
    """
    from probeta.formats.base import Faults, ReadOptions, ReadReport, Source
    from probeta.formats.jsonl import records
    from probeta.formats.rows import RowReader

    place = Source.of(source)
    faults = Faults(place.name)
    build = RowReader(ReadOptions(texts=texts, span_keys="drop"), ReadReport(), faults)
    found = []
    for number, (line, raw, record) in enumerate(records(place, faults), start=1):
        if isinstance(record, dict) and isinstance(record.get("id"), str) and record["id"] not in texts:
            continue
        sentence = build(record, row=line, number=number, raw=raw)
        if sentence is not None:
            found.append(sentence)
    faults.done()
    return found


def _pipeline(source: Path) -> Any:
    """A spaCy pipeline by its name or folder; that it is of another release of spaCy is said in one line."""
    import spacy

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            pipeline = spacy.load(str(source))
        except OSError:
            raise PrerequisiteError(
                f"{source} is neither a file of predictions nor a spaCy pipeline that is installed",
                fix="see `python -m spacy download --help`",
            ) from None
    for warning in caught:
        if "[W095]" not in str(warning.message):
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        else:
            here, made_for = metadata.version("spacy"), pipeline.meta.get("spacy_version", "another release")
            say(f"{source} was made for spaCy {made_for}; this is {here}, so its spans may differ")
    return pipeline
