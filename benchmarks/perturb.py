"""The twelve configurations: beside a plain loop, beside augmenty, and in flat memory.

The **plain loop** is what anyone would write in an afternoon: string slices and offsets, no edge cases
(existing quotes, inner quotation levels, hyphens, digits), no ids, attributes, duplicates or records. It is
about the limit that a tool in plain Python can reach. **augmenty** does six of the twelve, those without
quotes, over spaCy documents: tokenising is not charged to it.

Before anything is timed, both peers' texts and spans are compared with ours: the work is the same.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.harness import Row, best_cpu, consume, peer, rate
from probeta.builders.spans.casing import CASINGS
from probeta.builders.spans.perturb import configurations
from probeta.errors import DataError, UsageError
from probeta.formats import write_sentences
from probeta.records import Sentence, Span, span_faults

PEERS = ("augmenty", "spacy")

_FRAMES = (
    "{} y otras modas de este otoño llenan las páginas de las revistas que se leen en la playa.",
    "La empresa vallisoletana busca financiación para su {} antes de que termine el año próximo.",
    "¿Qué queda del {} cuando se apagan las cámaras? Lo preguntamos a tres veteranos del oficio.",
    "Según el informe, el 43 % de los jóvenes conoció el {} gracias a un familiar o a un vecino.",
    "María Núñez, de 28 años, dejó su pueblo para dedicarse al {} en una nave junto al puerto.",
    "El ayuntamiento aprobó ayer, con los votos en contra de la oposición, una tasa sobre el {}.",
    "Ni la lluvia ni el frío vaciaron la plaza: el {} reunió a más de dos mil personas en León.",
    "{}: la palabra que nadie conocía hace diez años y que hoy aparece en cada conversación.",
    "Al término del acto, el portavoz insistió en que el {} no figura en el acuerdo del viernes.",
)
_WORDS = (
    "burpee",
    "low cost",
    "podcast",
    "key lime pie",
    "spoiler",
    "total black",
    "crowdfunding",
    "fact checker",
    "streaming",
    "look",
    "afterwork",
    "newsletter",
    "online",
    "full time",
    "hype",
    "casual look",
    "coworking",
)
#: As many of the 153 sentences have a second span right behind the first one.
_ADJACENT = 20


def corpus() -> list[Sentence]:
    """153 sentences with 173 spans, as long and as mixed as those of a diagnostic set."""
    sentences = []
    for number in range(len(_FRAMES) * len(_WORDS)):
        head, tail = _FRAMES[number % len(_FRAMES)].split("{}")
        word = _WORDS[number % len(_WORDS)]
        text = head + (word if head else word[0].upper() + word[1:])
        spans = [Span(len(head), len(text), "ENG")]
        if number < _ADJACENT:
            second = _WORDS[(number + 5) % len(_WORDS)]
            text += " " + second
            spans.append(Span(len(text) - len(second), len(text), "ENG"))
        attributes = {"type": "compliant", "position": "mid", "topic": "cultura", "author": "probeta"}
        sentences.append(Sentence(f"s{number:03}", text + tail, tuple(spans), attributes))
    return sentences


Plain = tuple[str, list[tuple[int, int, str]]]


def _plain(sentence: Sentence) -> Plain:
    return sentence.text, [(span.start, span.end, span.label) for span in sentence.spans]


def _same(text: str) -> str:
    return text


def _capitalised(text: str) -> str:
    return " ".join([word[:1].upper() + word[1:] for word in text.split(" ")])


#: What each casing does to the text around the spans and to the spans.
_PLAIN: dict[str, tuple[Callable[[str], str], Callable[[str], str]]] = {
    "standard": (_same, _same),
    "lower": (str.lower, str.lower),
    "upper": (str.upper, str.upper),
    "title": (_capitalised, _capitalised),
    "span_upper": (_same, str.upper),
    "span_title": (_same, _capitalised),
}


def plain_loop(sentences: Sequence[Plain]) -> Iterator[Plain]:
    """The twelve configurations as text and offsets, the straightforward way."""
    for text, spans in sentences:
        for casing in CASINGS:
            around, inside = _PLAIN[casing]
            for left, right in (("", ""), ("“", "”")):
                changed = ""
                moved = []
                last = 0
                for start, end, label in spans:
                    changed += around(text[last:start]) + left
                    surface = inside(text[start:end])
                    moved.append((len(changed), len(changed) + len(surface), label))
                    changed += surface + right
                    last = end
                yield changed + around(text[last:]), moved


def _augmenty(sentences: Sequence[Sentence]) -> Callable[[], Iterator[Any]]:
    """A call that yields augmenty's document for each sentence and casing, casing by casing."""
    augmenty, spacy = peer("augmenty"), peer("spacy")
    nlp = spacy.blank("es")
    docs = []
    for sentence in sentences:
        doc = nlp.make_doc(sentence.text)
        doc.ents = [doc.char_span(span.start, span.end, label=span.label) for span in sentence.spans]
        docs.append(doc)

    def capitalise(conditional: Callable[[Any], bool]) -> Any:
        return augmenty.load("conditional_token_casing_v1", level=1.0, upper=True, conditional=conditional)

    augmenters = {
        "lower": spacy.registry.augmenters.get("spacy.lower_case.v1")(level=1.0),
        "upper": augmenty.load("upper_case_v1", level=1.0),
        "title": capitalise(lambda token: True),
        "span_upper": augmenty.load(
            "ents_format_v1", reordering=[None], formatter=[lambda token: token.text.upper()] * 3, level=1.0
        ),
        "span_title": capitalise(lambda token: token.ent_type_ != ""),
    }

    def call() -> Iterator[Any]:
        yield from docs
        for casing in CASINGS[1:]:
            yield from augmenty.docs(docs, augmenters[casing], nlp)

    return call


def _compare(name: str, theirs: Sequence[Plain], ours: Sequence[Plain]) -> None:
    wrong = [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b]
    if wrong:
        raise UsageError(f"{name} does other work than we do in {len(wrong)} outputs, as {wrong[0]}")


def _peak_megabytes(outputs: int) -> float:
    """The peak resident memory of a fresh process that makes that many outputs."""
    code = f"from benchmarks.perturb import _endless; _endless({outputs})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def _endless(outputs: int) -> None:
    sentences = corpus()

    def stream() -> Iterator[Sentence]:
        for number in range(outputs // 12):
            sentence = sentences[number % len(sentences)]
            yield Sentence(f"s{number}", sentence.text, sentence.spans, sentence.attributes)

    consume(configurations(stream()))
    # Linux counts in kilobytes, macOS in bytes.
    unit = 1 if sys.platform == "darwin" else 1024
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)


def _checked(rows: Iterable[Sentence]) -> Iterator[Sentence]:
    for row in rows:
        if faults := span_faults(row.text, row.spans, row=row.id):
            raise DataError(faults)
        yield row


def _jsonl_seconds(sentences: Sequence[Sentence]) -> float:
    """Seconds to perturb, check and write to a file, for each run over the sentences."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        return best_cpu(lambda: write_sentences(path, _checked(configurations(sentences))), runs=7)


def run() -> list[Row]:
    """Rate and ratio of the configurations; growth of memory from 100,000 to a million outputs."""
    sentences = corpus()
    plain = [_plain(sentence) for sentence in sentences]
    augmented = _augmenty(sentences)
    ours = [_plain(row) for row in configurations(sentences)]
    _compare("the plain loop", list(plain_loop(plain)), ours)
    by_casing = [ours[at] for casing in range(6) for at in range(2 * casing, len(ours), 12)]
    theirs = [(d.text, [(e.start_char, e.end_char, e.label_) for e in d.ents]) for d in augmented()]
    _compare("augmenty", theirs, by_casing)

    count, six = len(ours), len(by_casing)
    twelve_seconds = best_cpu(lambda: consume(configurations(sentences)), runs=15)
    plain_seconds = best_cpu(lambda: consume(plain_loop(plain)), runs=15)
    six_seconds = best_cpu(lambda: consume(configurations(sentences, quotes=["without"])), runs=15)
    augmenty_seconds = best_cpu(lambda: consume(augmented()), runs=5)
    many = [
        Sentence(f"{sentence.id}-{copy}", sentence.text, sentence.spans, sentence.attributes)
        for copy in range(10)
        for sentence in sentences
    ]
    jsonl_seconds = _jsonl_seconds(many) / 10
    grown = _peak_megabytes(1_000_000) - _peak_megabytes(100_000)
    return [
        Row(
            name="perturb: 12 configurations, records with spans",
            measured=rate(count, twelve_seconds),
            goal="≥ 250,000/s",
            met=count / twelve_seconds >= 250_000,
        ),
        Row(
            name="perturb: 12 configurations, share of the limit",
            measured=rate(count, twelve_seconds),
            goal="≥ 0.40 times",
            peer=f"plain loop {rate(count, plain_seconds)}",
            ratio=plain_seconds / twelve_seconds,
            met=plain_seconds / twelve_seconds >= 0.40,
        ),
        Row(
            name="perturb: 6 casings",
            measured=rate(six, six_seconds),
            goal="≥ 10 times",
            peer=f"augmenty {rate(six, augmenty_seconds)}",
            ratio=augmenty_seconds / six_seconds,
            met=augmenty_seconds / six_seconds >= 10,
        ),
        Row(
            name="perturb: made, checked and written as JSONL",
            measured=rate(count, jsonl_seconds),
            goal="≥ 100,000/s",
            met=count / jsonl_seconds >= 100_000,
        ),
        Row(
            name="perturb: memory from 0.1 to 1 million outputs",
            measured=f"{grown:+.1f} MB",
            goal="≤ 5 MB",
            met=grown <= 5,
        ),
    ]
