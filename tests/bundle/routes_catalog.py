"""Unity Catalog objects, dashboards, permissions, warehouses and serving endpoints."""

from __future__ import annotations

import re
import shutil
import uuid
from typing import Any

from workspace import USER, Refused, Request, Workspace, missing, route

CATALOGS = ("main", "acme")


# --- schemas, volumes, tables ---------------------------------------------------------------------------------------


@route("POST", r"/api/2\.1/unity-catalog/schemas")
def create_schema(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    body = request.body
    if body["catalog_name"] not in CATALOGS:
        raise Refused(404, "CATALOG_DOES_NOT_EXIST", f"Catalog '{body['catalog_name']}' does not exist.")
    full = f"{body['catalog_name']}.{body['name']}"
    if full in workspace.table("schemas"):
        raise Refused(409, "SCHEMA_ALREADY_EXISTS", f"Schema '{full}' already exists")
    workspace.table("schemas")[full] = {**body, "full_name": full, "owner": USER, "schema_id": str(uuid.uuid4())}
    return workspace.table("schemas")[full]


@route("POST", r"/api/2\.1/unity-catalog/volumes")
def create_volume(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    body = request.body
    schema = f"{body['catalog_name']}.{body['schema_name']}"
    if schema not in workspace.table("schemas"):
        raise Refused(404, "SCHEMA_DOES_NOT_EXIST", f"Schema '{schema}' does not exist.")
    full = f"{schema}.{body['name']}"
    if full in workspace.table("volumes"):
        raise Refused(409, "VOLUME_ALREADY_EXISTS", f"Volume '{full}' already exists")
    folder = workspace.folder / "Volumes" / full.replace(".", "/")
    folder.mkdir(parents=True, exist_ok=True)
    made = {**body, "full_name": full, "owner": USER, "volume_id": str(uuid.uuid4()), "storage_location": "s3://bucket/x"}
    workspace.table("volumes")[full] = made
    return made


@route("GET", r"/api/2\.1/unity-catalog/(schemas|volumes|tables)/([^/]+)")
def get_object(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    found = workspace.table(match[1]).get(match[2])
    if found is None:
        kind = match[1].removesuffix("s").upper()
        raise Refused(404, f"{kind}_DOES_NOT_EXIST", f"{kind.title()} '{match[2]}' does not exist.")
    return found


@route("PATCH", r"/api/2\.1/unity-catalog/(schemas|volumes)/([^/]+)")
def change_object(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    get_object(workspace, request, match).update(request.body)
    return get_object(workspace, request, match)


@route("DELETE", r"/api/2\.1/unity-catalog/(schemas|volumes)/([^/]+)")
def delete_object(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    get_object(workspace, request, match)
    del workspace.table(match[1])[match[2]]
    for folder in ("Volumes", "tables"):
        shutil.rmtree(workspace.folder / folder / match[2].replace(".", "/"), ignore_errors=True)


@route("PATCH", r"/api/2\.1/unity-catalog/permissions/(\w+)/([^/]+)")
def grant(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    grants: dict[str, set[str]] = workspace.table("grants").setdefault((match[1], match[2]), {})
    for change in request.body.get("changes", []):
        held = grants.setdefault(change["principal"], set())
        held |= set(change.get("add") or [])
        held -= set(change.get("remove") or [])
    return _grants(grants)


@route("GET", r"/api/2\.1/unity-catalog/permissions/(\w+)/([^/]+)")
def show_grants(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return _grants(workspace.table("grants").get((match[1], match[2]), {}))


def _grants(grants: dict[str, set[str]]) -> Any:
    return {"privilege_assignments": [{"principal": p, "privileges": sorted(v)} for p, v in sorted(grants.items()) if v]}


# --- permissions of workspace objects -------------------------------------------------------------------------------


@route("PUT|PATCH", r"/api/2\.0/permissions/([\w-]+)/([^/]+)")
def set_permissions(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    workspace.table("permissions")[match[1], match[2]] = request.body.get("access_control_list", [])
    return show_permissions(workspace, request, match)


@route("GET", r"/api/2\.0/permissions/([\w-]+)/([^/]+)")
def show_permissions(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    entries = workspace.table("permissions").get((match[1], match[2]), [{"user_name": USER, "permission_level": "CAN_MANAGE"}])
    listed = [
        {
            **{k: v for k, v in entry.items() if k != "permission_level"},
            "all_permissions": [{"permission_level": entry["permission_level"], "inherited": False}],
        }
        for entry in entries
    ]
    return {"object_id": f"/{match[1]}/{match[2]}", "object_type": match[1].removesuffix("s"), "access_control_list": listed}


# --- dashboards and warehouses --------------------------------------------------------------------------------------


@route("GET", r"/api/2\.0/sql/warehouses")
def warehouses(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"warehouses": [{"id": "00aa11bb22cc33dd", "name": "Serverless Starter Warehouse", "state": "STOPPED"}]}


@route("POST", r"/api/2\.0/lakeview/dashboards")
def create_dashboard(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    number = uuid.uuid4().hex
    made = {**request.body, "dashboard_id": number, "etag": "1", "lifecycle_state": "ACTIVE"}
    made["path"] = f"{made.get('parent_path', '')}/{made['display_name']}.lvdash.json"
    workspace.table("dashboards")[number] = made
    return made


@route("GET", r"/api/2\.0/lakeview/dashboards/(\w+)")
def get_dashboard(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    if match[1] not in workspace.table("dashboards"):
        raise missing(f"Dashboard {match[1]}")
    return workspace.table("dashboards")[match[1]]


@route("PATCH", r"/api/2\.0/lakeview/dashboards/(\w+)")
def change_dashboard(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    found = get_dashboard(workspace, request, match)
    found.update(request.body, etag=str(int(found["etag"]) + 1))
    return found


@route("DELETE", r"/api/2\.0/lakeview/dashboards/(\w+)")
def delete_dashboard(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    get_dashboard(workspace, request, match)
    del workspace.table("dashboards")[match[1]]


@route("POST", r"/api/2\.0/lakeview/dashboards/(\w+)/published")
def publish_dashboard(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    get_dashboard(workspace, request, match)["published"] = request.body
    return {"display_name": "x", "warehouse_id": request.body.get("warehouse_id")}


@route("GET", r"/api/2\.0/lakeview/dashboards/(\w+)/published")
def get_published(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    found = get_dashboard(workspace, request, match)
    if "published" not in found:
        raise missing("The published dashboard")
    return {"warehouse_id": found["warehouse_id"], "embed_credentials": found["published"].get("embed_credentials", True)}


# --- serving endpoints: an embedder and a chat model that need no weights ------------------------------------------------


@route("GET", r"/api/2\.0/serving-endpoints/([\w.-]+)")
def serving_endpoint(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    if not match[1].startswith("databricks-"):
        raise Refused(404, "RESOURCE_DOES_NOT_EXIST", f"The given endpoint does not exist: {match[1]}")
    task = "llm/v1/embeddings" if "-gte-" in match[1] or "-bge-" in match[1] else "llm/v1/chat"
    return {"name": match[1], "id": "e1", "task": task, "state": {"ready": "READY"}, "route_optimized": False}


@route("POST", r"/serving-endpoints/([\w.-]+)/invocations")
def invoke(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    task = serving_endpoint(workspace, request, match)["task"]
    body = request.body
    if task == "llm/v1/embeddings":
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        if len(texts) > 150:
            raise Refused(400, "BAD_REQUEST", "Input embeddings size is too large, exceeding 150 limit")
        rows = [{"index": i, "object": "embedding", "embedding": embedding(text)} for i, text in enumerate(texts)]
        return {"object": "list", "data": rows, "model": match[1]}
    if "messages" not in body:
        raise Refused(400, "BAD_REQUEST", "Missing required Chat parameter: 'messages'")
    said = " ".join(message["content"] for message in body["messages"])
    model = workspace.state.get("chat")
    reply = {"role": "assistant", "content": model(body["messages"]) if model else f"reply to {len(said)} characters"}  # type: ignore[operator]
    return {"object": "chat.completion", "choices": [{"index": 0, "message": reply, "finish_reason": "stop"}]}


def embedding(text: str, dimension: int = 64) -> list[float]:
    """A bag of hashed words: enough for equal texts to be equal and near texts to be near."""
    import zlib

    vector = [0.0] * dimension
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % dimension] += 1.0
    return vector


@route("PUT", r"/test/tables/([^/]+)")
def register_table(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    """The session tells what it made (``session.py``): keys, clustering and properties are not in the engine's files."""
    workspace.table("tables")[match[1]] = request.body


@route("GET", r"/test/denied")
def denied_statements(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"patterns": [pattern.pattern for method, pattern in workspace.denied if method == "SQL"]}
