"""From a file's text to clean paragraphs; what is repaired here is the carrier, never the wording.

Line ends, invisible characters, compatibility spaces, Unicode form, HTML line breaks, words hyphenated at a
line's end and hard-wrapped lines are repaired. Checks that touch no character come first, so clean text
costs next to nothing.
"""

from __future__ import annotations

import html
import re
import unicodedata

#: Zero-width characters, directional marks and the byte order mark carry no text.
_INVISIBLE = (
    "\u200b\u200c\u200d\u200e\u200f\u2060\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff\u00ad"
)
_DELETE = dict.fromkeys(map(ord, _INVISIBLE))
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"
_CONTROLS = dict.fromkeys(map(ord, "\v\f\x1c\x1e\x1f\x85"), "\n")
_TRANSLATE = {
    **_DELETE,
    **_CONTROLS,
    **dict.fromkeys(map(ord, _SPACES), " "),
    ord("\u2028"): "\n",
    ord("\u2029"): "\n\n",
}
_TOUCHED = (*_INVISIBLE, *_SPACES, "\u2028", "\u2029", *map(chr, _CONTROLS))

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BREAKS = re.compile(r"(?:<br\s*/?>\s*){2,}", re.IGNORECASE)
_BLOCK = re.compile(r"</?(?:p|div)(?:\s[^<>]*)?>", re.IGNORECASE)
_ENTITY = re.compile(
    r"&(?:nbsp|amp|quot|lt|gt|[aeiou]acute|[AEIOU]acute|[nN]tilde|iquest|iexcl|[lr]aquo|#\d{2,4});"
)
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐¬\u00ad]\n\s*(?=[a-zß-öø-ÿ])")
_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
_ENDS = re.compile(r"[.!?…:;»”\"')\]]\s*$")
_DASH = re.compile(r"\s*[—–-]\s?\S")

#: Lines of running text that was wrapped by hand or by a program are no longer than this.
_WRAP = 120


def clean(text: str) -> str:
    """Repair characters: line ends, invisible ones, odd spaces, HTML breaks, NFC.

    >>> clean("Sin em-\\r\\nbargo,\\u00a0fue<br/>así")
    'Sin embargo, fue así'
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\n" in text:
        text = _HYPHEN.sub("", text)
    if any(char in text for char in _TOUCHED):
        text = text.translate(_TRANSLATE)
    if "<" in text:
        text = _BREAK.sub(" ", _BLOCK.sub("\n\n", _BREAKS.sub("\n\n", text)))
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]).replace("\u00a0", " "), text)
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
    return text


def fold_space(text: str) -> str:
    """Every run of white space as one space, none at the ends."""
    if "\n" in text or "  " in text or "\t" in text:
        return " ".join(text.split())
    return text.strip()


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a plain text that ``clean`` has seen.

    Blank lines part paragraphs. Inside a block, lines are joined if the text is hard-wrapped (its lines are
    short and most do not end a sentence) and are paragraphs of their own if it is not; a line that opens
    with a dash after a sentence's end begins a new turn.

    >>> paragraphs_of("Una línea que\\nsigue aquí.\\n\\nOtra.")
    ['Una línea que sigue aquí.', 'Otra.']
    >>> paragraphs_of("Un párrafo entero.\\nOtro párrafo entero.")
    ['Un párrafo entero.', 'Otro párrafo entero.']
    """
    blocks = [block for block in _BLANK.split(text) if block.strip()]
    wrapped = _hard_wrapped(blocks)
    paragraphs: list[str] = []
    for block in blocks:
        lines = [line for line in block.split("\n") if line.strip()]
        if not wrapped:
            paragraphs += map(fold_space, lines)
            continue
        joined: list[str] = []
        for line in lines:
            if joined and _DASH.match(line) and _ENDS.search(joined[-1]):
                paragraphs.append(fold_space(" ".join(joined)))
                joined = []
            joined.append(line)
        paragraphs.append(fold_space(" ".join(joined)))
    return paragraphs


def _hard_wrapped(blocks: list[str]) -> bool:
    inner = [line for block in blocks for line in block.split("\n")[:-1]]
    if not inner:
        return False
    ending = sum(1 for line in inner if _ENDS.search(line))
    longest = sorted(map(len, inner))[int(len(inner) * 0.95)]
    return longest <= _WRAP and ending <= len(inner) / 2


#: Joins paragraphs so that all are cleaned in one go; no text holds it.
JOINT = "\x1d"


def declared_paragraphs(paragraphs: list[str], whole: str | None = None) -> list[str]:
    """Paragraphs that the input already parts: cleaned, empty ones kept to hold their number.

    ``whole`` is the paragraphs joined by ``JOINT``, for callers that have it already.

    >>> declared_paragraphs(["Sin\\nembargo,\\u200b no.", ""])
    ['Sin embargo, no.', '']
    """
    if whole is None:
        whole = JOINT.join(paragraphs)
    if whole.count(JOINT) >= len(paragraphs) > 0:
        paragraphs = [part.replace(JOINT, " ") for part in paragraphs]
        whole = JOINT.join(paragraphs)
    cleaned = clean(whole)
    parts = paragraphs if cleaned == whole else cleaned.split(JOINT)
    return [fold_space(part) for part in parts]
