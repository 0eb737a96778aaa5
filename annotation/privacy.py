"""People in what a server exports: their numbers stay, their addresses and names do not."""

from __future__ import annotations

import re
from collections.abc import Iterable, MutableMapping
from typing import Any

from probeta.annotation.annotators import email_hash

#: What people wrote or were shown; it is kept as it is.
_CONTENT = frozenset(("data", "meta", "result", "prediction", "predictions"))

_ADDRESS = re.compile(r"[^\s@,;<>()]+@[^\s@,;<>()]+")


def hide_people(
    tasks: Iterable[MutableMapping[str, Any]], *, campaign: str, users: MutableMapping[int, str]
) -> None:
    """Turn whole accounts into ``{"id": number}`` and addresses into hashes, in place.

    By release and endpoint a person is a number, an address or an account with all its fields. ``users``
    learns the hash of an account that it does not have, so that whoever left the organisation is known.
    """

    def hidden(value: Any) -> Any:
        if isinstance(value, str):
            return _ADDRESS.sub(lambda found: email_hash(campaign, found[0]), value)
        if isinstance(value, list):
            return [hidden(part) for part in value]
        if not isinstance(value, dict):
            return value
        if isinstance(value.get("email"), str):
            hash = email_hash(campaign, value["email"])
            if type(value.get("id")) is not int:
                return {"email": hash}
            users.setdefault(value["id"], hash)
            return {"id": value["id"]}
        return {name: part if name in _CONTENT else hidden(part) for name, part in value.items()}

    for task in tasks:
        for name in task.keys() - _CONTENT:
            task[name] = hidden(task[name])
