"""The word list and its inflected forms: forms by hand from the grammar, and words that are none."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probeta.builders.spans import lists
from probeta.builders.spans.ambiguity import ambiguity, families
from probeta.builders.spans.inflection import Inflection
from probeta.errors import UsageError

# Forms as the Real Academia's conjugation tables give them, a few of each pattern.
FORMS = {
    "pasar": "pase pases pasamos pasaban pasaste pasé pasarían pasáramos pasados pasarse",
    "buscar": "busque busqué busca",
    "pagar": "pague paguemos pagó",
    "averiguar": "averigüe averiguo",
    "cazar": "cace cacen cazo",
    "pensar": "piensa piense pensemos",
    "empezar": "empiece empecemos empiezo",
    "contar": "cuente contamos",
    "rogar": "ruegue roguemos",
    "avergonzar": "avergüence avergoncemos",
    "errar": "yerra erramos",
    "jugar": "juegue juguemos",
    "enviar": "envíe enviemos",
    "cambiar": "cambie cambio",
    "actuar": "actúe actuemos",
    "aislar": "aísle aislemos",
    "andar": "anduvo anduviera anda",
    "comer": "come comed coma comieron comí",
    "vencer": "venza vences",
    "crecer": "crezca crecen",
    "coger": "coja coges",
    "mover": "mueva movamos moved",
    "perder": "pierda perdamos",
    "oler": "huele olemos",
    "leer": "lea leyó leído leyendo leímos",
    "tañer": "tañó tañendo",
    "tener": "tengo tiene tengamos tuvo tuviera tendré ten tenme",
    "poner": "pone ponga puso puesta pon pondría",
    "hacer": "hace hago hizo hice hecha haz haré",
    "traer": "traiga trajo trajeron trayendo",
    "caber": "quepo quepa cupo cabrá",
    "poder": "puede pudo pudiendo podrá podamos",
    "querer": "quiere quiso querrá queramos",
    "volver": "vuelta vuelva volvió",
    "vivir": "vive vivid viva vivieron",
    "dirigir": "dirija dirige",
    "seguir": "siga sigue siguieron seguimos",
    "sentir": "siente sintió sintamos sentid",
    "pedir": "pide pidió pidamos",
    "dormir": "duerme durmió durmamos",
    "reñir": "riñe riñó riñendo",
    "huir": "huye huyó huyamos huimos",
    "conducir": "conduzca condujo condujeron",
    "prohibir": "prohíbe prohibimos",
    "decir": "dice diga dijo dijeron dicho di dime diré",
    "bendecir": "bendice bendijo bendeciré",
    "venir": "viene vino vendrá ven viniendo",
    "salir": "salgo saldrá sal sale",
    "abrir": "abierto abre",
    "adquirir": "adquiere adquirimos",
    "ser": "soy eres fuera sean",
    "ir": "voy va vaya fue",
    "dar": "da dame dale diera",
    "ver": "veo vi vista",
    "prever": "preveo previsto",
}

SHARED = {"fue": "ser", "fuera": "ser", "di": "dar", "ven": "ver"}


@pytest.mark.parametrize("infinitive", FORMS)
def test_forms_lead_to_their_infinitive(infinitive: str) -> None:
    # The entry alone as the list, so that no other verb can lend its form.
    verb = Inflection(lists.rules("es", "inflection"), frozenset([infinitive]))
    found = {form: verb.entry(form) for form in FORMS[infinitive].split()}
    # The irregular verbs are always there: fue is of ser and ir, di of dar, ven of ver.
    assert found == {form: SHARED.get(form, infinitive) for form in found}


@pytest.mark.parametrize(
    "word",
    ["pensa", "contan", "tieno", "hació", "pasaes", "dirigo", "sentió", "aisle", "envie"],
)
def test_what_no_verb_makes(word: str) -> None:
    assert ambiguity("es", "wspanish").entry(word) is None


@pytest.mark.parametrize(
    ("form", "entry"),
    [
        ("pies", "pie"),
        ("redes", "red"),
        ("luces", "luz"),
        ("leyes", "ley"),
        ("gases", "gas"),
        ("canciones", "canción"),
        ("ingleses", "inglés"),
        ("total", "total"),
        ("casual", "casual"),
    ],
)
def test_plurals_and_entries(form: str, entry: str) -> None:
    assert ambiguity("es", "wspanish").entry(form) == entry


# English words that are forms of Spanish verbs (pase is an entry as well).
@pytest.mark.parametrize(
    "word", ["cites", "bate", "cite", "vote", "come", "use", "place", "late", "sale", "time"]
)
def test_imperatives_and_subjunctives_count(word: str) -> None:
    assert ambiguity("es", "wspanish").entry(word)
    assert ambiguity("es", "wspanish_entries").entry(word) is None


@pytest.mark.parametrize(
    "word",
    [
        "race",
        "force",
        "male",
        "mad",
        "pen",
        "see",
        "face",
        "safe",
        "line",
        "human",
        "table",
        "atlases",
        "viruses",
        "barman",
        "looks",
        "room",
        "papers",
        "burpees",
        "spoilers",
        "ventures",
        "break",
    ],
)
def test_english_words_that_no_living_spanish_word_makes(word: str) -> None:
    assert ambiguity("es", "wspanish").entry(word) is None


def test_hyphenated_words_need_every_part() -> None:
    words = ambiguity("es", "wspanish")
    assert words.entry("Total-Red") == "total-red"
    assert words.entry("tie-pie") is None
    assert words.entry("-") is None


def test_the_lists_say_what_they_are() -> None:
    table = lists.rules("es", "ambiguity")["families"]
    assert list(families("es")) == list(table)
    for name, family in table.items():
        assert len(set(lists.words("es", family["file"]))) == family["words"]
        assert "public domain" in families("es")[name]
    assert ambiguity("es", "wspanish").label == "es-wspanish-1"
    with pytest.raises(UsageError, match="word list 'wspanis'"):
        ambiguity("es", "wspanis")


def test_the_verbs_that_the_tables_name_are_named_once() -> None:
    """A verb in two steps of one change would silently take the first."""
    table = lists.rules("es", "inflection")
    for name, steps in table["changes"].items():
        named: Counter[str] = Counter()
        for step in steps:
            verbs = step.get("verbs", [])
            named.update(verbs.split() if isinstance(verbs, str) else verbs)
        assert [verb for verb, count in named.items() if count > 1] == [], name


@given(st.text(max_size=12))
def test_any_text_has_an_answer(word: str) -> None:
    entry = ambiguity("es", "wspanish").entry(word)
    assert entry is None or entry


def test_the_shipped_list_is_the_packages_own() -> None:
    package = Path("/usr/share/dict/spanish")
    if not package.is_file():
        pytest.skip("the Debian package wspanish is not installed")
    assert lists.words("es", "wspanish.txt.gz") == package.read_text(encoding="utf-8").split()
