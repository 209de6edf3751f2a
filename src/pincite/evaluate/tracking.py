"""Runs logged to MLflow: parameters, metrics, a table of the questions, table versions and the digest of the data.

A local store is one SQLite file. MLflow itself makes it, once: importing MLflow takes longer than a whole demo run, so the
empty store is kept in the cache, copied, and the runs are written into its tables directly. Any other tracking server, and a
store whose tables are not the ones known here, goes through MLflow's client. MLflow reads both alike, which a test checks.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from pincite.errors import TableError, UsageError
from pincite.model import digest

KEY = "pincite.run_key"
TABLE = "questions.json"


class Run(NamedTuple):
    """One run to log. Metrics are plain numbers; ``columns`` and ``rows`` are the per-question table."""

    name: str
    parameters: Mapping[str, str]
    metrics: Mapping[str, float]
    tags: Mapping[str, str]
    data: str  # name of the data set
    data_digest: str  # SHA-256
    columns: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]

    @property
    def key(self) -> str:
        """Equal for runs that would show the same: data, table versions, parameters and results."""
        parts = (self.parameters, self.metrics, self.tags, {"data": self.data, "digest": self.data_digest})
        return digest(self.name, *(json.dumps(dict(part), sort_keys=True) for part in parts), self.columns, self.rows)


class Logged(NamedTuple):
    """``run_id`` of the run that shows this; ``new`` says whether it was written now."""

    name: str
    run_id: str
    new: bool


def log(runs: Sequence[Run], experiment: str, store: Path | str) -> list[Logged]:
    """Log *runs* under *experiment*; one whose key is there already is left as it is.

    *store* is the path of a local SQLite store, or an MLflow tracking URI. ``UsageError`` where MLflow is not installed,
    ``TableError`` where the store cannot be written.
    """
    if isinstance(store, str):
        return [_log_by_client(run, experiment, store) for run in runs]
    if not store.exists():
        _copy(template(), store)
    if not _is_known(store):
        return [_log_by_client(run, experiment, f"sqlite:///{store.resolve()}") for run in runs]
    try:
        return _log_directly(runs, experiment, store)
    except sqlite3.Error as error:
        raise TableError(f"the run cannot be logged ({error})", where=str(store), next="free the file and repeat") from error


# --- the empty store -------------------------------------------------------------------------------------------------

_MAKE = """
import sys
from mlflow.store.tracking.sqlalchemy_store import SqlAlchemyStore
SqlAlchemyStore("sqlite:///" + sys.argv[1], "mlflow-artifacts:/")
"""


def template() -> Path:
    """An empty store of the installed MLflow, made by it at the first call (some seconds) and kept in the cache."""
    from pincite.index.models import cache_folder

    try:
        path = cache_folder() / "mlflow" / f"{version('mlflow')}.sqlite"
    except PackageNotFoundError:
        raise UsageError("MLflow is not installed, so runs cannot be tracked", next="pip install 'pincite[local]'") from None
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
        fresh = Path(scratch) / "store.sqlite"
        made = subprocess.run([sys.executable, "-c", _MAKE, str(fresh)], capture_output=True, text=True, check=False)
        if made.returncode:
            reason = (made.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise TableError(f"MLflow could not make its store ({reason})", where=str(path), next="check the installation")
        os.replace(fresh, path)
    return path


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}")
    shutil.copyfile(source, part)
    os.replace(part, target)


# --- directly --------------------------------------------------------------------------------------------------------

_WRITTEN = {
    "experiments": "name artifact_location lifecycle_stage creation_time last_update_time",
    "runs": "run_uuid name source_type source_name entry_point_name user_id status start_time end_time source_version "
    "lifecycle_stage artifact_uri experiment_id",
    "params": "key value run_uuid",
    "metrics": "key value timestamp run_uuid step is_nan",
    "latest_metrics": "key value timestamp step is_nan run_uuid",
    "tags": "key value run_uuid",
    "datasets": "dataset_uuid experiment_id name digest dataset_source_type dataset_source",
    "inputs": "input_uuid source_type source_id destination_type destination_id",
    "input_tags": "input_uuid name value",
}
"""The columns filled here; MLflow must know each, and may demand no other."""


def _is_known(store: Path) -> bool:
    """Whether every column written here exists, and no other must be given."""
    with sqlite3.connect(store) as connection:
        for table, names in _WRITTEN.items():
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            demanded = {name for _, name, _, needed, default, key in columns if (needed or key) and default is None}
            if table == "experiments":
                demanded.discard("experiment_id")  # SQLite numbers it
            if not demanded <= set(names.split()) <= {column[1] for column in columns}:
                return False
    connection.close()
    return True


def _log_directly(runs: Sequence[Run], experiment: str, store: Path) -> list[Logged]:
    connection = sqlite3.connect(store, timeout=60, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")  # two runs at once: the second sees the first's
        number, artifacts = _experiment(connection, experiment, store.resolve().parent / "mlartifacts")
        found = [_logged(connection, run, number) or _write(connection, run, number, artifacts) for run in runs]
        connection.execute("COMMIT")
    finally:
        connection.close()
    return found


def _insert(connection: sqlite3.Connection, table: str, *rows: tuple[object, ...], kind: str = "INSERT") -> None:
    names = _WRITTEN[table].split()
    marks = ",".join("?" * len(names))
    connection.executemany(f"{kind} INTO {table} ({','.join(names)}) VALUES ({marks})", rows)


def _experiment(connection: sqlite3.Connection, name: str, artifacts: Path) -> tuple[int, Path]:
    """The experiment's number and the folder of its artifacts; made where there is none."""
    found = connection.execute("SELECT experiment_id FROM experiments WHERE name = ?", (name,)).fetchone()
    if found is None:
        now = _now()
        _insert(connection, "experiments", (name, "", "active", now, now))
        found = connection.execute("SELECT experiment_id FROM experiments WHERE name = ?", (name,)).fetchone()
        location = (artifacts / str(found[0])).as_uri()
        connection.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = ?", (location, found[0]))
    return int(found[0]), artifacts / str(found[0])


def _logged(connection: sqlite3.Connection, run: Run, experiment: int) -> Logged | None:
    found = connection.execute(
        "SELECT run_uuid FROM tags JOIN runs USING (run_uuid) "
        "WHERE key = ? AND value = ? AND experiment_id = ? AND lifecycle_stage = 'active'",
        (KEY, run.key, experiment),
    ).fetchone()
    return Logged(run.name, found[0], False) if found else None


def _write(connection: sqlite3.Connection, run: Run, experiment: int, artifacts: Path) -> Logged:
    run_id, now, user = uuid.uuid4().hex, _now(), os.environ.get("USER", "pincite")
    folder = artifacts / run_id / "artifacts"
    folder.mkdir(parents=True)
    (folder / TABLE).write_text(_table(run), encoding="utf-8", newline="\n")
    _insert(
        connection,
        "runs",
        (run_id, run.name, "LOCAL", "pincite", "", user, "FINISHED", now, now, "", "active", folder.as_uri(), experiment),
    )
    _insert(connection, "params", *((key, value, run_id) for key, value in run.parameters.items()))
    _insert(connection, "metrics", *((key, value, now, run_id, 0, 0) for key, value in run.metrics.items()))
    _insert(connection, "latest_metrics", *((key, value, now, 0, 0, run_id) for key, value in run.metrics.items()))
    tags = {**_tags(run), "mlflow.user": user, "mlflow.source.name": "pincite", "mlflow.source.type": "LOCAL"}
    _insert(connection, "tags", *((key, value, run_id) for key, value in tags.items()))
    _data(connection, run, run_id, experiment)
    return Logged(run.name, run_id, True)


def _data(connection: sqlite3.Connection, run: Run, run_id: str, experiment: int) -> None:
    """The data set as MLflow's run page shows it; its digest holds 36 characters, the tag ``pincite.data_digest`` all."""
    short = run.data_digest[:36]
    fresh, source = uuid.uuid4().hex, json.dumps({"uri": run.data})
    _insert(connection, "datasets", (fresh, experiment, run.data, short, "local", source), kind="INSERT OR IGNORE")
    (dataset,) = connection.execute(
        "SELECT dataset_uuid FROM datasets WHERE experiment_id = ? AND name = ? AND digest = ?", (experiment, run.data, short)
    ).fetchone()
    link = uuid.uuid4().hex
    _insert(connection, "inputs", (link, "DATASET", dataset, "RUN", run_id))
    _insert(connection, "input_tags", (link, "mlflow.data.context", "evaluation"))


def _tags(run: Run) -> dict[str, str]:
    return {
        "mlflow.runName": run.name,
        "mlflow.loggedArtifacts": json.dumps([{"path": TABLE, "type": "table"}]),
        "pincite.data_digest": run.data_digest,
        KEY: run.key,
        **run.tags,
    }


def _table(run: Run) -> str:
    """The per-question table in the form of ``mlflow.log_table``."""
    return json.dumps({"columns": run.columns, "data": run.rows}, ensure_ascii=False)


def _now() -> int:
    return int(time.time() * 1000)


# --- by MLflow's client ----------------------------------------------------------------------------------------------


def _log_by_client(run: Run, experiment: str, uri: str) -> Logged:
    try:
        from mlflow import MlflowClient
        from mlflow.entities import Metric, Param, RunTag
    except ImportError:
        raise UsageError("MLflow is not installed, so runs cannot be tracked", next="pip install 'pincite[local]'") from None
    client = MlflowClient(tracking_uri=uri)
    known = client.get_experiment_by_name(experiment)
    number = known.experiment_id if known else client.create_experiment(experiment)
    for same in client.search_runs([number], filter_string=f"tags.`{KEY}` = '{run.key}'", max_results=10):
        if same.info.status == "FINISHED":
            return Logged(run.name, same.info.run_id, False)
        client.delete_run(same.info.run_id)  # it was killed while it was being logged: it is logged again, whole
    run_id = client.create_run(number, run_name=run.name).info.run_id
    now = _now()
    client.log_batch(
        run_id,
        metrics=[Metric(key, value, now, 0) for key, value in run.metrics.items()],
        params=[Param(key, value) for key, value in run.parameters.items()],
        tags=[RunTag(key, value) for key, value in _tags(run).items()],
    )
    client.log_text(run_id, _table(run), TABLE)
    client.set_terminated(run_id)
    return Logged(run.name, run_id, True)
