"""Bytes to text: the encoding is found, said, and refused with the way out where it is not sure."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

from probeta.errors import DataError, Fault

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: What stands outside ASCII in Spanish text; in a wrong decoding, little of it does.
_EXPECTED = set("áéíóúüñÁÉÍÓÚÜÑ¿¡«»ºª“”‘’–—…°€·çÇàèìòùâêîôûäëïöÀÈÌÒÙãõæœ½¼§®©£´\u00a0\u00ad")
#: UTF-8 bytes that were read as Latin-1 or cp1252: "sÃ­ntesis", "Â¿", "â€œ".
_TWICE = re.compile(
    "Ã[\u0080-\u00bf‚ƒ„…†‡ˆ‰Š‹Œ‘’“”•–—˜™š›œžŸ]|Â[\u00a0¿¡«»ºª°·]|â€[\u0080-\u00bf˜™œžš“”¦¢\u009d]"
)


class Decoded(NamedTuple):
    """A text and the encoding that it was read in."""

    text: str
    encoding: str


def decode(data: bytes, *, file: str) -> Decoded:
    """Read UTF-8, UTF-16 (with or without a mark), UTF-32, Latin-1 or cp1252.

    A DataError where the bytes fit none of them: Latin-1 and cp1252 accept almost anything, so the result
    must also look like Spanish text.

    >>> decode("año".encode("latin-1"), file="a.txt")
    Decoded(text='año', encoding='latin-1')
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return Decoded(_strict(data, name, file), name.removesuffix("-sig"))
    if wide := _utf16_without_mark(data):
        return Decoded(_strict(data, wide, file), wide)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError as error:
        for name in ("latin-1", "cp1252"):
            text = _plausible(data, name)
            if text is not None:
                return Decoded(text, name)
        raise DataError(_unknown(data, file, error)) from None


def _strict(data: bytes, name: str, file: str) -> str:
    try:
        return data.decode(name)
    except UnicodeDecodeError as error:
        raise DataError(_unknown(data, file, error)) from None


def _utf16_without_mark(data: bytes) -> str | None:
    head = data[:4096]
    half = len(head) // 2
    if half < 4:
        return None
    if head[1::2].count(0) > half * 0.7:
        return "utf-16-le"
    return "utf-16-be" if head[::2].count(0) > half * 0.7 else None


def _plausible(data: bytes, name: str) -> str | None:
    try:
        text = data.decode(name)
    except UnicodeDecodeError:
        return None
    outside = [char for char in text[:200_000] if char > "\x7f"]
    # A control character of Latin-1's second block is a sign of cp1252 or of another code page.
    fitting = sum(char in _EXPECTED for char in outside)
    return text if fitting >= 0.9 * len(outside) and "\x00" not in text else None


def _unknown(data: bytes, file: str, error: UnicodeDecodeError) -> Fault:
    import charset_normalizer

    if _is_utf8_with_holes(data):
        return Fault(
            code="encoding",
            message="the text is UTF-8 with damaged bytes",
            file=file,
            row=data[: error.start].count(b"\n") + 1,
            found=f"byte 0x{data[error.start]:02X}",
            fix="mend it, or drop the bytes: iconv -c -f UTF-8 -t UTF-8",
        )
    best = charset_normalizer.from_bytes(
        data[:200_000], cp_isolation=["mac_roman", "cp850", "cp437", "utf_16", "cp1250"]
    ).best()
    return Fault(
        code="encoding",
        message="the text is in no encoding that is read without being told",
        file=file,
        row=data[: error.start].count(b"\n") + 1,
        expected="UTF-8, UTF-16, Latin-1 or cp1252",
        found=f"byte 0x{data[error.start]:02X}, which looks like {best.encoding if best else 'no text'}",
        fix=f"convert it: iconv -f {best.encoding} -t UTF-8"
        if best
        else "take it out of the corpus; or damaged_documents: skip",
    )


def _is_utf8_with_holes(data: bytes) -> bool:
    """Whether nearly everything outside ASCII is well-formed UTF-8: no other encoding looks so."""
    text = data.decode("utf-8", "replace")
    outside = sum(char > "\x7f" for char in text)
    return outside > 0 and text.count("\ufffd") <= 0.1 * outside


def mojibake(text: str) -> str | None:
    """A stretch of ``text`` that was decoded twice, or None; "Ã" alone is a Portuguese letter.

    >>> mojibake("en sÃ\\xadntesis, no")
    'sÃ\\xadntesis,'
    >>> mojibake("NÃO É ASSIM") is None
    True
    """
    if "Ã" not in text and "Â" not in text and "â€" not in text:
        return None
    found = _TWICE.search(text)
    if not found:
        return None
    start = text.rfind(" ", 0, found.start()) + 1
    end = text.find(" ", found.end())
    return text[start : end if end >= 0 else len(text)][:40]


def mojibake_fault(stretch: str, *, file: str, row: int | str | None) -> Fault:
    """The fault for a document whose text was decoded twice, with the way back."""
    return Fault(
        code="mojibake",
        message="the text was decoded in the wrong encoding before it was saved",
        file=file,
        row=row,
        found=stretch,
        fix="text.encode('cp1252').decode('utf-8') gives it back, or ftfy.fix_text; or damaged_documents: skip",
    )
