"""What annotators see: the labelling configuration and the guideline as the project's instructions."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from importlib.resources import files

from probeta.annotation.campaign import CAMPAIGN, FIELDS, Kind, Settings, Word
from probeta.errors import DataError, Fault

#: Keys in the order in which labels get them.
HOTKEYS = "1234567890"

#: Colours that tell labels apart for most people with a colour weakness too (Okabe & Ito).
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#6B7280")

#: The words around the texts, by language; English where there is none.
WORDS: Mapping[str, Mapping[Word, str]] = {
    "es": {
        "spans": "Marque los tramos y elija la etiqueta",
        "sentence_1": "Primera frase",
        "sentence_2": "Segunda frase",
        "pairs": "¿Qué relación tiene la segunda frase con la primera?",
        "adjudication": "Respuestas dadas",
    },
    "ro": {
        "spans": "Marcați fragmentele și alegeți eticheta",
        "sentence_1": "Prima frază",
        "sentence_2": "A doua frază",
        "pairs": "Ce legătură are a doua frază cu prima?",
        "adjudication": "Răspunsuri date",
    },
    "en": {
        "spans": "Mark the spans and choose the label",
        "sentence_1": "First sentence",
        "sentence_2": "Second sentence",
        "pairs": "How does the second sentence relate to the first?",
        "adjudication": "Answers given",
    },
}


#: The words that stand around an item's texts, by kind.
QUESTIONS: Mapping[Kind, tuple[Word, ...]] = {
    "spans": ("spans",),
    "pairs": ("sentence_1", "sentence_2", "pairs"),
}


def has_words(language: str) -> bool:
    """Whether there are words in the language, of any country.

    >>> has_words("es-MX"), has_words("ca")
    (True, False)
    """
    return language.partition("-")[0] in WORDS


def words_of(language: str) -> Mapping[Word, str]:
    """The words of a language; English where there are none."""
    return WORDS[language.partition("-")[0]] if has_words(language) else WORDS["en"]


def render(
    *,
    kind: Kind,
    labels: Mapping[str, str],
    language: str,
    words: Mapping[Word, str] | None = None,
    adjudication: bool = False,
) -> str:
    """The labelling configuration from ``templates/label_studio``; labels and texts are escaped.

    ``words`` stand in place of those of ``language``.
    """
    import jinja2

    source = files("probeta.templates").joinpath("label_studio", f"{kind}.xml.j2").read_text("utf-8")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    shown = [
        {
            "name": name,
            "definition": " ".join(definition.split()),
            "hotkey": HOTKEYS[place] if place < len(HOTKEYS) else "",
            "colour": COLOURS[place % len(COLOURS)],
        }
        for place, (name, definition) in enumerate(labels.items())
    ]
    around = {**words_of(language), **(words or {})}
    return environment.from_string(source).render(labels=shown, words=around, adjudication=adjudication)


def of(settings: Settings) -> str:
    """The campaign's labelling configuration."""
    return render(
        kind=settings.kind,
        labels=settings.labels,
        language=settings.language,
        words=settings.words,
        adjudication=settings.adjudication,
    )


def variables(config: str) -> set[str]:
    """The fields of the data that a configuration shows (``$name``)."""
    return {
        value[1:]
        for element in ET.fromstring(config).iter()
        for value in element.attrib.values()
        if value.startswith("$")
    }


def check(config: str, *, kind: Kind) -> None:
    """Raise a DataError where the configuration asks for a field that items do not have, or is none.

    The kit that Label Studio's makers publish reads it with the server's own rules, where it is installed
    (the extra ``annotation``); without it the server is the first to look, before any task is sent.
    """
    known = {*FIELDS[kind], "answers"}
    try:
        shown = variables(config)
    except ET.ParseError:
        message = (
            "the labelling configuration is no XML: a label, a definition or a word holds a control character"
        )
        raise DataError(Fault(code="config", message=message, file=CAMPAIGN, column="labels")) from None
    missing = sorted(shown - known)
    if missing:
        raise DataError(
            Fault(
                code="config_variable",
                message=f"the labelling configuration shows ${missing[0]}, which no item has",
                expected=", ".join(f"${name}" for name in FIELDS[kind]),
            )
        )

    try:
        from label_studio_sdk.label_interface.interface import LabelInterface
    except ImportError:
        return
    try:
        LabelInterface(config).validate()  # type: ignore[no-untyped-call]  # the kit has no types
    except Exception as error:  # the kit has no base class of its own errors
        raise DataError(
            Fault(code="config", message=f"the labelling configuration is not valid: {error}")
        ) from None


#: The elements of headings by level: a line is 22 px high, which h1 (32 px) and h2 (24 px) are too large for, and h5
#: and h6 are smaller than the text.
_HEADINGS = ("h3", "h3", "h4", "h4", "h4", "h4")


def instructions(guideline: str) -> str:
    """A guideline in Markdown as HTML; HTML in it is shown as text.

    Label Studio's page strips styles, shows no bullets and gives every line the height of its text, so distance,
    bullets and lines of tables are written as text, breaks and attributes, and headings have the sizes that fit.

    >>> "&lt;b&gt;" in instructions("# Guía\\n\\n<b>no</b>")
    True
    """
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(guideline)
    parts: list[str] = []
    for place, token in enumerate(tokens):
        level = int(token.tag[1]) if token.type in ("heading_open", "heading_close") else 0
        if level:
            token.tag = _HEADINGS[level - 1]
        if token.type == "heading_open" and place and parts[-1] != "<br>":
            parts.append("<br>")
        parts.append(parser.renderer.render([token], parser.options, {}))
        if token.type == "heading_close" and level == 1:
            parts.append("<br>")
        elif token.type == "list_item_open":
            parts.append(f"{token.info}. " if token.info else "• ")
        elif token.type == "table_open":
            parts[-1] = '<table border="1" cellpadding="6">'
        elif (token.type == "paragraph_close" and not token.hidden) or (
            token.type in ("bullet_list_close", "ordered_list_close", "table_close") and not token.level
        ):
            parts.append("<br>")
    return "".join(parts)
