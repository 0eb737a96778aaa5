"""The inputs that break toolkits: one or more sentences a row, spans in double brackets.

The numbers are those of the table of edge cases in the issue; what a perturbation makes of each is
asserted elsewhere, here stand only texts and spans. Characters that cannot be seen are written as escapes.
"""

from __future__ import annotations

import re

from probeta.records import Sentence, Span

_MARKED: dict[int, tuple[str, ...]] = {
    # Upper case grows by one letter: ß -> SS; the second span moves.
    1: ("Abrió un [[straße market]] junto a la plaza y vende [[pie]] casero.",),
    # Upper case of U+0149 is two code points.
    2: ("Vuelve el [[\u0149oggend show]] a la radio pública.",),
    # Lower case of U+0130 is two code points.
    3: ("Cerró el [[\u0130stanbul beach]] tras el verano.",),
    # A ligature: upper FITNESS, title Fitness.
    4: ("Reabre el [[\ufb01tness club]] del barrio.",),
    # Decomposed accents: a mark stays with its letter.
    5: ("Ofrece un [[re\u0301sume\u0301 tip]] a cada alumno.",),
    # Adjacent spans.
    6: ("Apuesta por el [[look]] [[total black]] este otoño.",),
    7: ("Dirige el [[podcast]]/[[newsletter]] de la casa.",),
    8: ("Repartieron [[pop]][[corn]] a la entrada.",),
    # Quotation marks already around the span.
    9: (
        "Hizo cien “[[burpees]]” antes del desayuno.",
        "Hizo cien «[[burpees]]» antes del desayuno.",
        "Hizo cien '[[burpees]]' antes del desayuno.",
    ),
    # The span stands inside a quotation.
    10: ("“El [[streaming]] mata el cine”, dijo el director.",),
    # Opening marks before the span.
    11: ("¿[[spoilers]] gratis? ¡[[online]] ya!",),
    # Hyphens.
    12: ("Mandó un [[e-mail]] desde el [[check-in]] del hotel.",),
    # Apostrophes inside words.
    13: ("Sonó [[rock'n'roll]] en la [[women's march]] de Sevilla.",),
    14: ("Presentó su [[look d'Or]] en la gala.",),
    # Digits that begin a word; an ordinal.
    15: ("La 2ª feria de [[3D printing]] coincide con el [[4x4 rally]] de la sierra.",),
    # Astral characters and a zero-width joiner before the span.
    16: ("👩\u200d💻 La [[startup day]] 🎉 reunió a cien personas.",),
    # Capitals inside words.
    17: ("Perdió su [[iPhone case]] durante el [[NBA draft]].",),
    # Final sigma.
    18: ("La [[ΟΔΟΣ street]] abre en Madrid.",),
    # Two spaces, a tab and a no-break space inside spans.
    19: ("Un plan [[low  cost]] para el [[fast\tfood]] y el [[after\u00a0work]] de hoy.",),
    # Braces are text.
    20: ("El plan {A} pide [[low cost]] y nada más.",),
    # The span begins inside a token.
    21: ("Cerró l'[[after hours]] del puerto.",),
    # The end of the text, and a full stop behind the span.
    22: ("Se acabó: [[Game over]]", "Hacen [[burpees]]."),
    # One word at the beginning: standard and capitalised spans coincide.
    23: ("[[Spoilers]] y más spoilers llenan la red.",),
}


def marked(id: str, text: str, *, label: str = "ENG") -> Sentence:
    """The sentence of a text with double brackets around its spans."""
    plain, spans = "", []
    for piece in re.split(r"(\[\[.*?\]\])", text):
        if piece.startswith("[["):
            spans.append(Span(len(plain), len(plain) + len(piece) - 4, label))
            piece = piece[2:-2]
        plain += piece
    return Sentence(id, plain, tuple(spans))


#: row -> its sentences; ids are ``edge-<row>`` and, where a row has several, ``edge-<row>-<n>``.
EDGE_ROWS: dict[int, tuple[Sentence, ...]] = {
    row: tuple(
        marked(f"edge-{row:02d}" + (f"-{at}" if len(texts) > 1 else ""), text)
        for at, text in enumerate(texts, start=1)
    )
    for row, texts in _MARKED.items()
}

#: All of them, in order.
EDGE_SENTENCES: tuple[Sentence, ...] = tuple(s for sentences in EDGE_ROWS.values() for s in sentences)
