"""Vector Search: endpoints, Delta Sync indexes over the real Delta tables, queries on both verbs and both index paths.

An index holds what its last sync read from the table: a later commit is not seen before the next sync. A sync takes
``workspace.sleep_for_sync`` seconds, during which another one is refused as a running pipeline is. ``lose_rows`` makes the
next syncs drop rows; ``hang`` makes them never end, ``stale_syncs`` end without the table's last commits.
"""

from __future__ import annotations

import json
import math
import re
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

from routes_catalog import embedding
from workspace import USER, Refused, Request, Workspace, missing, route

API = r"/api/2\.0/vector-search/"
NAME = re.compile(r"[A-Za-z0-9_]+\.[A-Za-z0-9_]+\.[A-Za-z0-9_]+$")
WORD = re.compile(r"\w+")
HYBRID_LIMIT = 200
RRF = 60


# --- endpoints ------------------------------------------------------------------------------------------------------


@route("POST", API + "endpoints")
def create_endpoint(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    body = request.body
    if body["name"] in workspace.table("endpoints"):
        raise Refused(409, "RESOURCE_ALREADY_EXISTS", f"Vector search endpoint {body['name']} already exists.")
    workspace.table("endpoints")[body["name"]] = {
        **body,
        "id": str(uuid.uuid4()),
        "creator": USER,
        "endpoint_status": {"state": workspace.state.get("new_endpoint_state", "ONLINE")},
        "num_indexes": 0,
    }
    return workspace.table("endpoints")[body["name"]]


@route("GET", API + "endpoints/([^/]+)")
def get_endpoint(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    if match[1] not in workspace.table("endpoints"):
        raise missing(f"Vector search endpoint {match[1]}")
    return workspace.table("endpoints")[match[1]]


@route("PATCH", API + "endpoints/([^/]+)")
def change_endpoint(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    get_endpoint(workspace, request, match).update(request.body)
    return get_endpoint(workspace, request, match)


@route("DELETE", API + "endpoints/([^/]+)")
def delete_endpoint(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    get_endpoint(workspace, request, match)
    del workspace.table("endpoints")[match[1]]


# --- indexes --------------------------------------------------------------------------------------------------------


@route("POST", API + r"(?:endpoints/([^/]+)/)?indexes")
def create_index(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    body = request.body
    endpoint, name = match[1] or body.get("endpoint_name"), body["name"]
    if endpoint not in workspace.table("endpoints"):
        raise missing(f"Vector search endpoint {endpoint}")
    if not NAME.match(name):
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"Index name {name} must be of the form catalog.schema.name")
    if name in workspace.table("indexes"):
        raise Refused(409, "RESOURCE_ALREADY_EXISTS", f"Vector index {name} already exists.")
    spec = body["delta_sync_index_spec"]
    _check_source(workspace, spec["source_table"])
    made = {
        "name": name,
        "id": str(uuid.uuid4()),
        "endpoint_name": endpoint,
        "primary_key": body["primary_key"],
        "index_type": body["index_type"],
        "delta_sync_index_spec": {**spec, "pipeline_id": str(uuid.uuid4())},
        "creator": USER,
        "status": {
            "ready": False,
            "detailed_state": "PROVISIONING_INITIAL_SNAPSHOT",
            "indexed_row_count": 0,
            "index_url": f"127.0.0.1/api/2.0/vector-search/indexes/{name}",
            "message": "Index is being created",
        },
    }
    workspace.table("indexes")[name] = made
    workspace.table("rows")[name] = []
    _start_sync(workspace, made)
    return made


def _check_source(workspace: Workspace, table: str) -> None:
    """What the backend asks of a source table: it exists, and its change data feed is on."""
    if table not in workspace.table("tables"):
        raise Refused(404, "TABLE_DOES_NOT_EXIST", f"Table '{table}' does not exist.")
    if workspace.table("tables")[table].get("properties", {}).get("delta.enableChangeDataFeed") != "true":
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"Change Data Feed is not enabled on the source table {table}")


def index(workspace: Workspace, name: str) -> dict[str, Any]:
    if name not in workspace.table("indexes"):
        raise missing(f"Vector index {name}")
    return workspace.table("indexes")[name]


@route("GET", API + r"(?:endpoints/[^/]+/)?indexes/([^/]+)")
def get_index(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return index(workspace, match[1])


@route("GET", API + r"endpoints/([^/]+)/indexes")
def list_indexes(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"vector_indexes": [i for i in workspace.table("indexes").values() if i["endpoint_name"] == match[1]]}


@route("DELETE", API + r"(?:endpoints/[^/]+/)?indexes/([^/]+)")
def delete_index(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    index(workspace, match[1])
    del workspace.table("indexes")[match[1]]


@route("POST", API + r"indexes/([^/]+)/sync")
def sync(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    found = index(workspace, match[1])
    with workspace.lock:
        if found["status"]["detailed_state"] not in ("ONLINE_NO_PENDING_UPDATE", "ONLINE"):
            raise Refused(400, "BAD_REQUEST", f"Index {match[1]} is not ready to sync yet: a pipeline update is running")
        _start_sync(workspace, found)


def _start_sync(workspace: Workspace, found: dict[str, Any]) -> None:
    first = found["status"]["detailed_state"].startswith("PROVISIONING")
    found["status"]["detailed_state"] = "PROVISIONING_INITIAL_SNAPSHOT" if first else "ONLINE_TRIGGERED_UPDATE"
    if workspace.sleep_for_sync:
        threading.Thread(target=_finish_sync, args=(workspace, found), daemon=True).start()
    else:
        _finish_sync(workspace, found)


def _finish_sync(workspace: Workspace, found: dict[str, Any]) -> None:
    time.sleep(workspace.sleep_for_sync)
    if workspace.state.get("hang"):
        return
    if stale := int(workspace.state.get("stale_syncs", 0)):  # type: ignore[call-overload]
        workspace.state["stale_syncs"] = stale - 1  # type: ignore[assignment]
        found["status"].update(ready=True, detailed_state="ONLINE_NO_PENDING_UPDATE")
        return
    table = found["delta_sync_index_spec"]["source_table"]
    rows, version = table_rows(workspace, table)
    lost = int(workspace.state.get("lose_rows", 0))  # type: ignore[call-overload]
    workspace.table("rows")[found["name"]] = rows[lost:]
    workspace.table("bags").pop(found["name"], None)
    status = {
        "ready": True,
        "detailed_state": "ONLINE_NO_PENDING_UPDATE",
        "indexed_row_count": len(rows) - lost,
        "message": "Index is online",
        "triggered_update_status": {"last_processed_commit_version": version, "triggered_update_progress": {}},
    }
    found["status"].update(status)


def table_rows(workspace: Workspace, table: str) -> tuple[list[dict[str, Any]], int]:
    """The rows of a table of the catalog as they are now, and its version."""
    from deltalake import DeltaTable

    opened = DeltaTable(str(table_folder(workspace, table)))
    return opened.to_pyarrow_table().to_pylist(), int(opened.version())


def table_folder(workspace: Workspace, table: str) -> Path:
    return workspace.folder / "tables" / table.replace(".", "/")


# --- queries --------------------------------------------------------------------------------------------------------


@route("GET|POST", API + r"(?:endpoints/[^/]+/)?indexes/([^/]+)/query")
def query(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    found = index(workspace, match[1])
    body = request.body
    kind = (body.get("query_type") or "ANN").upper()
    wanted = int(body.get("num_results") or 10)
    if kind in ("HYBRID", "FULL_TEXT") and wanted > HYBRID_LIMIT:
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"num_results must be at most {HYBRID_LIMIT} for {kind} queries")
    if not found["status"]["ready"]:
        raise Refused(400, "BAD_REQUEST", f"Index {match[1]} is not ready")
    known = set(found["delta_sync_index_spec"].get("columns_to_sync") or []) | {found["primary_key"]}
    unknown = [c for c in body["columns"] if c not in known and c in (workspace.table("rows")[match[1]] or [{}])[0]]
    if unknown:
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"Requested columns to fetch are not present in index: {unknown}")
    rows = [row for row in workspace.table("rows")[match[1]] if _passes(row, _filters(body))]
    scored = score(rows, body.get("query_text") or "", kind)
    threshold = float(body.get("score_threshold") or 0.0)
    best = [(s, row) for s, row in scored if s >= threshold][:wanted]
    if body.get("reranker"):
        best = rerank(best, body["query_text"], body["reranker"]["parameters"]["columns_to_rerank"])
    return {
        "manifest": {"column_count": len(body["columns"]) + 1, "columns": [{"name": c} for c in [*body["columns"], "score"]]},
        "result": {"row_count": len(best), "data_array": [[row.get(c) for c in body["columns"]] + [s] for s, row in best]},
    }


def _filters(body: dict[str, Any]) -> dict[str, Any]:
    if body.get("filter_string"):
        raise Refused(400, "INVALID_PARAMETER_VALUE", "filter_string is for storage-optimized endpoints")
    return json.loads(body.get("filters_json") or "{}")


def _passes(row: dict[str, Any], filters: dict[str, Any]) -> bool:
    for key, value in filters.items():
        name, _, operator = key.partition(" ")
        if name not in row:
            raise Refused(400, "INVALID_PARAMETER_VALUE", f"Filter column {name} is not present in index")
        held = row[name]
        if operator == "NOT":
            if held == value:
                return False
        elif (held not in value) if isinstance(value, list) else held != value:
            return False
    return True


def score(rows: list[dict[str, Any]], text: str, kind: str) -> list[tuple[float, dict[str, Any]]]:
    """Every row with its score, best first: BM25, hashed words by distance, or both fused by reciprocal rank."""
    words = keyword_scores(rows, text)
    if kind == "FULL_TEXT":
        return _ranked(rows, words)
    vectors = vector_scores(rows, text)
    if kind == "ANN":
        return _ranked(rows, vectors)
    ranks = [_ranks(words), _ranks(vectors)]
    fused = [0.5 * sum((RRF + 1) / (RRF + r[i]) if i in r else 0.0 for r in ranks) for i in range(len(rows))]
    return _ranked(rows, fused)


def _ranked(rows: list[dict[str, Any]], scores: list[float]) -> list[tuple[float, dict[str, Any]]]:
    order = sorted(range(len(rows)), key=lambda i: (-scores[i], str(rows[i])[:80]))
    return [(scores[i], rows[i]) for i in order if scores[i] > 0]


def _ranks(scores: list[float]) -> dict[int, int]:
    order = sorted((i for i in range(len(scores)) if scores[i] > 0), key=lambda i: -scores[i])
    return {i: rank for rank, i in enumerate(order[:HYBRID_LIMIT], 1)}


def keyword_scores(rows: list[dict[str, Any]], text: str) -> list[float]:
    bags = [Counter(WORD.findall(row["retrieval_text"].lower())) for row in rows]
    mean = sum(sum(bag.values()) for bag in bags) / max(1, len(bags)) or 1.0
    holders = Counter(word for bag in bags for word in bag)
    total = [0.0] * len(rows)
    for word in set(WORD.findall(text.lower())):
        weight = math.log(1 + (len(rows) - holders[word] + 0.5) / (holders[word] + 0.5))
        for i, bag in enumerate(bags):
            if bag[word]:
                total[i] += weight * bag[word] * 2.2 / (bag[word] + 1.2 * (0.25 + 0.75 * sum(bag.values()) / mean))
    return total


def vector_scores(rows: list[dict[str, Any]], text: str) -> list[float]:
    """``1 / (1 + d²)`` of unit vectors, as the service documents its scores."""
    asked = _unit(embedding(text, 256))
    held = [_unit(embedding(row["retrieval_text"], 256)) for row in rows]
    return [1 / (1 + max(0.0, 2 - 2 * sum(a * b for a, b in zip(asked, vector)))) for vector in held]


def _unit(vector: list[float]) -> list[float]:
    norm = math.sqrt(sum(v * v for v in vector)) or 1.0
    return [v / norm for v in vector]


def rerank(best: list[tuple[float, dict[str, Any]]], text: str, columns: list[str]) -> list[tuple[float, dict[str, Any]]]:
    asked = set(WORD.findall(text.lower()))

    def shared(row: dict[str, Any]) -> float:
        words = set(WORD.findall(" ".join(str(row[c]) for c in columns)[:2000].lower()))
        return len(asked & words) / max(1, len(asked))

    return sorted([(shared(row), row) for _, row in best[:50]], key=lambda pair: -pair[0])
