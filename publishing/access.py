"""Whether a token may write to a repository, asked without writing anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from probeta.publishing.remote import KIND

if TYPE_CHECKING:
    from huggingface_hub import HfApi


def may_write(api: HfApi, repository: str, *, exists: bool) -> bool | None:
    """Whether the token in use may publish as ``repository``; None where the Hub does not say.

    Of a repository that is there the Hub is asked itself; of a new one, who the token's user is.
    """
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    try:
        if not exists:
            return may_create(api.whoami(), repository.split("/")[0])
        api.auth_check(repository, repo_type=KIND, write=True)
    except LocalTokenNotFoundError:
        return False
    except HfHubHTTPError as error:
        # Another Hub may not have the route: 404 says nothing of a repository that was just read.
        return False if error.response.status_code in (401, 403) else None
    return True


def may_create(user: Mapping[str, Any], owner: str) -> bool | None:
    """Whether a user, as ``whoami`` describes them and their token, may create a repository of ``owner``.

    >>> may_create({"name": "ana", "orgs": [{"name": "org", "roleInOrg": "read"}]}, "org")
    False
    >>> may_create({"name": "ana", "auth": {"accessToken": {"role": "write"}}}, "ana")
    True
    """
    token = (user.get("auth") or {}).get("accessToken") or {}
    if token.get("role") == "read":
        return False
    if token.get("role") == "fineGrained":
        return _scoped(token.get("fineGrained") or {}, owner)
    if user.get("name") == owner:
        return True
    roles = [one.get("roleInOrg") for one in user.get("orgs") or () if one.get("name") == owner]
    if not roles:
        return False
    return None if roles[0] is None else roles[0] not in ("read", "no_access")


def _scoped(scopes: Mapping[str, Any], owner: str) -> bool | None:
    """The same of a token that may do certain things only; None where it may write to other places."""
    for scope in scopes.get("scoped") or ():
        if (scope.get("entity") or {}).get("name") == owner:
            return "repo.write" in (scope.get("permissions") or ())
    return None
