"""Tag sequences scored as arrays: hand cases, policies, and equality with other scorers."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.cli.main import main
from probeta.errors import DataError, UsageError
from probeta.evaluation import read, tagblocks
from probeta.evaluation.spantable import Labels
from probeta.evaluation.tagged import TagCounts, score_tags, spans_of_tags
from probeta.formats import ReadOptions
from probeta.formats.tags import POLICIES, SCHEMES, Decoder
from probeta.records import Span

LABELS = ("PER", "LOC", "ARGM-LOC")


def counted(
    gold: str, predicted: str, *, scheme: str = "IOB2", policy: str = "error"
) -> tuple[int, int, int]:
    spans = score_tags(gold=[gold.split()], predicted=[predicted.split()], scheme=scheme, policy=policy).spans
    return spans.gold, spans.predicted, spans.correct


@pytest.mark.parametrize(
    ("gold", "predicted", "scheme", "conlleval", "discard"),
    [
        # One broken prediction that conlleval repairs into the gold span.
        ("B-X I-X O", "I-X I-X O", "IOB2", (1, 1, 1), (1, 0, 0)),
        # Broken on both sides.
        ("O I-X O", "O I-X O", "IOB2", (1, 1, 1), (0, 0, 0)),
        # The I of another type begins a span for conlleval and is left out by discard.
        ("B-PER B-LOC", "B-PER I-LOC", "IOB2", (2, 2, 2), (2, 1, 1)),
        ("B-PER I-PER", "B-PER I-LOC", "IOB2", (1, 2, 0), (1, 1, 0)),
        ("B-X I-X I-X", "B-X O I-X", "IOB2", (1, 2, 0), (1, 1, 0)),
        # An unclosed IOBES span.
        ("B-X I-X E-X", "B-X I-X I-X", "IOBES", (1, 1, 1), (1, 0, 0)),
        ("B-X E-X S-X", "B-X B-X S-X", "IOBES", (2, 3, 1), (2, 1, 1)),
        # In IOB1 a B may only part a span from one before it.
        ("I-X I-X O I-X", "B-X I-X O I-X", "IOB1", (2, 2, 2), (2, 1, 1)),
    ],
)
def test_invalid_sequences_follow_the_policy(
    gold: str, predicted: str, scheme: str, conlleval: tuple[int, int, int], discard: tuple[int, int, int]
) -> None:
    assert counted(gold, predicted, scheme=scheme, policy="conlleval") == conlleval
    assert counted(gold, predicted, scheme=scheme, policy="discard") == discard
    with pytest.raises(DataError) as caught:
        counted(gold, predicted, scheme=scheme)
    assert {fault.code for fault in caught.value.faults} == {"tag_sequence"}
    assert all(fault.row == 1 and fault.fix for fault in caught.value.faults)


def test_broken_spans_are_counted_under_every_policy() -> None:
    result = score_tags(
        gold=[["B-X", "I-X", "O"], ["O", "I-X"]],
        predicted=[["I-X", "I-X", "O"], ["O", "I-Y"]],
        policy="conlleval",
    )
    assert result.invalid == {"gold": 1, "predicted": 2}


def test_a_fault_names_sentence_and_token() -> None:
    with pytest.raises(DataError) as caught:
        score_tags(gold=[["O"], ["O", "I-X"]], predicted=[["O"], ["O", "O"]])
    assert "sentence 2, token 2" in str(caught.value)
    with pytest.raises(DataError, match="another number of tokens"):
        score_tags(gold=[["O"], ["O", "O"]], predicted=[["O"], ["O"]])
    with pytest.raises(DataError, match="different numbers of sentences"):
        score_tags(gold=[["O"], ["O", "O"]], predicted=[["O"]])


@pytest.mark.parametrize("tag", ["B_X", "PER", "-", "o", "E-X", "B-"])
def test_a_tag_that_is_none_is_a_fault_under_every_policy(tag: str) -> None:
    for policy in POLICIES:
        with pytest.raises(DataError) as caught:
            score_tags(gold=[["O"]], predicted=[[tag]], policy=policy)
        assert caught.value.faults[0].code == "tag"


def test_an_unknown_scheme_is_a_wrong_use() -> None:
    with pytest.raises(UsageError, match="IOBES"):
        score_tags(gold=[["O"]], predicted=[["O"]], scheme="IOBE")


def test_nothing_at_all() -> None:
    result = score_tags(gold=[], predicted=[])
    assert (result.spans.gold, result.spans.f1, result.tokens.accuracy) == (0, None, None)
    result = score_tags(gold=[["O", "O"], []], predicted=[["O", "O"], []])
    assert (result.spans.f1, result.tokens.accuracy, result.tokens.labelled.f1) == (None, 1.0, None)


def test_token_counts() -> None:
    # Tokens: equal B-X; I-X against O; O against B-Y. Labelled tokens: gold 2, predicted 2, shared 1.
    tokens = score_tags(gold=[["B-X", "I-X", "O"]], predicted=[["B-X", "O", "B-Y"]]).tokens
    assert (tokens.tokens, tokens.equal, tokens.accuracy) == (3, 1, 1 / 3)
    assert (tokens.labelled.gold, tokens.labelled.predicted, tokens.labelled.correct) == (2, 2, 1)


def test_two_schemes_give_equal_spans_and_no_token_accuracy() -> None:
    result = score_tags(
        gold=[["B-X", "I-X", "B-X"]], predicted=[["B-X", "L-X", "U-X"]], predicted_scheme="BILOU"
    )
    assert (result.spans.correct, result.spans.f1, result.tokens.accuracy) == (2, 1.0, None)


@st.composite
def span_lists(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, str]]]:
    """A sentence's length and its spans, sorted, touching at most."""
    spans, place = [], 0
    for _ in range(draw(st.integers(0, 5))):
        start = place + draw(st.integers(0, 2))
        place = start + draw(st.integers(1, 3))
        spans.append((start, place, draw(st.sampled_from(LABELS))))
    return place + draw(st.integers(0, 2)), spans


def encoded(length: int, spans: list[tuple[int, int, str]], scheme: str) -> list[str]:
    tags = ["O"] * length
    before: tuple[int, int, str] | None = None
    for start, end, label in spans:
        kinds = ["B", *"I" * (end - start - 1)]
        if scheme == "IOB1" and not (before and before[1] == start and before[2] == label):
            kinds[0] = "I"
        if scheme in ("IOBES", "BILOU"):
            last, single = ("E", "S") if scheme == "IOBES" else ("L", "U")
            kinds[-1] = last if len(kinds) > 1 else single
        tags[start:end] = [f"{kind}-{label}" for kind in kinds]
        before = (start, end, label)
    return tags


@given(st.lists(span_lists(), max_size=4), st.sampled_from(list(SCHEMES)), st.sampled_from(POLICIES))
def test_every_scheme_gives_the_same_spans(
    sentences: list[tuple[int, list[tuple[int, int, str]]]], scheme: str, policy: str
) -> None:
    labels = Labels()
    table, invalid = spans_of_tags(
        [encoded(length, spans, scheme) for length, spans in sentences],
        scheme=scheme,
        policy=policy,
        labels=labels,
    )
    names = list(labels)
    found = [
        (item, start, end, names[label])
        for item, start, end, label in zip(
            table.item.tolist(), table.start.tolist(), table.end.tolist(), table.label.tolist(), strict=True
        )
    ]
    assert (
        found == [(item, *span) for item, (_, spans) in enumerate(sentences) for span in spans]
        and not invalid
    )


WORDS = ("pie", "café", "cafe\u0301", "«e-mail»", "👩\u200d💻", "ﬁn", "ñandú", "日本", "İ", ".")


@given(st.lists(st.tuples(span_lists(), st.data()), min_size=1, max_size=3))
def test_files_of_every_scheme_and_of_characters_give_the_same_items(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: list[tuple[tuple[int, list[tuple[int, int, str]]], st.DataObject]],
) -> None:
    """IOB1, IOB2, IOBES and BILOU in CoNLL, and offsets of characters in JSONL: one and the same spans."""
    folder = tmp_path_factory.mktemp("schemes")
    expected, records, files = [], [], {scheme: [] for scheme in SCHEMES}
    for number, ((length, spans), data) in enumerate(sentences):
        words = [data.draw(st.sampled_from(WORDS)) for _ in range(max(1, length))]
        text = " ".join(words)
        placed = [
            Span(len(" ".join([*words[:start], ""])), len(" ".join(words[:end])), label)
            for start, end, label in spans
        ]
        expected.append((f"s{number}", text, placed))
        records.append(
            {
                "id": f"s{number}",
                "text": text,
                "spans": [{"start": s.start, "end": s.end, "label": s.label} for s in placed],
            }
        )
        for scheme, lines in files.items():
            tags = encoded(len(words), spans, scheme)
            lines += [f"# id = s{number}", *map("\t".join, zip(words, tags, strict=True)), ""]
    for scheme, lines in files.items():
        path = folder / f"{scheme}.conll"
        path.write_text("\n".join(lines) + "\n", "utf-8")
        for policy in POLICIES:
            loaded = read.load_items(path, options=ReadOptions(scheme=scheme, invalid=policy))
            assert [(item.id, item.text, list(item.spans)) for item in loaded.items] == expected
            assert loaded.invalid == 0
    path = folder / "characters.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    loaded = read.load_items(path, options=ReadOptions())
    assert [(item.id, item.text, list(item.spans)) for item in loaded.items] == expected


def test_broken_tags_of_a_file_are_counted_under_each_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two I without a B before them: conlleval reads two spans, discard none; both count two tags."""
    path = tmp_path / "both.conll"
    path.write_text("uno\tB-X\tI-X\ndos\tI-X\tI-X\n\ntres\tO\tI-Y\n", "utf-8")
    for policy, (predicted, correct) in {"conlleval": (2, 1), "discard": (0, 0)}.items():
        arguments = ["score", str(path), "--pred-column", "2", "--invalid", policy]
        with pytest.raises(SystemExit):
            main([*arguments, "--json"])
        found = json.loads(capsys.readouterr().out)
        assert (found["overall"]["predicted"], found["overall"]["correct"]) == (predicted, correct)
        assert found["invalid"] == {"gold": 0, "predicted": 2}
        assert f"invalid:{policy}" in found["signature"]
        with pytest.raises(SystemExit):
            main(arguments)
        assert "tags that break the scheme: gold 0, predicted 2" in capsys.readouterr().out
    with pytest.raises(SystemExit) as stop:
        main(["score", str(path), "--pred-column", "2"])
    err = capsys.readouterr().err
    assert stop.value.code == 1 and "2 faults" in err
    assert f"{path}:1 [2]: I-X continues no span" in err and f"{path}:4 [2]: I-Y continues" in err


def random_corpus(seed: int, sentences: int) -> tuple[list[list[str]], list[list[str]]]:
    """Valid IOB2 gold and predictions that share some spans."""
    generator = random.Random(seed)

    def spans(length: int) -> list[tuple[int, int, str]]:
        found, place = [], 0
        while place < length - 3:
            place += generator.randint(0, 6)
            end = min(length, place + generator.randint(1, 3))
            if place < end:
                found.append((place, end, generator.choice(LABELS)))
            place = end
        return found

    gold, predicted = [], []
    for _ in range(sentences):
        length = generator.randint(1, 30)
        one = spans(length)
        other = one if generator.random() < 0.4 else spans(length)
        gold.append(encoded(length, one, "IOB2"))
        predicted.append(encoded(length, other, "IOB2"))
    return gold, predicted


def test_equal_to_seqeval_by_label_and_token() -> None:
    from seqeval import metrics
    from seqeval.scheme import IOB2

    gold, predicted = random_corpus(0, 200)
    result = score_tags(gold=gold, predicted=predicted)
    for options in ({}, {"mode": "strict", "scheme": IOB2}):
        for name in ("precision", "recall", "f1"):
            theirs = getattr(metrics, f"{name}_score")(gold, predicted, **options)
            assert getattr(result.spans, name) == pytest.approx(theirs, abs=1e-9)
    report = metrics.classification_report(gold, predicted, output_dict=True)
    for label, counts in result.by_label.items():
        assert counts.f1 == pytest.approx(report[label]["f1-score"], abs=1e-9)
        assert counts.gold == report[label]["support"]
    assert result.tokens.accuracy == pytest.approx(metrics.accuracy_score(gold, predicted), abs=1e-9)


@st.composite
def tagged_corpora(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    """Valid IOB2 gold and predictions of the same lengths; half of the sentences are predicted rightly."""
    gold, predicted = [], []
    for length, spans in draw(
        st.lists(span_lists().filter(lambda drawn: drawn[0] > 0), min_size=1, max_size=6)
    ):
        other = spans
        if draw(st.booleans()):
            end, kept = draw(span_lists())
            other = [span for span in kept if span[1] <= length] if end else []
        gold.append(encoded(length, spans, "IOB2"))
        predicted.append(encoded(length, other, "IOB2"))
    return gold, predicted


@given(tagged_corpora())
def test_equal_to_every_peer_on_valid_iob2(corpora: tuple[list[list[str]], list[list[str]]]) -> None:
    """conlleval, seqeval, seqscore, spaCy and nervaluate, live: their counts, or their scores, to 1e-9.

    Where a denominator is empty each of them says something else; we say None, and nothing is compared.
    """
    gold, predicted = corpora
    ours = score_tags(gold=gold, predicted=predicted)
    counts = (ours.spans.gold, ours.spans.predicted, ours.spans.correct)
    assert conlleval_counts(gold, predicted) == (counts, by_label_counts(ours))
    assert seqscore_counts(gold, predicted, repair=None) == (counts, by_label_counts(ours))
    assert nervaluate_counts(gold, predicted) == counts
    for name, theirs in {**seqeval_scores(gold, predicted), **spacy_scores(gold, predicted)}.items():
        mine = getattr(ours.spans, name.rpartition(" ")[2])
        assert mine is None or theirs == pytest.approx(mine, abs=1e-9), name


@given(
    st.lists(st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), min_size=1, max_size=7), min_size=1)
)
def test_the_policies_are_the_peers_on_any_iob2(tags: list[list[str]]) -> None:
    """``conlleval`` reads broken sequences as conlleval does, and seqscore where it repairs so."""
    gold = [["O"] * len(sentence) for sentence in tags]
    for one, other in ((gold, tags), (tags, tags), (tags, tags[:1] + gold[1:])):
        ours = score_tags(gold=one, predicted=other, policy="conlleval")
        counts = (ours.spans.gold, ours.spans.predicted, ours.spans.correct), by_label_counts(ours)
        assert conlleval_counts(one, other) == counts
        assert seqscore_counts(one, other, repair="conlleval") == counts
        ours = score_tags(gold=one, predicted=other, policy="discard")
        counts = (ours.spans.gold, ours.spans.predicted, ours.spans.correct), by_label_counts(ours)
        assert seqscore_counts(one, other, repair="discard") == counts
        # seqeval's default mode reads as conlleval does, its strict mode discards what breaks the scheme.
        for mode, policy in (("seqeval ", "conlleval"), ("seqeval strict ", "discard")):
            ours = score_tags(gold=one, predicted=other, policy=policy)
            scores = seqeval_scores(one, other)
            for name in ("precision", "recall", "f1"):
                mine = getattr(ours.spans, name)
                assert mine is None or scores.get(mode + name, 0.0) == pytest.approx(mine, abs=1e-9), mode


ByLabel = dict[str, tuple[int, int, int]]


def by_label_counts(found: TagCounts) -> ByLabel:
    return {name: (one.gold, one.predicted, one.correct) for name, one in found.by_label.items()}


def conlleval_counts(
    gold: list[list[str]], predicted: list[list[str]]
) -> tuple[tuple[int, int, int], ByLabel]:
    import conlleval

    lines = []
    for one, other in zip(gold, predicted, strict=True):
        lines += [f"w {tag} {guess}" for tag, guess in zip(one, other, strict=True)] + [""]
    found = conlleval.evaluate(lines)
    names = ("gold", "pred", "correct")
    overall = tuple(found["overall"]["chunks"]["stats"][name] for name in names)
    slots = {
        label: tuple(one["stats"][name] for name in names) for label, one in found["slots"]["chunks"].items()
    }
    return overall, {label: counts for label, counts in slots.items() if any(counts)}


def seqscore_counts(
    gold: list[list[str]], predicted: list[list[str]], *, repair: str | None
) -> tuple[tuple[int, int, int], ByLabel]:
    from seqscore.scoring import ClassificationScore, score_label_sequences

    def counts(one: ClassificationScore) -> tuple[int, int, int]:
        return one.total_ref, one.total_pos, one.true_pos

    found, _ = score_label_sequences(predicted, gold, "BIO", repair=repair)
    return counts(found), {label: counts(one) for label, one in found.type_scores.items()}


def nervaluate_counts(gold: list[list[str]], predicted: list[list[str]]) -> tuple[int, int, int]:
    from nervaluate import Evaluator

    strict = Evaluator(gold, predicted, tags=list(LABELS), loader="list").evaluate()["overall"]["strict"]
    return strict.possible, strict.actual, strict.correct


def seqeval_scores(gold: list[list[str]], predicted: list[list[str]]) -> dict[str, float]:
    from seqeval import metrics
    from seqeval.scheme import IOB2

    options = {"zero_division": 0}
    strict = {"mode": "strict", "scheme": IOB2, **options}
    names = ("precision", "recall", "f1")
    found = {
        f"seqeval {name}": getattr(metrics, f"{name}_score")(gold, predicted, **options) for name in names
    }
    if any(tag != "O" for sentence in (*gold, *predicted) for tag in sentence):
        found |= {
            f"seqeval strict {name}": getattr(metrics, f"{name}_score")(gold, predicted, **strict)
            for name in names
        }
    return found


def spacy_scores(gold: list[list[str]], predicted: list[list[str]]) -> dict[str, float]:
    from spacy.scorer import Scorer
    from spacy.tokens import Doc
    from spacy.training import Example
    from spacy.vocab import Vocab

    vocab = Vocab()
    examples = [
        Example(*(Doc(vocab, words=["a"] * len(tags), ents=tags) for tags in (other, one)))
        for one, other in zip(gold, predicted, strict=True)
    ]
    found = Scorer.score_spans(examples, "ents")
    names = {"precision": "ents_p", "recall": "ents_r", "f1": "ents_f"}
    return {f"spacy {name}": found[key] for name, key in names.items()}


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, predicted = random_corpus(1, 100)
    whole = score_tags(gold=gold, predicted=predicted)
    monkeypatch.setattr(tagblocks, "BLOCK", 7)
    assert score_tags(gold=gold, predicted=predicted) == whole


@given(st.data())
def test_decodes_as_the_readers_do(data: st.DataObject) -> None:
    """Arrays and sentences are two ways of asking one rule: the same spans, the same tags that break it."""
    scheme, policy = data.draw(st.sampled_from(list(SCHEMES))), data.draw(st.sampled_from(POLICIES[1:]))
    tag = st.sampled_from(["O", *(f"{prefix}-{label}" for prefix in SCHEMES[scheme] for label in "XY")])
    sentences = data.draw(st.lists(st.lists(tag, max_size=6), max_size=3))
    labels = Labels()
    table, invalid = spans_of_tags(sentences, scheme=scheme, policy=policy, labels=labels)
    names = list(labels)
    columns = table.item.tolist(), table.start.tolist(), table.end.tolist(), table.label.tolist()
    found = [(item, start, end, names[code]) for item, start, end, code in zip(*columns, strict=True)]
    decode = Decoder(scheme, policy=policy)
    decoded = [decode(tags) for tags in sentences]
    assert found == [(item, *span) for item, one in enumerate(decoded) for span in one.spans]
    assert invalid == sum(len(one.invalid) for one in decoded)


def test_a_wrong_column_is_told_and_costs_no_more(tmp_path: Path) -> None:
    """Every word is a tag that is none: the faults are cut off, and no table of all pairs is made."""
    words = [[f"word{number}-{place}" for place in range(50)] for number in range(1000)]
    with pytest.raises(DataError) as caught:
        score_tags(gold=words, predicted=words)
    assert 1000 <= len(caught.value.faults) <= 2100
    assert {fault.code for fault in caught.value.faults} == {"tag"}


def test_the_command_counts_as_the_function_on_tag_lists(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files, or two columns of one, read in blocks that end within the file."""
    monkeypatch.setattr(read, "BLOCK", 40)
    gold, predicted = random_corpus(7, 60)
    ours = score_tags(gold=gold, predicted=predicted)

    def written(name: str, *columns: list[list[str]]) -> str:
        lines = []
        for rows in zip(*columns, strict=True):
            lines += ["\t".join((f"w{at}", *tags)) for at, tags in enumerate(zip(*rows, strict=True))] + [""]
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
        return str(tmp_path / name)

    both = written("both.conll", gold, predicted)
    one, other = written("gold.conll", gold), written("system.conll", predicted)
    for arguments in ([both, "--pred-column", "2"], [one, other]):
        with pytest.raises(SystemExit):
            main(["score", *arguments, "--json"])
        found = json.loads(capsys.readouterr().out)
        assert {name: found["overall"][name] for name in ("gold", "predicted", "correct")} == {
            "gold": ours.spans.gold,
            "predicted": ours.spans.predicted,
            "correct": ours.spans.correct,
        }
        assert {label: row["f1"] for label, row in found["labels"].items()} == {
            label: counts.f1 for label, counts in ours.by_label.items()
        }
        assert found["token_accuracy"] == ours.tokens.accuracy
        assert (found["tokens"]["equal"], found["tokens"]["correct"]) == (
            ours.tokens.equal,
            ours.tokens.labelled.correct,
        )


def test_coalas_dev_with_its_crf(reference_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The figures that seqeval, nervaluate, spaCy, conlleval.pl and seqscore all give on this file."""
    path = str(reference_data / "coalas" / "dev_gold_crf.conll")
    with pytest.raises(SystemExit):
        main(["score", path, "--gold-column", "1", "--pred-column", "2", "--json"])
    found = json.loads(capsys.readouterr().out)
    overall, english = found["overall"], found["labels"]["ENG"]
    assert (overall["correct"], overall["predicted"] - 191, overall["gold"] - 191) == (191, 68, 164)
    scores = [overall["precision"], overall["recall"], overall["f1"], found["token_accuracy"]]
    assert [round(100 * score, 4) for score in scores] == [73.7452, 53.8028, 62.2150, 99.6355]
    assert [round(100 * english[name], 2) for name in ("recall", "f1")] == [61.76, 67.62]
    assert round(100 * found["matches"]["untyped"]["f1"], 4) == 65.7980
