"""Deployed bundles for the tests that run the job: one fake workspace and engine, a schema of its own for each."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpus import Corpus
from deploy import Deployment
from workspace import Workspace

TASKS = ["bootstrap", "verify", "author", "merge", "enrich", "sync", "evaluate"]
TABLES = ["documents", "partition", "nodes", "chunks", "relation_edges"]
TABLES += ["ingest_log", "enrichment_log", "health_log", "retrieval_log", "evaluation_log"]


class Home:
    """A deployed bundle with a corpus landed; runs the job and looks at what is there."""

    def __init__(self, workspace: Workspace, client: Any, deployment: Deployment, job_id: int, corpus: Corpus) -> None:
        self.workspace, self.client, self.deployment, self.job_id, self.corpus = workspace, client, deployment, job_id, corpus
        self.schema = "main." + deployment.resource_field("schemas", "pincite", "name")

    def run(self, only: Sequence[str] = TASKS, **parameters: str) -> dict[str, Any]:
        """Run the job, or some of its tasks, to its end."""
        return self.wait(self.start(only, **parameters))

    def wait(self, run_id: int) -> dict[str, Any]:
        """A started run, when it has ended."""
        while True:
            found: dict[str, Any] = self.client.api_client.do("GET", "/api/2.2/jobs/runs/get", query={"run_id": run_id})
            if found["state"]["life_cycle_state"] not in ("PENDING", "RUNNING", "QUEUED"):
                return found
            time.sleep(0.05)

    def start(self, only: Sequence[str] = TASKS, **parameters: str) -> int:
        """Start the job and go on; the run's number."""
        given = {"corpora": self.corpus.name, "dry_run": "false", **parameters}
        body = {"job_id": self.job_id, "job_parameters": given, "only": list(only)}
        return int(self.client.api_client.do("POST", "/api/2.2/jobs/run-now", body=body)["run_id"])

    def succeed(self, only: Sequence[str] = TASKS, **parameters: str) -> dict[str, list[dict[str, Any]]]:
        """Run the job, which must succeed; the lines each task reported."""
        run = self.run(only, **parameters)
        assert run["state"].get("result_state") == "SUCCESS", self.errors(run)
        return self.outputs(run)

    def outputs(self, run: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
        """The lines each task of a run reported."""
        logs = {task["task_key"]: self.workspace.table("outputs")[task["run_id"]]["logs"] for task in run["tasks"]}
        return {key: [json.loads(x) for x in log.splitlines() if x.startswith("{")] for key, log in logs.items()}

    def fail(self, task: str, only: Sequence[str] = (), **parameters: str) -> str:
        """Run the job, or *only* some tasks of it, which must fail in *task*; the last line of its trace."""
        asked = [name for name in TASKS if name in (only or [task])]
        run = self.run(asked, **parameters)
        states = {t["task_key"]: t["state"]["result_state"] for t in run["tasks"]}
        at = asked.index(task)
        assert [states[name] for name in asked[:at]] == ["SUCCESS"] * at, (states, self.errors(run))
        assert states[task] == "FAILED", (states, self.errors(run))
        assert all(states[name] == "UPSTREAM_FAILED" for name in asked[at + 1 :])
        failed = next(t for t in run["tasks"] if t["task_key"] == task)
        return str(self.workspace.table("outputs")[failed["run_id"]]["error"])

    def sql(self, *statements: str) -> None:
        """What an operator types into the SQL editor; ``{schema}`` is the deployment's."""
        from routes_jobs import statements as run

        run(self.workspace, self.job_id, [each.format(schema=self.schema) for each in statements])

    def times(self) -> dict[str, tuple[float, float]]:
        """Seconds on the clock and of processor time, of each task of the last run."""
        last = list(self.workspace.table("job_runs").values())[-1]
        return {task["task_key"]: (round(task["seconds"], 1), round(task["cpu_seconds"], 1)) for task in last["tasks"]}

    def errors(self, run: dict[str, Any]) -> list[str]:
        return [self.workspace.table("outputs").get(t["run_id"], {}).get("error_trace", "")[-1500:] for t in run["tasks"]]

    def folder(self, table: str) -> Path:
        return self.workspace.folder / "tables" / self.schema.replace(".", "/") / table

    def versions(self) -> dict[str, int]:
        """The version of every table that exists."""
        from deltalake import DeltaTable

        return {t: DeltaTable(str(self.folder(t))).version() for t in TABLES if (self.folder(t) / "_delta_log").is_dir()}

    def rows(self, table: str, *columns: str) -> list[dict[str, Any]]:
        from deltalake import DeltaTable

        found: list[dict[str, Any]] = (
            DeltaTable(str(self.folder(table))).to_pyarrow_table(columns=list(columns) or None).to_pylist()
        )
        return found

    @property
    def indexed(self) -> list[dict[str, Any]]:
        return self.workspace.table("rows").get(f"{self.schema}.passages", [])

    def state(self) -> Any:
        """Everything a run may change, without logs: rows by content, and what the index holds."""
        tables = {t: sorted(r["content_hash"] for r in self.rows(t, "content_hash")) for t in TABLES[:5]}
        return tables, sorted(row["chunk_id"] for row in self.indexed)


def make_home(workspace: Workspace, repository: Path, wheel: Path, schema: str) -> Home:
    from databricks.sdk import WorkspaceClient

    client = WorkspaceClient(host=workspace.url, token=workspace.token)
    variables = {"schema": schema, "search_endpoint": f"search-{schema}"}
    deployment = Deployment(repository, client, variables=variables)
    experiment = deployment.bundle.resources["experiments", "evaluation"]
    experiment["name"] = f"{experiment['name']}-{schema}"  # tests share one workspace
    job_id = deployment.deploy(wheel)
    corpus = Corpus(deployment, repository / "fixtures" / "ecfr")
    corpus.land()
    return Home(workspace, client, deployment, job_id, corpus)
