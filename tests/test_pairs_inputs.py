"""Every input that breaks such miners, with the right answer (one test a kind of input)."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from probeta.builders.pairs.corpora import Corpus
from probeta.builders.pairs.extract import Miner
from probeta.builders.pairs.job import Job, load_job
from probeta.builders.pairs.readers import Refused, plan, read
from probeta.builders.pairs.records import Document
from probeta.recipe import PairRecipe, load_recipe

DATA = Path(__file__).parent / "data" / "pairs"


def job(**filters: Any) -> Job:
    recipe = load_recipe("esnlir")
    assert isinstance(recipe, PairRecipe)
    changed = recipe.pairs.filters.model_copy(update={"has_nominal_and_verb": False, **filters})
    settings = recipe.pairs.model_copy(update={"filters": changed})
    return load_job(settings, language="es", seed=7, folder=recipe.folder, shown="esnlir")


@pytest.fixture(scope="module")
def default_job() -> Job:
    return job()


def mined(job: Job, *paragraphs: str) -> tuple[list[tuple[str, str, str]], Miner]:
    """(premise, hypothesis, connector) of the linking pairs of one document, and the miner with its counts."""
    miner = job.miner(Corpus("c"))
    rows = list(miner.mine([Document("d", paragraphs)]))
    pairs = [
        (str(r["sentence_1"]), str(r["sentence_2"]), str(r["connector"])) for r in rows if r["connector"]
    ]
    return pairs, miner


def documents(folder: Path) -> list[Document | Refused]:
    return [document for shard in plan("c", folder).shards for document in read(shard)]


FIRST = "El puerto cerró dos semanas por las obras."
SECOND = "Sin embargo, los barcos siguieron llegando al muelle viejo."
PAIR = (FIRST, "Los barcos siguieron llegando al muelle viejo.", "sin embargo")


def refusals(miner: Miner) -> dict[str, int]:
    found: dict[str, int] = {}
    for (reason, _), count in miner.counts.refused.items():
        found[reason] = found.get(reason, 0) + count
    for (_, rule), count in miner.counts.phrases.items():
        if rule:
            found[rule] = found.get(rule, 0) + count
    return found


def test_the_plain_case(default_job: Job) -> None:
    pairs, miner = mined(default_job, f"{FIRST} {SECOND}")
    assert pairs == [PAIR]
    assert refusals(miner) == {}


# 1. Unicode forms and mojibake


def test_decomposed_text_matches(tmp_path: Path, default_job: Job) -> None:
    text = f"{FIRST} En síntesis, la obra afectó a la pesca entera."
    (tmp_path / "a.txt").write_text(unicodedata.normalize("NFD", text), encoding="utf-8")
    (document,) = documents(tmp_path)
    assert isinstance(document, Document)
    pairs, _ = mined(default_job, *document.paragraphs)
    assert pairs == [
        (
            unicodedata.normalize("NFC", FIRST),
            unicodedata.normalize("NFC", "La obra afectó a la pesca entera."),
            "en síntesis",
        )
    ]


def test_mojibake_is_refused_with_the_fix_named(tmp_path: Path) -> None:
    text = "Primera línea.\nEn síntesis, la pesca cayó.\n".encode().decode("latin-1")
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (refused,) = documents(tmp_path)
    assert isinstance(refused, Refused)
    assert (refused.fault.code, refused.fault.file, refused.fault.row) == ("mojibake", "a.txt", 1)
    assert "decode('utf-8')" in str(refused.fault)


# 2. Encodings, line ends, hard wraps


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("latin-1", "latin-1"),
    ],
)
def test_wrapped_lines_of_any_encoding(tmp_path: Path, default_job: Job, encoding: str, said: str) -> None:
    text = (
        "Los vecinos del barrio habían pedido la reparación del\r\npuente desde el año anterior. Sin\r\n"
        "embargo, la administración aún no contestó a su carta.\r\n\r\nOtro párrafo más abajo, también él\r\n"
        "partido en dos líneas.\r\n"
    )
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    (document,) = documents(tmp_path)
    assert isinstance(document, Document)
    assert document.encoding == said
    assert document.paragraphs[1] == "Otro párrafo más abajo, también él partido en dos líneas."
    pairs, _ = mined(default_job, *document.paragraphs)
    assert pairs == [
        (
            "Los vecinos del barrio habían pedido la reparación del puente desde el año anterior.",
            "La administración aún no contestó a su carta.",
            "sin embargo",
        )
    ]


def test_windows_quotes_are_read_as_cp1252(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Dijo “mañana” — y se fue al río.".encode("cp1252"))
    (document,) = documents(tmp_path)
    assert isinstance(document, Document)
    assert (document.encoding, document.paragraphs) == ("cp1252", ["Dijo “mañana” — y se fue al río."])


@pytest.mark.parametrize("encoding", ["mac_roman", "cp850"])
def test_other_code_pages_are_refused(tmp_path: Path, encoding: str) -> None:
    text = "La reunión será mañana según el ministerio de educación, añadió él.\n" * 5
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    (refused,) = documents(tmp_path)
    assert isinstance(refused, Refused)
    assert refused.fault.code == "encoding"
    assert "iconv" in str(refused.fault)


def test_damaged_utf_8_is_called_so(tmp_path: Path) -> None:
    text = "La reunión será mañana según el ministerio de educación, añadió él.\n" * 5
    (tmp_path / "a.txt").write_bytes(text.encode() + b"La reuni\xf3n\n")
    (refused,) = documents(tmp_path)
    assert isinstance(refused, Refused)
    assert (refused.fault.code, refused.fault.row) == ("encoding", 6)
    assert "UTF-8 with damaged bytes" in str(refused.fault) and "iconv -c" in str(refused.fault)


def test_what_is_no_text_is_called_so(tmp_path: Path) -> None:
    data = bytes(range(128, 256)) * 40
    (tmp_path / "a.txt").write_bytes(data)
    (refused,) = documents(tmp_path)
    assert isinstance(refused, Refused)
    assert "which looks like no text" in str(refused.fault) and "iconv" not in str(refused.fault)


def test_don_quijote_as_found_in_the_wild(reference_data: Path, default_job: Job) -> None:
    # ISO-8859-1, CRLF, hard-wrapped at 75 columns, blank lines between paragraphs, an English licence header.
    (document,) = [
        item
        for shard in plan("q", reference_data / "corpora" / "quijote-latin1-crlf.txt").shards
        for item in read(shard)
    ]
    assert isinstance(document, Document)
    assert document.encoding == "latin-1"
    assert 900 < len(document.paragraphs) < 1200
    assert not any("\n" in paragraph or "\r" in paragraph for paragraph in document.paragraphs)
    pairs, _ = mined(default_job, *document.paragraphs)
    assert pairs
    assert not any("Gutenberg" in text for pair in pairs for text in pair)


# 3. Hyphens at line ends and invisible characters


@pytest.mark.parametrize(
    "phrase",
    [
        "Sin em-\nbargo,",
        "Sin em\u00ad\nbargo,",
        "Sin em\u00adbargo,",
        "Sin\u00a0embargo,",
        "\u200bSin embargo,",
        "\u200fSin embargo,",
        "\ufeffSin embargo,",
        "Sin\u2009\u200bembargo,",
    ],
)
def test_hyphens_and_invisible_characters(tmp_path: Path, default_job: Job, phrase: str) -> None:
    record = {"id": "d", "paragraphs": [f"{FIRST} {phrase} los barcos siguieron llegando al muelle viejo."]}
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (document,) = documents(tmp_path)
    assert isinstance(document, Document)
    assert mined(default_job, *document.paragraphs)[0] == [PAIR]


# 4. Stops without a space, notes, HTML


@pytest.mark.parametrize(
    ("before", "between", "premise"),
    [
        (FIRST, "", FIRST),
        ("La obra terminó en 2010.", "3 ", "La obra terminó en 2010.3"),
        (FIRST, "[12] ", f"{FIRST}[12]"),
        (FIRST, "<br/>", FIRST),
    ],
)
def test_stops_without_a_space(
    tmp_path: Path, default_job: Job, before: str, between: str, premise: str
) -> None:
    record = {"id": "d", "paragraphs": [f"{before}{between}{SECOND}"]}
    (tmp_path / "a.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (document,) = documents(tmp_path)
    assert isinstance(document, Document)
    assert mined(default_job, *document.paragraphs)[0] == [(premise, *PAIR[1:])]


def test_a_paragraph_as_the_papers_own(default_job: Job) -> None:
    # Neither after the stop nor after the comma stands a space.
    pairs, _ = mined(
        default_job, "La empresa despidió a mil empleados.Sin embargo,Siglo XXI contrató a otros tantos."
    )
    assert pairs == [
        ("La empresa despidió a mil empleados.", "Siglo XXI contrató a otros tantos.", "sin embargo")
    ]


def test_a_hyphen_before_a_space_is_a_dash(tmp_path: Path, default_job: Job) -> None:
    # "xx- yy" may be a word that a printer parted, and is mostly a speaker's dash: wording is left alone.
    text = "—Nada sé, señora- contestó el mozo."
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    (document,) = documents(tmp_path)
    assert isinstance(document, Document)
    assert document.paragraphs == [text]


# 5. One paragraph a document: tests/test_pairs_build.py, "Corpora without paragraphs"

# 6. Dialogue


def test_a_reply_is_no_hypothesis(default_job: Job) -> None:
    pairs, miner = mined(
        default_job, "—Mañana mismo salgo para Cádiz. —Precisamente,—dijo el otro sin levantar la vista."
    )
    assert pairs == []
    assert refusals(miner) == {"dialogue": 1}


def test_another_speaker_is_no_pair(default_job: Job) -> None:
    pairs, miner = mined(default_job, "—No iré contigo a la feria. —Sin embargo, todos te esperan allí.")
    assert pairs == []
    assert refusals(miner) == {"dialogue": 1}


def test_one_speaker_is_a_pair_without_the_dash(default_job: Job) -> None:
    miner = default_job.miner(Corpus("c"))
    (row,) = list(
        miner.mine([Document("d", ["—No iré contigo a la feria. Sin embargo, todos me esperan allí."])])
    )
    assert (row["sentence_1"], row["sentence_2"]) == ("No iré contigo a la feria.", "Todos me esperan allí.")
    assert row["in_dialogue"] is True


# 7. Phrases that are no markers


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Esto es lo que quería el alcalde.", "needs_punctuation"),
        ("En breve tiempo llegaron los demás barcos.", "needs_punctuation"),
        ("Sin embargo de la derrota, celebraron la noche entera.", "blocked_by_next_word"),
        ("No obstante la lluvia, salieron todos al mar.", "blocked_by_next_word"),
        ("Por eso mismo callaron los pescadores.", "blocked_by_next_word"),
        ("Por tanto tiempo perdido nadie pidió perdón.", "blocked_by_next_word"),
        ("Por esotérico que parezca, funcionó bien.", None),
        ("Sobre todo el puerto cayó la niebla.", "needs_punctuation"),
        ("En consecuencia con lo dicho, nadie zarpó.", "blocked_by_next_word"),
    ],
)
def test_words_that_only_look_like_a_phrase(default_job: Job, sentence: str, reason: str | None) -> None:
    pairs, miner = mined(default_job, f"{FIRST} {sentence}")
    assert pairs == []
    assert refusals(miner) == ({reason: 1} if reason else {})


def test_an_unclosed_quotation_is_refused_and_a_whole_one_kept(default_job: Job) -> None:
    pairs, miner = mined(default_job, f"«{FIRST} Sin embargo, los barcos siguieron llegando».")
    assert pairs == []
    assert refusals(miner) == {"balanced_quotes": 1}
    pairs, _ = mined(default_job, f"{FIRST} «Sin embargo, los barcos siguen llegando», dijo el práctico.")
    assert pairs == [(FIRST, "«Los barcos siguen llegando», dijo el práctico.", "sin embargo")]


# 8. The phrase alone, before a colon, before "que"


@pytest.mark.parametrize(
    ("sentence", "hypothesis"),
    [
        ("Es decir: nadie fue a la reunión del lunes.", "Nadie fue a la reunión del lunes."),
        ("Es decir, que nadie fue a la reunión del lunes.", "Nadie fue a la reunión del lunes."),
        ("Es decir que nadie fue a la reunión del lunes.", "Nadie fue a la reunión del lunes."),
        ("O sea, que nadie fue a la reunión del lunes.", "Nadie fue a la reunión del lunes."),
        ("Por eso… nadie fue a la reunión del lunes.", "Nadie fue a la reunión del lunes."),
        ("¿Por eso nadie fue a la reunión del lunes?", "¿Nadie fue a la reunión del lunes?"),
        ("De ahí que nadie fuera a la reunión del lunes.", "Nadie fuera a la reunión del lunes."),
        ("Por lo tanto la McDonald de Ávila cerró ayer.", "La McDonald de Ávila cerró ayer."),
    ],
)
def test_what_is_left_of_the_hypothesis(default_job: Job, sentence: str, hypothesis: str) -> None:
    pairs, _ = mined(default_job, f"{FIRST} {sentence}")
    assert [(first, second) for first, second, _ in pairs] == [(FIRST, hypothesis)]


@pytest.mark.parametrize("sentence", ["Sin embargo.", "Al contrario…", "¿Por ejemplo?"])
def test_a_phrase_alone_is_no_hypothesis(default_job: Job, sentence: str) -> None:
    pairs, miner = mined(default_job, f"{FIRST} {sentence}")
    assert pairs == []
    assert refusals(miner) == {"phrase_alone": 1}


def test_an_interrupted_phrase_is_refused(default_job: Job) -> None:
    pairs, miner = mined(default_job, f"{FIRST} Sin embargo —y nadie lo esperaba— volvieron los barcos.")
    assert pairs == []
    assert refusals(miner) == {"interrupted": 1}


# 9. Abbreviations, lists, citations, capitals


@pytest.mark.parametrize(
    "premise",
    [
        "Lo contó el Sr. Ruiz a D. Roque en la plaza.",
        "La cifra subió en EE. UU. durante el año pasado.",
        "El método se describió antes (Pérez et al., 2010).",
        "La casa estaba en la Avda. de América, núm. 5, piso 3.",
        "El informe cita a J. L. Borges y a G. García.",
        "La reunión empezó a las 9 a. m. en la sede.",
    ],
)
def test_abbreviations_and_citations_do_not_end_a_premise(default_job: Job, premise: str) -> None:
    assert mined(default_job, f"{premise} {SECOND}")[0] == [(premise, *PAIR[1:])]


def test_a_list_number_is_no_premise(default_job: Job) -> None:
    pairs, miner = mined(default_job, f"1. {SECOND}")
    assert pairs == []
    assert refusals(miner) == {"first_in_paragraph": 1}
    pairs, _ = mined(default_job, f"1. {FIRST} 2. {SECOND}")
    assert pairs == [PAIR]


def test_a_marker_that_opens_an_item_after_a_stop_is_a_pair(default_job: Job) -> None:
    miner = default_job.miner(Corpus("c"))
    (row,) = miner.mine(
        [Document("d", ["a) Se cierra el muelle viejo. b) Por lo tanto, se avisa a los barcos."])]
    )
    assert (row["sentence_1"], row["sentence_2"]) == (
        "Se cierra el muelle viejo.",
        "Se avisa a los barcos.",
    )
    assert row["lead_in"] == "b)"


def test_a_phrase_inside_a_sentence_is_no_hit(default_job: Job) -> None:
    pairs, miner = mined(default_job, "Se acordó a) cerrar el muelle y b) por lo tanto avisar a los barcos.")
    assert pairs == []
    assert not miner.counts.phrases


def test_capitals(default_job: Job) -> None:
    pairs, _ = mined(
        default_job, "LA CORTE NEGÓ EL RECURSO DE LA PARTE. SIN EMBARGO, ADMITIÓ LA PRUEBA DEL ACTOR."
    )
    assert pairs == [("LA CORTE NEGÓ EL RECURSO DE LA PARTE.", "ADMITIÓ LA PRUEBA DEL ACTOR.", "sin embargo")]


# 10. Other languages, and Spanish as it was once spelt


def test_old_spelling_is_spanish(default_job: Job) -> None:
    pairs, _ = mined(
        default_job, "El rey fué á Valladolid en Otoño. Sin embargo, no vió á ninguno de los suyos ó á otro."
    )
    assert [(first, second) for first, second, _ in pairs] == [
        ("El rey fué á Valladolid en Otoño.", "No vió á ninguno de los suyos ó á otro.")
    ]


def foreign(language: str) -> list[tuple[str, str]]:
    """(premise, phrase-initial sentence), each sentence another; in turn after a foreign and a Spanish premise."""
    parts = json.loads((DATA / "foreign.json").read_text(encoding="utf-8"))[language]
    plain = [f"{subject} {predicate}." for subject in parts["subjects"] for predicate in parts["predicates"]]
    phrases = parts["phrases"]
    return [
        (
            FIRST if at % 2 else plain[at - 1][0].upper() + plain[at - 1][1:],
            f"{phrases[at % len(phrases)]} {sentence}",
        )
        for at, sentence in enumerate(plain)
    ]


@pytest.mark.parametrize("language", ["pt", "ca", "en"])
def test_other_languages_make_no_pair(default_job: Job, language: str) -> None:
    sentences = foreign(language)
    assert len({sentence for _, sentence in sentences}) >= 100
    pairs, miner = mined(default_job, *(f"{premise} {sentence}" for premise, sentence in sentences))
    assert pairs == []
    assert refusals(miner)["language"] >= 40
    # Nor do they lend a sentence to neutral pairs.
    assert miner.counts.neutral.total() == 0


# What no note lists, and corpora hold


@pytest.mark.parametrize("max_words", [80, None])
def test_an_encoded_image_is_no_sentence(max_words: int | None) -> None:
    # Longer than a spaCy pipeline accepts; in words, it is short.
    chosen = job(has_nominal_and_verb=True, max_words=max_words)
    image = "iVBORw0KGgo" * 100_000
    pairs, miner = mined(
        chosen, f"{FIRST} {SECOND}", f"{FIRST} Sin embargo, los barcos siguieron llegando {image} al muelle."
    )
    assert pairs == [PAIR]
    assert refusals(miner) == {"length" if max_words else "has_nominal_and_verb": 1}
