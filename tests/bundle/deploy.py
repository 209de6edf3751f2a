"""Deploys the bundle to the fake workspace with the real SDK, for machines without the CLI.

Reads the YAML as it stands, resolves ``${…}`` as the CLI does for one target (the development prefixes included), builds the
wheel, uploads it with the synced files and makes every resource. It is no replacement of the CLI: it makes, it does not plan.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from checks import REFERENCE, load

USER, SHORT = "someone@example.com", "someone"


class Deployment:
    """One target of the bundle under *root* in the workspace of *client*."""

    def __init__(self, root: Path, client: Any, target: str = "dev", variables: dict[str, str] | None = None) -> None:
        self.bundle = load(root)
        self.root, self.client, self.target = root, client, target
        declared = self.bundle.config["variables"]
        own = self.bundle.config["targets"][target].get("variables") or {}
        defaults = {name: value.get("default", "00aa11bb22cc33dd") for name, value in declared.items()}
        self.variables = {**defaults, **own, **(variables or {})}
        self.base = f"/Workspace/Users/{USER}/.bundle/pincite/{target}"
        self.outputs: dict[str, str] = {}

    @property
    def development(self) -> bool:
        return self.target == "dev"

    # --- ${…}

    def value(self, name: str) -> str:
        head, _, rest = name.partition(".")
        if head == "var":
            return self.resolve(self.variables[rest])
        if head == "resources":
            kind, key, field = rest.split(".")
            return self.resource_field(kind, key, field)
        return {
            "bundle.name": "pincite",
            "bundle.target": self.target,
            "workspace.file_path": f"{self.base}/files",
            "workspace.root_path": self.base,
            "workspace.current_user.userName": USER,
            "workspace.current_user.short_name": SHORT,
        }[name]

    def resource_field(self, kind: str, key: str, field: str) -> str:
        text = self.resolve(self.bundle.resources[kind, key][field])
        return self.prefixed(kind, text) if field == "name" else text

    def prefixed(self, kind: str, name: str) -> str:
        """The name in development mode; volumes and Vector Search objects keep theirs."""
        if not self.development:
            return name
        if kind == "schemas":
            return f"dev_{SHORT}_{name}"
        if kind == "experiments":
            folder, _, last = name.rpartition("/")
            return f"{folder}/[dev {SHORT}] {last}"
        return f"[dev {SHORT}] {name}" if kind in ("jobs", "dashboards") else name

    def resolve(self, value: Any) -> Any:
        if isinstance(value, str):
            while match := REFERENCE.search(value):
                value = value[: match.start()] + self.value(match[1]) + value[match.end() :]
            return value
        if isinstance(value, dict):
            return {key: self.resolve(each) for key, each in value.items()}
        return [self.resolve(each) for each in value] if isinstance(value, list) else value

    # --- making

    def deploy(self, wheel: Path) -> int:
        """Make everything; the job's id."""
        self.make_objects()
        self._upload(wheel)
        return self._make_job(wheel)

    def make_objects(self) -> None:
        """Every resource but the job."""
        for (kind, _key), resource in sorted(self.bundle.resources.items(), key=lambda item: ORDER.index(item[0][0])):
            getattr(self, f"_make_{kind}")(self.resolve(resource))

    def _make_schemas(self, resource: dict[str, Any]) -> None:
        name = self.prefixed("schemas", resource["name"])
        self.client.schemas.create(catalog_name=resource["catalog_name"], name=name, comment=resource.get("comment"))

    def _make_volumes(self, resource: dict[str, Any]) -> None:
        from databricks.sdk.service.catalog import VolumeType

        self.client.volumes.create(
            catalog_name=resource["catalog_name"],
            schema_name=resource["schema_name"],
            name=resource["name"],
            volume_type=VolumeType(resource["volume_type"]),
        )

    def _make_experiments(self, resource: dict[str, Any]) -> None:
        self.client.experiments.create_experiment(name=self.prefixed("experiments", resource["name"]))

    def _make_vector_search_endpoints(self, resource: dict[str, Any]) -> None:
        from databricks.sdk.service.vectorsearch import EndpointType

        self.client.vector_search_endpoints.create_endpoint(
            name=resource["name"], endpoint_type=EndpointType(resource["endpoint_type"])
        )

    def _make_dashboards(self, resource: dict[str, Any]) -> None:
        from databricks.sdk.service.dashboards import Dashboard

        text = (self.root / "resources" / resource["file_path"]).read_text()
        name = self.prefixed("dashboards", resource["display_name"])
        self.client.lakeview.create(Dashboard(display_name=name, serialized_dashboard=text, parent_path=self.base))

    def _make_jobs(self, resource: dict[str, Any]) -> None:
        """Made last, when the wheel is there."""

    def _upload(self, wheel: Path) -> None:
        put(self.client, f"{self.base}/artifacts/.internal/{wheel.name}", wheel.read_bytes())
        for folder in ("conf",):
            for path in sorted((self.root / folder).rglob("*")):
                if path.is_file():
                    put(self.client, f"{self.base}/files/{path.relative_to(self.root).as_posix()}", path.read_bytes())

    def _make_job(self, wheel: Path) -> int:
        settings = self.resolve(self.bundle.resources["jobs", "ingest"])
        for environment in settings["environments"]:
            lines = environment["spec"]["dependencies"]
            uploaded = f"{self.base}/artifacts/.internal/{wheel.name}"
            environment["spec"]["dependencies"] = [uploaded if line.endswith(".whl") else line for line in lines]
        settings["name"] = self.prefixed("jobs", settings["name"])
        answer = self.client.api_client.do("POST", "/api/2.2/jobs/create", body=settings)
        return int(answer["job_id"])


ORDER = ["schemas", "volumes", "experiments", "vector_search_endpoints", "dashboards", "jobs"]


def put(client: Any, path: str, data: bytes) -> None:
    """One workspace file, with its folders."""
    client.workspace.mkdirs(path.rpartition("/")[0])
    client.api_client.do(
        "POST",
        f"/api/2.0/workspace-files/import-file{path}",
        query={"overwrite": "true"},
        data=io.BytesIO(data),
        headers={"Content-Type": "application/octet-stream"},
    )


def build_wheel(root: Path, folder: Path) -> Path:
    """The wheel, by the command that the bundle's artifact names."""
    emptied, _, command = load(root).config["artifacts"]["pincite"]["build"].partition(" && ")
    assert "rmtree('dist', True)" in emptied
    assert re.fullmatch(r"python -m build --wheel --no-isolation", command), command
    done = subprocess.run(
        [sys.executable, *command.split()[1:], "--outdir", str(folder), str(root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return next(folder.glob("*.whl"))
