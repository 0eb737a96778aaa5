"""Agreement on spans: F1 strict and relaxed, token kappa, alpha_U, by hand and against a plain reading."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.cli.main import main
from probeta.tokens import Tokenizer
from probeta.validation import annotations
from probeta.validation.agreement import Interval
from probeta.validation.agreement.report import Choices
from probeta.validation.agreement.span_report import self_f1, span_report
from probeta.validation.agreement.spans import of_label, span_f1, span_pairs
from probeta.validation.agreement.spansets import SpanAnswers, SpanRepeat, from_answers, overlapping
from probeta.validation.agreement.tokens import characters, tag, token_kappa, words
from probeta.validation.agreement.unitizing import alpha_u

Unit = tuple[int, int]
Marked = dict[tuple[str, str], list[tuple[int, int, str]]]


def f1(answers: SpanAnswers, *, relaxed: bool = False) -> float | None:
    return span_f1(answers, relaxed=relaxed).value


def test_strict_and_relaxed_by_hand() -> None:
    made = from_answers(
        {
            ("1", "a"): [(0, 5, "ENG"), (10, 15, "ENG")],
            ("1", "b"): [(0, 5, "ENG"), (10, 12, "ENG"), (20, 22, "OTHER")],
            ("2", "a"): [(3, 6, "ENG")],
            ("2", "b"): [(3, 6, "OTHER")],
            ("3", "a"): [],
            ("3", "b"): [],
        }
    )
    # Strict: 1 agreed; 3 and 4 spans: 2/7. Relaxed: two of a's meet two of b's: 4/7.
    assert f1(made) == pytest.approx(2 / 7)
    assert f1(made, relaxed=True) == pytest.approx(4 / 7)
    # ENG: 1 agreed of 3 and 2; OTHER: 0 of 0 and 2.
    assert f1(of_label(made, made.labels.index("ENG"))) == pytest.approx(2 / 5)
    assert f1(of_label(made, made.labels.index("OTHER"))) == 0
    assert span_f1(made).note == "1 item in which nobody marked a span"
    (pair,) = span_pairs(made, interval=Interval())
    assert (pair["items"], pair["spans"], pair["reason"]) == (3, [3, 4], None)


def test_three_annotators_pool_the_counts_of_pairs() -> None:
    made = from_answers(
        {
            ("1", "a"): [(0, 5, "X")],
            ("1", "b"): [(0, 5, "X")],
            ("1", "c"): [(0, 4, "X")],
            ("2", "a"): [(2, 3, "X")],
            ("2", "b"): [(2, 3, "X")],
        }
    )
    # Item 1: one of three pairs agrees, 6 spans on the sides; item 2: one pair, 2 spans. 2*2/8.
    assert f1(made) == pytest.approx(4 / 8)
    assert span_f1(made).pairs == 4


def test_no_spans_and_one_empty() -> None:
    both = from_answers({("1", "a"): [], ("1", "b"): []})
    assert span_f1(both).reason == "no_spans"
    one = from_answers({("1", "a"): [(0, 2, "X")], ("1", "b"): []})
    assert f1(one) == 0
    assert alpha_u(one, lengths=[9]).value is not None
    assert span_f1(from_answers({})).reason == "no_data"
    assert span_f1(from_answers({("1", "a"): [(0, 1, "X")]})).reason == "one_rater"
    apart = from_answers({("1", "a"): [(0, 1, "X")], ("2", "b"): [(0, 1, "X")]})
    assert span_f1(apart).reason == "no_common_items"
    assert span_pairs(apart, interval=Interval())[0]["reason"] == "no_common_items"
    for answers in (both, one, apart):
        assert token_kappa(answers, words, tokenizer="white space")["value"] is None


def test_nested_spans_are_kept_and_token_kappa_refuses() -> None:
    nested = [(0, 10, "X"), (2, 5, "X")]
    made = from_answers({("1", "a"): nested, ("1", "b"): nested}, texts={"1": "abcdefghij klm"})
    assert f1(made) == 1
    assert overlapping(made).all()
    assert token_kappa(made, words, tokenizer="white space")["reason"] == "overlapping_spans"
    assert alpha_u(made).reason == "overlapping_spans"
    # The same span under two labels: two spans for F1 and for alpha_U, too many for a tag.
    twice = [(0, 3, "X"), (0, 3, "Y")]
    made = from_answers({("1", "a"): twice, ("1", "b"): twice}, texts={"1": "abc def"})
    assert f1(made) == 1
    assert alpha_u(made).value == pytest.approx(1)
    assert token_kappa(made, words, tokenizer="white space")["reason"] == "overlapping_spans"


def test_token_kappa_by_hand() -> None:
    text = "uno dos tres cuatro cinco seis siete ocho"
    made = from_answers(
        {("1", "a"): [(4, 12, "X")], ("1", "b"): [(8, 19, "X")]},  # dos tres; tres cuatro
        texts={"1": text},
    )
    found = token_kappa(made, words, tokenizer="white space")
    # 8 tokens: both X 1, one alone 1 and 1, both O 5. p_o = 6/8, p_e = (2*2 + 6*6)/64 = 40/64.
    assert found["value"] == pytest.approx((6 / 8 - 40 / 64) / (1 - 40 / 64))
    assert (found["tokens"], found["unaligned"], found["scheme"]) == (8, 0, "IO")
    assert found["share_of_o"] == pytest.approx(12 / 16)
    assert found["tokenizer"] == "white space"
    assert found["items"] == 1
    # IOB2: a has B I on dos tres, b has B I on tres cuatro: no X token agrees.
    bio = token_kappa(made, words, tokenizer="white space", scheme="IOB2")
    assert bio["observed"] == pytest.approx(5 / 8)


def test_tags_of_spans_inside_tokens() -> None:
    made = from_answers({("1", "a"): [(2, 5, "X")], ("1", "b"): []}, texts={"1": "abcdef gh"})
    tags = tag(made, words, scheme="IOB2")
    assert tags.unaligned == 1
    assert [tags.coded.labels[code] for code in tags.coded.codes[:, 0]] == ["B-X", "O"]
    assert tag(made, characters).unaligned == 0
    spanish = Tokenizer("es")
    assert spanish("los look, ya")[1] == (4, 8)


def test_no_text() -> None:
    made = from_answers({("1", "a"): [(0, 1, "X")], ("1", "b"): [(0, 1, "X")]})
    assert token_kappa(made, words, tokenizer="white space")["reason"] == "no_text"
    assert alpha_u(made).reason == "no_text"


def test_alpha_u_of_krippendorff_1995() -> None:
    # p. 57, A: units 2+8, 14+6 against 4+4, 15+2 on 0-24; the printed .553 is for a fine scale.
    scale = 1000
    made = from_answers(
        {
            ("1", "a"): [(2 * scale, 10 * scale, "X"), (14 * scale, 20 * scale, "X")],
            ("1", "b"): [(4 * scale, 8 * scale, "X"), (15 * scale, 17 * scale, "X")],
        }
    )
    assert alpha_u(made, lengths=[24 * scale]).value == pytest.approx(0.5529, abs=5e-5)


def plain_alpha_u(raters: list[list[Unit]], length: int) -> float:
    """The definition read section by section, for one label and one text."""
    cut = []
    for units in raters:
        sections, place = [], 0
        for start, end in [*units, (length, length)]:
            if start > place:
                sections.append((place, start - place, False))
            if end > start:
                sections.append((start, end - start, True))
            place = end
        cut.append(sections)
    number = len(raters)
    observed = 0
    for i, first in enumerate(cut):
        for j, second in enumerate(cut):
            for b, size, unit in first if i != j else ():
                for c, other, also in second:
                    if unit and also and b < c + other and c < b + size:
                        observed += (b - c) ** 2 + (b + size - c - other) ** 2
                    elif unit and not also and c <= b and b + size <= c + other:
                        observed += size**2
                    elif also and not unit and b <= c and c + other <= b + size:
                        observed += other**2
    units_of = [size for sections in cut for _, size, unit in sections if unit]
    gaps = [size for sections in cut for _, size, unit in sections if not unit]
    expected = sum(
        (len(units_of) - 1) / 3 * (2 * size**3 - 3 * size**2 + size)
        + size**2 * sum(gap - size + 1 for gap in gaps if gap >= size)
        for size in units_of
    )
    places = number * length * (number * length - 1) - sum(size * (size - 1) for size in units_of)
    return 1 - observed / (number * (number - 1) * length**2) / (2 / length * expected / places)


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[list[list[Unit]], int]:
    length = 30
    raters = []
    for _ in range(draw(st.integers(2, 3))):
        units, place = [], 0
        for gap, size in draw(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 6)), max_size=5)):
            if place + gap + size > length:
                break
            units.append((place + gap, place + gap + size))
            place += gap + size
        raters.append(units)
    if not any(raters):
        raters[0] = [(0, 3)]
    return raters, length


@given(cut_texts())
def test_alpha_u_is_its_definition(case: tuple[list[list[Unit]], int]) -> None:
    raters, length = case
    made = from_answers(
        {("1", str(number)): [(*unit, "X") for unit in units] for number, units in enumerate(raters)}
    )
    assert alpha_u(made, lengths=[length]).value == pytest.approx(plain_alpha_u(raters, length), abs=1e-9)


def test_alpha_u_over_items_and_labels() -> None:
    answers: Marked = {
        ("1", "a"): [(0, 4, "X")],
        ("1", "b"): [(1, 4, "X")],
        ("2", "a"): [(3, 9, "Y")],
        ("2", "b"): [(3, 9, "Y")],
    }
    value = alpha_u(from_answers(answers), lengths=[10, 12]).value
    renamed: Marked = {({"1": "z", "2": "y"}[item], rater): spans for (item, rater), spans in answers.items()}
    # The order of the items does not matter, since a gap ends with its item.
    assert alpha_u(from_answers(renamed), lengths=[12, 10]).value == pytest.approx(value)
    # Two annotators who finished different texts have nothing in common.
    apart = from_answers({("1", "a"): [(0, 4, "X")], ("2", "b"): [(0, 4, "X")]})
    assert alpha_u(apart, lengths=[10, 10]).reason == "no_common_items"
    # No item with all three: the mean over pairs, and it says so.
    partial: Marked = answers | {("3", "a"): [(0, 2, "X")], ("3", "c"): [(0, 2, "X")]}
    found = alpha_u(from_answers(partial), lengths=[10, 12, 5])
    assert found.value == pytest.approx((22 * (value or 0) + 5) / 27)
    assert found.note == "mean over 2 pairs of annotators: no item was answered by all"
    assert found.interval_reason == "not_requested"
    assert (
        alpha_u(from_answers(partial), lengths=[10, 12, 5], interval=Interval(method="analytic")).low is None
    )


def test_self_agreement_on_spans() -> None:
    made = from_answers(
        {("1", "a"): [(0, 2, "X")]},
        repeats=[SpanRepeat("1", "a", frozenset({(0, 2, "X")}), frozenset({(0, 2, "X"), (4, 5, "X")}))],
    )
    assert self_f1(made).value == pytest.approx(2 / 3)
    assert self_f1(from_answers({})).reason == "no_repeats"


spans = st.lists(
    st.tuples(st.integers(0, 12), st.integers(1, 5), st.sampled_from("XY")).map(
        lambda made: (made[0], made[0] + made[1], made[2])
    ),
    max_size=4,
)


@given(st.dictionaries(st.tuples(st.sampled_from("123"), st.sampled_from("abc")), spans))
def test_span_f1_properties(answers: Marked) -> None:
    made = from_answers(answers, labels=["X", "Y"])
    strict, relaxed = f1(made), f1(made, relaxed=True)
    assert (strict is None) == (relaxed is None)
    if strict is not None and relaxed is not None:
        assert 0 <= strict <= relaxed <= 1
    swapped = from_answers(
        {(item, {"a": "c", "b": "a", "c": "b"}[rater]): marks for (item, rater), marks in answers.items()},
        labels=["X", "Y"],
    )
    assert f1(swapped) == pytest.approx(strict)
    # Agreeing with oneself is perfect, whoever else is there.
    doubled = from_answers({**answers, **{(i, f"{r}'"): m for (i, r), m in answers.items()}})
    if len({rater for _, rater in answers}) == 1 and any(answers.values()):
        assert f1(doubled) == pytest.approx(1)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        main(["agree", *arguments])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def lines(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def test_command_on_spans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "Los burpees y el 😀 running llegan"
    mark = {"start": 4, "end": 11, "label": "ENG"}
    other = {"start": 19, "end": 26, "label": "ENG"}
    file = lines(
        tmp_path / "t.jsonl",
        [
            {"item": "1", "annotator": "a", "spans": [mark, other]},
            {"item": "1", "annotator": "b", "spans": [mark]},
            {"item": "2", "annotator": "a", "spans": []},
            {"item": "2", "annotator": "b", "spans": [], "status": "empty"},
            {"item": "3", "annotator": "a", "spans": None, "status": "skipped"},
        ],
    )
    items = lines(
        tmp_path / "items.jsonl",
        [{"id": number, "text": text, "gold": [mark, other]} for number in ("1", "2", "3")],
    )
    code, out, err = call(capsys, file, "--items", items, "--reference", "gold", "--json")
    assert code == 0, err
    found = json.loads(out)
    assert found["coefficients"]["span_f1"]["value"] == pytest.approx(2 / 3)
    assert found["span_f1"] == found["coefficients"]["span_f1"]
    assert found["token_kappa"]["tokenizer"].startswith("spacy")
    assert found["token_kappa"]["unaligned"] == 0
    assert found["items"] == {
        "total": 3,
        "without_answer": 1,
        "one_answer": 0,
        "pairable": 2,
        "without_span": 1,
    }
    assert found["dropped"] == {"skipped": 1}
    # a: 2 agreed; 2 marked, 4 in gold (item 2 has gold but a marked nothing). b: 1 agreed; 1 and 4.
    assert found["reference"]["annotators"]["a"]["span_f1"] == pytest.approx(4 / 6)
    assert found["reference"]["annotators"]["b"]["span_f1"] == pytest.approx(2 / 5)
    code, out, _ = call(capsys, file, "--items", items, "--cross-check")
    assert code == 0
    assert "of them O" in out
    assert "scikit-learn" in out
    # The reference writes its label in another way, and marks one that no annotator knows.
    anglicism, spanish = {**mark, "label": "anglicism"}, {**other, "label": "SPA"}
    items = lines(tmp_path / "items.jsonl", [{"id": "1", "text": text, "gold": [anglicism, spanish]}])
    code, out, err = call(
        capsys, file, "--items", items, "--reference", "gold", "--fold", "anglicism=ENG", "--json"
    )
    assert code == 0, err
    assert json.loads(out)["reference"]["annotators"]["a"]["span_f1"] == pytest.approx(2 / 4)
    code, _, err = call(capsys, file, "--cross-check")
    assert code == 2
    assert "needs texts" in err


def test_faults_of_spans_are_collected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = lines(
        tmp_path / "t.jsonl",
        [
            {"item": "1", "annotator": "a", "spans": [{"start": 3, "end": 3, "label": "X"}]},
            {"item": "1", "annotator": "b", "spans": [{"start": "0", "end": 3, "label": "X"}]},
            {"item": "1", "annotator": "c", "spans": [{"start": 0, "end": 3}]},
        ],
    )
    code, _, err = call(capsys, file)
    assert code == 1
    assert f"{file}:1 [spans]: a span covers nothing" in err
    assert f"{file}:2 [spans]: a span's bounds are no integers" in err
    assert f"{file}:3 [spans]: a span has no label" in err
    items = lines(tmp_path / "items.jsonl", [{"id": "1", "text": "abc"}])
    file = lines(
        tmp_path / "u.jsonl",
        [
            {"item": "1", "annotator": "a", "spans": [{"start": 0, "end": 4, "label": "X"}]},
            {"item": "1", "annotator": "b", "spans": [{"start": 0, "end": 3, "label": "Y"}]},
            {"item": "1", "annotator": "b", "spans": []},
        ],
    )
    code, _, err = call(capsys, file, "--items", items, "--labels", "X")
    assert code == 1
    assert "a span ends beyond the item's text" in err
    assert "not in the declared set" in err
    assert "b answered the item 1 2 times" in err


def test_no_interval_below_what_a_value_can_be() -> None:
    """Three items, one agreed on, two with one span each: 2 TP / (n_1 + n_2) = 2 / 4; t with 2 degrees of
    freedom is 4.3, so that the linearised interval would reach below 0."""
    answers = from_answers(
        {
            ("1", "a"): [(0, 3, "X")],
            ("1", "b"): [(0, 3, "X")],
            ("2", "a"): [(0, 3, "X")],
            ("2", "b"): [],
            ("3", "a"): [],
            ("3", "b"): [(0, 3, "X")],
        }
    )
    found = span_f1(answers, interval=Interval(method="analytic"))
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)


def test_interval_of_alpha_u_as_a_mean_of_pairs() -> None:
    """Annotators a and b share the even items, a and c the odd ones: no item has all three."""
    answers: Marked = {}
    for number in range(12):
        item, other = f"{number:02}", "b" if number % 2 else "c"
        answers[item, "a"] = [(2, 8, "X"), (12, 15, "X")]
        answers[item, other] = [(2, 8, "X")] if number % 3 else [(3, 8, "X"), (12, 15, "X")]
    lengths = [20] * 12
    interval = Interval(resamples=200)
    found = alpha_u(from_answers(answers), lengths=lengths, interval=interval)
    assert found.interval_reason is None
    assert found.low is not None and found.value is not None and found.high is not None
    assert found.low < found.value < found.high < 1
    # The same items in another order, and copies of every item as its cluster: the same draws.
    renamed = {(f"{99 - int(item)}", rater): spans for (item, rater), spans in answers.items()}
    again = alpha_u(from_answers(renamed), lengths=lengths, interval=interval)
    assert again.value == pytest.approx(found.value)
    twice = answers | {(f"{item}'", rater): spans for (item, rater), spans in answers.items()}
    clusters = {item: item.rstrip("'") for item, _ in twice}
    copied = alpha_u(from_answers(twice, clusters=clusters), lengths=[20] * 24, interval=interval)
    # alpha_U places units without replacement, so doubled data differ from it in a small-sample term.
    assert (copied.low, copied.high) == pytest.approx((found.low, found.high), abs=0.01)
    # One item in common: a value, and no interval.
    one: Marked = {key: answers[key] for key in (("00", "a"), ("00", "c"), ("01", "a"))}
    one["02", "d"] = []
    single = alpha_u(from_answers(one), lengths=[20, 20, 20], interval=interval)
    assert single.value is not None
    assert single.interval_reason == "one_item"


def test_token_kappa_tends_to_span_f1_as_text_without_spans_grows() -> None:
    """Spans of one character each, so that a token is a span: F1 is 2*3/(4+5), and kappa nears it from below."""
    first, second = [0, 2, 4, 6], [0, 2, 4, 8, 10]
    gaps = []
    for length in (20, 200, 2000, 20_000):
        made = from_answers(
            {
                ("1", "a"): [(place, place + 1, "X") for place in first],
                ("1", "b"): [(place, place + 1, "X") for place in second],
            },
            texts={"1": "x" * length},
        )
        kappa = token_kappa(made, characters, tokenizer="characters")["value"]
        assert f1(made) == pytest.approx(6 / 9)
        gaps.append(6 / 9 - kappa)
    assert gaps == sorted(gaps, reverse=True)
    assert 0 < gaps[-1] < 1e-3


@pytest.mark.parametrize("method", ["bootstrap", "analytic"])
def test_the_report_on_spans_is_the_same_under_reordering(tmp_path: Path, method: str) -> None:
    generator = random.Random(4)
    rows = []
    for item in range(30):
        for rater in "abc":
            spans = [(start, start + 4) for start in range(0, 40, 8) if generator.random() < 0.5]
            marks = [{"start": start, "end": end, "label": generator.choice("XY")} for start, end in spans]
            rows.append({"item": f"{item:02}", "annotator": rater, "spans": marks})
    items = lines(
        tmp_path / "items.jsonl",
        [{"id": f"{item:02}", "text": "palabra " * 6, "base_id": f"{item % 10}"} for item in range(30)],
    )
    reports = []
    for _ in range(2):
        table = annotations.read(Path(lines(tmp_path / "t.jsonl", rows)), items=Path(items))
        choices = Choices(interval=Interval(method=method, resamples=200), by=("base_id",))  # type: ignore[arg-type]  # parametrized
        reports.append(span_report(table, choices))
        generator.shuffle(rows)
    assert reports[0] == reports[1]
    assert reports[0]["intervals"]["unit"] == "base_id"
