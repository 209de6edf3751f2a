"""Clients of one workspace. Credentials come from the platform (a job, a notebook) or the SDK's own configuration."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from pincite import __version__
from pincite.databricks.errors import platform
from pincite.errors import UsageError

RETRY_SECONDS = 120  # how long the SDK itself retries throttling and lost connections before our own loop sees them


class Connection:
    """A workspace client, and Vector Search clients that never outlive their token.

    *options* go to ``databricks.sdk.config.Config``; with none it finds the credentials of its surroundings.
    """

    def __init__(self, **options: Any) -> None:
        self._options = {"retry_timeout_seconds": RETRY_SECONDS, **options}

    @cached_property
    def workspace(self) -> Any:
        """The ``WorkspaceClient``."""
        from databricks.sdk import WorkspaceClient
        from databricks.sdk.config import Config

        try:
            with platform("the workspace"):
                return WorkspaceClient(config=Config(product="pincite", product_version=__version__, **self._options))
        except ValueError as error:  # what the SDK raises where it finds no credentials
            raise UsageError(
                f"no credentials for a workspace were found ({' '.join(str(error).split())[:200]})",
                next="run this in a workspace, or name a profile in DATABRICKS_CONFIG_PROFILE",
            ) from error

    def token(self) -> str:
        """A token that is valid now: the SDK renews the short-lived ones when they are about to end."""
        with platform("the workspace"):
            return str(self.workspace.config.authenticate()["Authorization"].removeprefix("Bearer "))

    def search(self) -> Any:
        """A Vector Search client for the next call. It holds one token for life, so it is made anew each time; that costs
        no request."""
        from databricks.ai_search.client import AISearchClient

        return AISearchClient(workspace_url=self.workspace.config.host, personal_access_token=self.token(), disable_notice=True)
