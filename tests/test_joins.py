"""Joins that elide: Catalan, French and Italian, in whatever order the table has its rows."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
import small_recipe
from console import ROOT
from small_recipe import CATALAN, VOWELS, catalan

from probeta import builtset
from probeta.builders.spans.joins import Join, apply_joins, elided_blanks, read_joins
from probeta.pipeline.build import build
from probeta.records import Span
from probeta.validation.check import check

FRENCH = (
    f"alternation,le,{VOWELS},l’",
    f"alternation,la,{VOWELS},l’",
    f"alternation,de,{VOWELS},d’",
    "contraction,de,le,du",
    "contraction,de,les,des",
    "contraction,à,le,au",
)
ITALIAN = (
    "alternation,lo,[aeiou],l'",
    "alternation,la,[aeiou],l'",
    "alternation,una,[aeiou],un'",
    "contraction,di,il,del",
    "contraction,di,lo,dello",
    "contraction,di,la,della",
    "contraction,di,l',dell'",
    "contraction,su,il,sul",
)


def joins(folder: Path, rows: tuple[str, ...]) -> list[Join]:
    table = "\n".join(("kind,left,right,result", *rows)) + "\n"
    return read_joins(small_recipe.recipe(folder, [{"text": "[[pie]]"}], files={"joins.csv": table}))


def joined(written: str, rows: list[Join]) -> tuple[str, list[str]]:
    """The text of ``written``, whose words are pieces: ``|`` is a border, ``[…]`` a span between two."""
    text, borders, spans, opened = "", [], [], 0
    for char in written:
        if char in "|[]":
            borders.append(len(text))
            opened = len(text) if char == "[" else opened
            spans += [Span(opened, len(text), "X")] if char == "]" else []
        else:
            text += char
    text, moved = apply_joins(text, spans, borders, rows)
    return text, [text[span.start : span.end] for span in moved]


@pytest.mark.parametrize(
    ("language", "written", "expected"),
    [
        (CATALAN, "El mercat de |el| [Prat]", "El mercat del Prat"),
        (CATALAN, "Les platges de |la| [Escala]", "Les platges de l'Escala"),
        (CATALAN, "El port de |el| [Estartit] creix", "El port de l'Estartit creix"),
        (CATALAN, "El tren de [Alella]", "El tren d'Alella"),
        (CATALAN, "El tren de [Girona]", "El tren de Girona"),
        (CATALAN, "Vam arribar a |el| [Vendrell]", "Vam arribar al Vendrell"),
        (CATALAN, "Passem per |el| [Masnou]", "Passem pel Masnou"),
        (CATALAN, "Passem per |l'|[Escala]", "Passem per l'Escala"),
        (CATALAN, "La gent de |els| [Hostalets]", "La gent dels Hostalets"),
        (CATALAN, "|El| [Estartit] creix", "L'Estartit creix"),
        (CATALAN, "|El| [Prat]", "El Prat"),
        # The article belongs to the span: the contraction would break it, and no weaker row takes its place.
        (CATALAN, "Venim de [el Prat]", "Venim de el Prat"),
        (FRENCH, "|le| [eau] et |le| [vin]", "l’eau et le vin"),
        (FRENCH, "Le bord de |la| [eau]", "Le bord de l’eau"),
        (FRENCH, "Le port de |le| [Havre]", "Le port de l’Havre"),
        (FRENCH, "Le pont de |le| [Gard] et |de| [Avignon]", "Le pont du Gard et d’Avignon"),
        (FRENCH, "On va à |le| [Mans] et à |les| [Ulis]", "On va au Mans et à les Ulis"),
        (ITALIAN, "Il sindaco di |la| [Aquila]", "Il sindaco dell'Aquila"),
        (ITALIAN, "La voce di |lo| [amico] tace", "La voce dell'amico tace"),
        (ITALIAN, "La casa di |lo| [zio]", "La casa dello zio"),
        (ITALIAN, "|una| [amica] su |il| [treno]", "un'amica sul treno"),
        (ITALIAN, "Le terre di|  |la|  [Emilia]", "Le terre dell'Emilia"),
    ],
)
def test_words_elide_before_they_contract(
    tmp_path: Path, language: tuple[str, ...], written: str, expected: str
) -> None:
    rows = joins(tmp_path, language)
    spans = [part.partition("]")[0] for part in written.split("[")[1:]]
    assert joined(written, rows) == (expected, spans)


def test_the_order_of_the_rows_changes_nothing(tmp_path: Path) -> None:
    written = "de |la| [Escala], de |el| [Prat], de [Alella], per |el| [Estartit]"
    found = {
        joined(written, joins(tmp_path / str(at), rows))[0]
        for at, rows in enumerate(itertools.permutations(CATALAN[:4] + CATALAN[5:6]))
    }
    assert found == {"de l'Escala, del Prat, d'Alella, per l'Estartit"}


def test_of_equal_rows_the_earlier_decides_so_exceptions_come_first(tmp_path: Path) -> None:
    # Catalan "la" stays before an unstressed i or u: la universitat.
    rows = ("alternation,la,universitat\\b,la", *CATALAN)
    assert joined("|la| [universitat]", joins(tmp_path, rows))[0] == "la universitat"
    assert joined("|la| [universitat]", joins(tmp_path, CATALAN))[0] == "l'universitat"


def test_the_table_of_the_docs_gives_what_the_page_says(tmp_path: Path) -> None:
    section = (ROOT / "docs" / "recipe.md").read_text(encoding="utf-8").partition("### Elision")[2]
    rows = section.partition("```text\n")[2].partition("```")[0].splitlines()[1:]
    written = "de |el| [Prat], de |la| [Escala], de |la| [universitat], de [Alella]"
    found = "del Prat, de l'Escala, de la universitat, d'Alella"
    assert joined(written, joins(tmp_path, tuple(rows)))[0] == found


def test_rows_that_undo_each_other_come_to_an_end(tmp_path: Path) -> None:
    rows = joins(tmp_path, ("alternation,y,i,e", "alternation,e,i,y"))
    assert joined("uno y [Irún]", rows)[0] in ("uno y Irún", "uno e Irún")


def test_a_blank_after_an_elided_word_is_found() -> None:
    de = Join("alternation", "de", re.compile("a"), "d'")
    y = Join("alternation", "y", re.compile("i"), "e")
    assert list(elided_blanks("El tren d' Alella i d'Olot", [de, y])) == ["d' Alella"]
    # A capital, and two blanks; a word that only ends so, and a quotation that ends there, are none.
    assert list(elided_blanks("D'  Alella, 'la ciutad' e Alella, 'd', ad' Alella", [de, y])) == ["D'  Alella"]


def test_a_catalan_set_builds_with_elisions_and_is_sound(tmp_path: Path) -> None:
    folder = catalan(
        tmp_path / "recipe",
        "alella: El tren de {{ a }} surt.",
        "prat: El mercat de {{ agree(a, 'el') }} {{ a }} obre.",
        "escala: Les platges de {{ agree(a, 'el') }} {{ a }} són netes.",
    )
    build(folder, out=tmp_path / "set")
    rows = {row["id"]: row for row in builtset.read(tmp_path / "set", "sentences").to_pylist()}
    found = {id_: (row["text"], row["spans"][0]["text"]) for id_, row in rows.items()}
    assert found["r1|standard|without"] == ("El tren d'Alella surt.", "Alella")
    assert found["r2|standard|without"] == ("El mercat del Prat obre.", "Prat")
    assert found["r3|standard|without"] == ("Les platges de l'Escala són netes.", "Escala")
    # The span starts right behind the apostrophe in every configuration.
    assert found["r1|standard|with"] == ("El tren d'«Alella» surt.", "Alella")
    assert found["r3|upper|without"] == ("LES PLATGES DE L'ESCALA SÓN NETES.", "ESCALA")
    # Tokens are cut where the span begins.
    tokens = {row["id"]: row["tokens"] for row in builtset.read(tmp_path / "set", "tokens").to_pylist()}
    assert "Escala" in tokens["r3|standard|without"]
    assert check(tmp_path / "set").faults == []


def test_check_tells_a_blank_that_an_author_left_behind_an_elided_word(tmp_path: Path) -> None:
    folder = catalan(
        tmp_path / "recipe", "alella: El tren d' {{ a }} surt.", "prat: Prop de {{ agree(a, 'el') }} {{ a }}."
    )
    build(folder, out=tmp_path / "set")
    (fault,) = check(tmp_path / "set").faults
    assert (fault.code, fault.file, fault.found, fault.expected) == (
        "elided_blank",
        "sentences",
        "d' Alella",
        "d'Alella",
    )
