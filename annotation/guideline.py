"""The guideline that annotators read: which one they have is recorded, and a change of it too."""

from __future__ import annotations

import datetime
import hashlib

from probeta.annotation.campaign import GUIDELINE, Campaign, GuidelineChange
from probeta.errors import UsageError
from probeta.tables import decode_utf8


def read(campaign: Campaign) -> str:
    """The text of ``guideline.md``; a UsageError where there is none."""
    path = campaign.path(GUIDELINE)
    if not path.is_file():
        raise UsageError(f"{path} is missing: annotators read it as the project's instructions")
    text = decode_utf8(path.read_bytes(), file=str(path))
    # A checkout may have other line ends than the file that was written.
    return text.replace("\r\n", "\n")


def sha256(text: str) -> str:
    """The hash that ``campaign.yaml`` records.

    >>> sha256("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def checked(campaign: Campaign, *, new: bool) -> str:
    """The guideline's text. Raises a UsageError where it is not the recorded one and ``new`` is not said."""
    text = read(campaign)
    if not new and sha256(text) != campaign.settings.guideline_sha256:
        raise UsageError(
            f"{campaign.path(GUIDELINE)} is not the guideline that {campaign.folder} was made with: put it back, or "
            "say --new-guideline to give the new one to the annotators, which is recorded"
        )
    return text


def record(campaign: Campaign, text: str) -> bool:
    """Write down that annotators have ``text`` from now on; whether that is a change."""
    before, after = campaign.settings.guideline_sha256, sha256(text)
    if before == after:
        return False
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    change = GuidelineChange(time=now, before=before, after=after)
    campaign.update(guideline_sha256=after, guideline_changes=[*campaign.settings.guideline_changes, change])
    return True
