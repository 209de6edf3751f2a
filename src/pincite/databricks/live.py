"""The live index: where it is, and how many passages of each document it should hold."""

from __future__ import annotations

from pincite.databricks import session
from pincite.databricks.connect import Connection
from pincite.databricks.parameters import Parameters
from pincite.databricks.search import Place, VectorSearchIndex
from pincite.model import Scope
from pincite.tables.store import SparkTableStore

INDEX = "passages"


def open_index(parameters: Parameters, store: SparkTableStore, scope: Scope, connection: Connection) -> VectorSearchIndex:
    """The live index, bound to one scope."""
    schema = f"{parameters.catalog}.{parameters.schema}"
    place = Place(f"{schema}.{INDEX}", parameters.search_endpoint, f"{schema}.chunks", parameters.embedding_endpoint)
    counts = session.counted(store, scope)
    return VectorSearchIndex(
        connection, place, scope, lambda: counts, query_type=parameters.query_type, rerank=parameters.rerank
    )
