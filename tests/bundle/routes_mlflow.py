"""MLflow experiments and runs; artefacts lie in a folder that stands for the workspace's storage."""

from __future__ import annotations

import re
import time
import uuid
from typing import Any

from workspace import Refused, Request, Workspace, missing, route

API = r"/api/2\.0/mlflow/"


def clean(name: str) -> str:
    return name.removeprefix("/Workspace")


@route("POST", API + "experiments/create")
def create_experiment(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    name = clean(request.body["name"])
    if not name.startswith("/"):
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"Got an invalid experiment name '{name}': it must be an absolute path")
    if any(e["name"] == name and e["lifecycle_stage"] == "active" for e in workspace.table("experiments").values()):
        raise Refused(400, "RESOURCE_ALREADY_EXISTS", f"Node named '{name}' already exists")
    number = str(9000 + len(workspace.table("experiments")))
    workspace.table("experiments")[number] = {
        "experiment_id": number,
        "name": name,
        "artifact_location": (workspace.folder / "artifacts" / number).as_uri(),
        "lifecycle_stage": "active",
        "tags": request.body.get("tags", []),
        "creation_time": now(),
        "last_update_time": now(),
    }
    return {"experiment_id": number}


def now() -> int:
    return int(time.time() * 1000)


def experiment(workspace: Workspace, number: str) -> dict[str, Any]:
    found = workspace.table("experiments").get(number)
    if found is None or found["lifecycle_stage"] != "active":
        raise missing(f"Experiment with id '{number}'")
    return found


@route("GET", API + "experiments/get")
def get_experiment(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"experiment": experiment(workspace, request.query.get("experiment_id") or request.body.get("experiment_id", ""))}


@route("GET", API + "experiments/get-by-name")
def get_experiment_by_name(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    name = clean(request.query.get("experiment_name") or request.body.get("experiment_name", ""))
    for found in workspace.table("experiments").values():
        if found["name"] == name and found["lifecycle_stage"] == "active":
            return {"experiment": found}
    raise missing(f"Experiment with name '{name}'")


@route("POST", API + "experiments/(delete|update|set-experiment-tag)")
def change_experiment(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    found = experiment(workspace, request.body["experiment_id"])
    if match[1] == "delete":
        found["lifecycle_stage"] = "deleted"
    elif match[1] == "update":
        found["name"] = request.body["new_name"]
    else:
        found["tags"].append({"key": request.body["key"], "value": request.body["value"]})


@route("POST", API + "runs/create")
def create_run(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    body = request.body
    found = experiment(workspace, body["experiment_id"])
    number = uuid.uuid4().hex
    info = {
        "run_id": number,
        "run_uuid": number,
        "run_name": body.get("run_name", ""),
        "experiment_id": body["experiment_id"],
        "status": "RUNNING",
        "start_time": body.get("start_time", now()),
        "artifact_uri": f"{found['artifact_location']}/{number}/artifacts",
        "lifecycle_stage": "active",
    }
    data: dict[str, Any] = {"metrics": [], "params": [], "tags": list(body.get("tags") or [])}
    workspace.table("runs")[number] = {"info": info, "data": data, "inputs": {}}
    return {"run": workspace.table("runs")[number]}


def run(workspace: Workspace, number: str) -> dict[str, Any]:
    if number not in workspace.table("runs"):
        raise missing(f"Run '{number}'")
    return workspace.table("runs")[number]


@route("GET", API + "runs/get")
def get_run(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"run": run(workspace, request.query.get("run_id") or request.body.get("run_id", ""))}


@route("POST", API + "runs/update")
def update_run(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    info = run(workspace, request.body["run_id"])["info"]
    info.update({k: v for k, v in request.body.items() if k in ("status", "end_time", "run_name")})
    return {"run_info": info}


@route("POST", API + "runs/delete")
def delete_run(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    run(workspace, request.body["run_id"])["info"]["lifecycle_stage"] = "deleted"


@route("POST", API + "runs/(log-batch|log-metric|log-parameter|set-tag|log-inputs)")
def log(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    body = request.body
    data = run(workspace, body["run_id"])["data"]
    given = {
        "log-batch": {kind: body.get(kind, []) for kind in ("metrics", "params", "tags")},
        "log-metric": {"metrics": [{k: body.get(k) for k in ("key", "value", "timestamp", "step")}]},
        "log-parameter": {"params": [{"key": body.get("key"), "value": body.get("value")}]},
        "set-tag": {"tags": [{"key": body.get("key"), "value": body.get("value")}]},
    }.get(match[1], {})
    for kind, entries in given.items():
        for entry in entries:
            data[kind] = [old for old in data[kind] if old["key"] != entry["key"]] + [entry]


@route("POST", API + "runs/search")
def search_runs(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    wanted = set(request.body.get("experiment_ids", []))
    terms = re.findall(r"tags\.`?([\w.]+)`?\s*=\s*'([^']*)'", request.body.get("filter", ""))
    found = []
    for entry in workspace.table("runs").values():
        tags = {tag["key"]: tag["value"] for tag in entry["data"]["tags"]}
        active = entry["info"]["lifecycle_stage"] == "active"
        if active and entry["info"]["experiment_id"] in wanted and all(tags.get(key) == value for key, value in terms):
            found.append(entry)
    return {"runs": sorted(found, key=lambda entry: -entry["info"]["start_time"])}
