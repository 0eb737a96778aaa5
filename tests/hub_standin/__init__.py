"""A strict stand-in for the Hugging Face Hub: the routes that a push and a load use, and their refusals.

A loopback server of the standard library. It keeps repositories in memory as commits of whole file trees
(``state``), answers the routes that ``huggingface_hub`` and ``datasets`` call (``routes`` over ``server``), and
refuses what the Hub refuses (``strictness``): no token or a stranger's, content without its hash, a stale
parent, a card with an unknown licence or a bad split name. ``hub.fail(...)`` scripts failures: a status, or a
connection that drops before or after a call takes effect. Nothing in the package knows that it is not the Hub.
"""

from hub_standin.server import serving
from hub_standin.state import OTHER_TOKEN, TOKEN, Hub, Repo, sha256

__all__ = ["OTHER_TOKEN", "TOKEN", "Hub", "Repo", "serving", "sha256"]
