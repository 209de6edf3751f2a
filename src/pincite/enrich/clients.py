"""Which model: "local", "openai/NAME" with a base URL, or "databricks/ENDPOINT"."""

from __future__ import annotations

from pincite.errors import UsageError
from pincite.ports import LLMClient

BASE_URL_VARIABLE = "PINCITE_LLM_URL"


def open_client(model: str, base_url: str = "") -> LLMClient:
    """The client of a model. Nothing is asked of it yet."""
    import os

    family, _, name = model.partition("/")
    if model == "local":
        from pincite.enrich.extractive import ExtractiveClient

        return ExtractiveClient()
    if family == "openai" and name:
        from pincite.enrich.http import HttpChat

        url = base_url or os.environ.get(BASE_URL_VARIABLE, "")
        if not url:
            raise UsageError(f"no endpoint is named for {model}", next=f"give --base-url or set {BASE_URL_VARIABLE}")
        return HttpChat(url, name)
    if family == "databricks" and name:
        from pincite.databricks.connect import Connection
        from pincite.databricks.serving import ServingChat

        return ServingChat(Connection(), name)
    raise UsageError(f"there is no model {model!r}", next="use local, openai/NAME or databricks/ENDPOINT")
