"""Workspace files (with the notebooks among them) and the files of volumes."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path
from typing import Any

from workspace import Raw, Refused, Request, Workspace, missing, route

NOTEBOOK_HEADER = b"# Databricks notebook source"


def place(workspace: Workspace, path: str) -> Path:
    """Where a workspace path lies on disk; ``/Users`` and ``/Workspace/Users`` name the same folder."""
    clean = path if path.startswith("/Workspace") else "/Workspace" + path
    return workspace.folder / clean.strip("/")


def object_id(workspace: Workspace, path: str) -> int:
    ids = workspace.table("object_ids")
    key = str(place(workspace, path))
    return int(ids.setdefault(key, 1000 + len(ids)))


def notebooks(workspace: Workspace) -> dict[str, Any]:
    return workspace.table("notebooks")


def status(workspace: Workspace, path: str) -> dict[str, Any]:
    there = place(workspace, path)
    shown = "/Workspace" + path if not path.startswith("/Workspace") else path
    common = {"path": shown, "object_id": object_id(workspace, path), "resource_id": str(object_id(workspace, path))}
    if str(there) in notebooks(workspace):
        return {**common, "object_type": "NOTEBOOK", "language": "PYTHON"}
    if there.is_dir():
        return {**common, "object_type": "DIRECTORY"}
    if there.is_file():
        return {**common, "object_type": "FILE", "size": there.stat().st_size}
    raise missing(f"Path ({path})")


@route("GET", r"/api/2\.0/workspace/get-status")
def get_status(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return status(workspace, request.query["path"])


@route("GET", r"/api/2\.0/workspace/list")
def list_folder(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    path = request.query["path"].rstrip("/")
    there = place(workspace, path)
    if not there.is_dir():
        raise missing(f"Path ({path})")
    return {"objects": [status(workspace, f"{path}/{child.name}") for child in sorted(there.iterdir())]}


@route("POST", r"/api/2\.0/workspace/mkdirs")
def mkdirs(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    place(workspace, request.body["path"]).mkdir(parents=True, exist_ok=True)


@route("POST", r"/api/2\.0/workspace/delete")
def delete(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    there = place(workspace, request.body["path"])
    if there.is_dir():
        if any(there.iterdir()) and not request.body.get("recursive"):
            raise Refused(400, "DIRECTORY_NOT_EMPTY", f"Folder ({request.body['path']}) is not empty")
        shutil.rmtree(there)
    elif there.is_file():
        there.unlink()
    else:
        raise missing(f"Path ({request.body['path']})")


@route("GET", r"/api/2\.0/workspace/export")
def export(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    there = place(workspace, request.query["path"])
    if not there.is_file():
        raise missing(f"Path ({request.query['path']})")
    if request.query.get("direct_download") == "true":
        return Raw(there.read_bytes(), {"Content-Type": "application/octet-stream"})
    return {"content": base64.b64encode(there.read_bytes()).decode()}


@route("POST", r"/api/2\.0/workspace-files/import-file/(.+)")
def import_file(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    path = "/" + match[1].lstrip("/")
    is_notebook = path.endswith(".py") and request.raw.startswith(NOTEBOOK_HEADER)
    there = place(workspace, path.removesuffix(".py") if is_notebook else path)
    if not there.parent.is_dir():
        raise missing(f"The parent folder ({path.rsplit('/', 1)[0]})")
    if there.exists() and request.query.get("overwrite") != "true":
        raise Refused(409, "RESOURCE_ALREADY_EXISTS", f"Path ({path}) already exists")
    there.write_bytes(request.raw)
    if is_notebook:
        notebooks(workspace)[str(there)] = True


# --- files of volumes ----------------------------------------------------------------------------------------------


def volume_file(workspace: Workspace, path: str) -> Path:
    """Where a file of a volume lies; 404 where the volume was never made."""
    parts = path.strip("/").split("/")
    if len(parts) < 4 or parts[0] != "Volumes":
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"{path} is not a path of a volume")
    if ".".join(parts[1:4]) not in workspace.table("volumes"):
        raise Refused(404, "NOT_FOUND", f"Volume '{'.'.join(parts[1:4])}' does not exist")
    return workspace.folder.joinpath(*parts)


@route("GET|HEAD", r"/api/2\.0/fs/files(/.+)")
def download(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    there = volume_file(workspace, match[1])
    if not there.is_file():
        raise Refused(404, "NOT_FOUND", f"The file {match[1]} does not exist")
    content = there.read_bytes()
    headers = {"Content-Type": "application/octet-stream", "Last-Modified": "Mon, 30 Nov 2026 08:00:00 GMT"}
    if request.method == "HEAD":
        return Raw(b"", {**headers, "Content-Length": str(len(content))})
    return Raw(content, headers)


@route("PUT", r"/api/2\.0/fs/files(/.+)")
def upload(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    there = volume_file(workspace, match[1])
    if there.exists() and request.query.get("overwrite") == "false":
        raise Refused(409, "ALREADY_EXISTS", f"The file {match[1]} exists")
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_bytes(request.raw)
    return Raw(b"", status=204)


@route("DELETE", r"/api/2\.0/fs/files(/.+)")
def remove(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    there = volume_file(workspace, match[1])
    if not there.is_file():
        raise Refused(404, "NOT_FOUND", f"The file {match[1]} does not exist")
    there.unlink()
    return Raw(b"", status=204)


@route("PUT", r"/api/2\.0/fs/directories(/.+)")
def make_directory(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    volume_file(workspace, match[1]).mkdir(parents=True, exist_ok=True)
    return Raw(b"", status=204)


@route("GET|HEAD", r"/api/2\.0/fs/directories(/.+)")
def list_directory(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    there = volume_file(workspace, match[1])
    if not there.is_dir():
        raise Refused(404, "NOT_FOUND", f"The directory {match[1]} does not exist")
    children = sorted(there.iterdir(), key=lambda child: child.name)
    size = int(request.query.get("page_size") or 2)  # small, so that paging is exercised
    first = int(request.query.get("page_token") or 0)
    contents = [
        {
            "path": f"{match[1].rstrip('/')}/{child.name}",
            "name": child.name,
            "is_directory": child.is_dir(),
            "file_size": 0 if child.is_dir() else child.stat().st_size,
            "last_modified": 1_790_000_000_000,
        }
        for child in children[first : first + size]
    ]
    answer: dict[str, Any] = {"contents": contents}
    if first + size < len(children):
        answer["next_page_token"] = str(first + size)
    return answer if request.method == "GET" else Raw(json.dumps({}).encode())
