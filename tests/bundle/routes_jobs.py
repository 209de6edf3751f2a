"""Jobs, and running them: wheel tasks in ``depends_on`` order, each in a fresh interpreter, parameters expanded.

What the platform gives a task, and no more: the installed wheel, a Spark Connect session over the workspace's catalog, the
credentials of the run, and ``/Volumes`` and ``/Workspace`` (here folders of the workspace, so the paths in parameters are
moved there when they are expanded). The working directory is somewhere else.
"""

from __future__ import annotations

import compileall
import os
import re
import resource
import subprocess
import sys
import threading
import time
import uuid
import zipfile
from pathlib import Path
from typing import Any

from routes_files import place
from warm import Warm
from workspace import Refused, Request, Workspace, missing, route

HERE = Path(__file__).resolve().parent
API = r"/api/2\.[0-2]/jobs/"
MOUNTED = re.compile(r"^/(Volumes|Workspace)/")
OUTPUT_LIMIT = 5_000_000


@route("POST", API + "create")
def create(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    number = 500 + len(workspace.table("jobs"))
    workspace.table("jobs")[number] = {"job_id": number, "settings": request.body, "created_time": 1, "creator_user_name": "x"}
    return {"job_id": number}


def job(workspace: Workspace, number: int) -> dict[str, Any]:
    if number not in workspace.table("jobs"):
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"Job {number} does not exist.")
    return workspace.table("jobs")[number]


@route("GET", API + "get")
def get(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    number = int(request.query["job_id"])
    if number not in workspace.table("jobs"):
        raise missing(f"Job {number}")
    return workspace.table("jobs")[number]


@route("GET", API + "list")
def list_jobs(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    return {"jobs": list(workspace.table("jobs").values()), "has_more": False}


@route("POST", API + "(reset|update)")
def reset(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    found = job(workspace, request.body["job_id"])
    new = request.body["new_settings"]
    found["settings"] = new if match[1] == "reset" else {**found["settings"], **new}


@route("POST", API + "delete")
def delete(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    job(workspace, request.body["job_id"])
    del workspace.table("jobs")[request.body["job_id"]]


@route("POST", API + "run-now")
def run_now(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    settings = job(workspace, request.body["job_id"])["settings"]
    known = {p["name"]: p.get("default", "") for p in settings.get("parameters", [])}
    given = request.body.get("job_parameters") or {}
    if unknown := sorted(set(given) - set(known)):
        raise Refused(400, "INVALID_PARAMETER_VALUE", f"Job parameters {unknown} are not defined in the job")
    number = 70000 + len(workspace.table("job_runs"))
    only = request.body.get("only") or [task["task_key"] for task in settings["tasks"]]
    settings = {**settings, "tasks": _only(settings["tasks"], only)}
    tasks = [
        {"run_id": number * 100 + i, "task_key": task["task_key"], "state": {"life_cycle_state": "PENDING"}}
        for i, task in enumerate(settings["tasks"])
    ]
    run = {"run_id": number, "job_id": request.body["job_id"], "run_name": settings.get("name", ""), "tasks": tasks}
    before = [other for other in workspace.table("job_runs").values() if other["job_id"] == run["job_id"] and _going(other)]
    waiting = len(before) >= int(settings.get("max_concurrent_runs", 1))
    run.update(state={"life_cycle_state": "QUEUED" if waiting else "PENDING"}, start_time=1)
    run["run_page_url"] = f"{workspace.url}/jobs/runs/{number}"
    workspace.table("job_runs")[number] = run
    if waiting and not (settings.get("queue") or {}).get("enabled"):
        run["state"] = {"life_cycle_state": "SKIPPED", "result_state": "CANCELED", "state_message": "Max concurrent runs"}
    else:
        arguments = (workspace, settings, run, {**known, **given}, before if waiting else [])
        threading.Thread(target=_run, args=arguments, daemon=True).start()
    return {"run_id": number}


def _going(run: dict[str, Any]) -> bool:
    return run["state"]["life_cycle_state"] in ("PENDING", "RUNNING", "QUEUED")


def _only(tasks: list[dict[str, Any]], keys: list[str]) -> list[dict[str, Any]]:
    """The tasks named, depending on each other only."""
    return [
        {**task, "depends_on": [d for d in task.get("depends_on", []) if d["task_key"] in keys]}
        for task in tasks
        if task["task_key"] in keys
    ]


@route("GET", API + "runs/get")
def get_run(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    number = int(request.query["run_id"])
    if number not in workspace.table("job_runs"):
        raise missing(f"Run {number}")
    return workspace.table("job_runs")[number]


@route("GET", API + "runs/get-output")
def get_output(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    output = workspace.table("outputs").get(int(request.query["run_id"]))
    if output is None:
        raise missing(f"Run {request.query['run_id']}")
    return output


@route("POST", API + "runs/cancel")
def cancel(workspace: Workspace, request: Request, match: re.Match[str]) -> Any:
    for task in workspace.table("processes").values():
        task.kill()


# --- running --------------------------------------------------------------------------------------------------------


def _run(
    workspace: Workspace,
    settings: dict[str, Any],
    run: dict[str, Any],
    parameters: dict[str, str],
    before: list[dict[str, Any]],
) -> None:
    """The tasks in the order of their needs, once the runs *before* this one have ended."""
    while any(_going(other) for other in before):
        time.sleep(0.05)
    run["started"] = time.monotonic()
    run["state"] = {"life_cycle_state": "RUNNING"}
    done: dict[str, bool] = {}
    entries = {entry["task_key"]: entry for entry in run["tasks"]}
    left = {task["task_key"]: task for task in settings["tasks"]}
    while left:
        ready = [key for key, task in left.items() if all(d["task_key"] in done for d in task.get("depends_on", []))]
        if not ready:
            raise AssertionError(f"the tasks {sorted(left)} can never start")
        for key in ready:
            task = left.pop(key)
            upstream = all(done[d["task_key"]] for d in task.get("depends_on", []))
            done[key] = upstream and _run_task(workspace, settings, task, entries[key], run, parameters)
            if not upstream:
                entries[key]["state"] = {"life_cycle_state": "SKIPPED", "result_state": "UPSTREAM_FAILED", "state_message": ""}
    good = all(done.values())
    failed = [key for key, entry in entries.items() if entry["state"].get("result_state") == "FAILED"]
    run["end_time"], run["ended"] = 2, time.monotonic()
    run["state"] = (
        {"life_cycle_state": "TERMINATED", "result_state": "SUCCESS", "state_message": ""}
        if good
        else {"life_cycle_state": "INTERNAL_ERROR", "result_state": "FAILED", "state_message": f"Task {failed[0]} failed"}
    )


def _run_task(
    workspace: Workspace,
    settings: dict[str, Any],
    task: dict[str, Any],
    entry: dict[str, Any],
    run: dict[str, Any],
    parameters: dict[str, str],
) -> bool:
    """One task with its retries; a retry waits no longer than a test can."""
    entry["state"] = {"life_cycle_state": "RUNNING"}
    site = install(workspace, settings, task["environment_key"])
    wheel = task["python_wheel_task"]
    values = {**{f"job.parameters.{k}": v for k, v in parameters.items()}, "job.run_id": str(run["run_id"])}
    arguments = [f"--{name}={expand(workspace, value, values)}" for name, value in wheel.get("named_parameters", {}).items()]
    arguments += [expand(workspace, value, values) for value in wheel.get("parameters", [])]
    retries = workspace.state.get("retries", task.get("max_retries", 0))
    for attempt in range(1 + int(retries)):  # type: ignore[call-overload]
        started, spent = time.monotonic(), cpu_of_children()
        code, output, errors = _launch(workspace, site, task["task_key"], wheel, arguments)
        entry["seconds"], entry["cpu_seconds"] = time.monotonic() - started, cpu_of_children() - spent
        entry["attempt_number"] = attempt
        if code == 0:
            break
    good = code == 0
    last = errors.strip().splitlines()[-1] if errors.strip() else ""
    workspace.table("outputs")[entry["run_id"]] = {
        "logs": output[-OUTPUT_LIMIT:],
        **({} if good else {"error": last, "error_trace": errors}),
        "metadata": {"run_id": entry["run_id"]},
    }
    entry["state"] = {
        "life_cycle_state": "TERMINATED" if good else "INTERNAL_ERROR",
        "result_state": "SUCCESS" if good else "FAILED",
        "state_message": "" if good else last,
    }
    return good


def cpu_of_children() -> float:
    """Processor seconds of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _environment(workspace: Workspace, site: Path) -> dict[str, str]:
    environment = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR", "OPENBLAS_CORETYPE")}
    if hold := workspace.state.get("hold"):
        environment["TESTWORKSPACE_HOLD"] = str(hold)
    return environment | {
        "PYTHONPATH": os.pathsep.join([str(site), str(HERE)]),
        "DATABRICKS_HOST": workspace.url,
        "DATABRICKS_TOKEN": workspace.token,
        "MLFLOW_TRACKING_URI": "databricks",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "DATABRICKS_RUNTIME_VERSION": "client.5.0",
        "SPARK_REMOTE": f"sc://127.0.0.1:{engine(workspace, site)}",
        "TESTWORKSPACE_FOLDER": str(workspace.folder),
        "PYTHONWARNINGS": "ignore",
    }


def statements(workspace: Workspace, job_id: int, texts: list[str]) -> None:
    """Run SQL statements in a session of the workspace, as its SQL editor does."""
    settings = job(workspace, job_id)["settings"]
    site = install(workspace, settings, settings["environments"][0]["environment_key"])
    command = [sys.executable, "-m", "session", "--sql", *texts]
    done = subprocess.run(command, env=_environment(workspace, site), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def _launch(workspace: Workspace, site: Path, key: str, wheel: dict[str, Any], arguments: list[str]) -> tuple[int, str, str]:
    elsewhere = workspace.folder / "cwd"
    elsewhere.mkdir(exist_ok=True)
    command = [wheel["package_name"], wheel["entry_point"], *arguments]
    process = _start(workspace, command, _environment(workspace, site), elsewhere)
    workspace.table("processes")[key] = process
    if killer := workspace.state.get("kill"):
        killer(key, process)  # type: ignore[operator]
    output, errors = process.communicate()
    return process.returncode, output, errors


def _start(workspace: Workspace, command: list[str], environment: dict[str, str], folder: Path) -> Any:
    """The task's process: a fresh interpreter, or a child of a warm one where the workspace is told that it may be."""
    if workspace.state.get("warm"):
        return Warm(command, environment, folder, folder / uuid.uuid4().hex)
    return subprocess.Popen(
        [sys.executable, "-m", "session", *command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def expand(workspace: Workspace, text: str, values: dict[str, str]) -> str:
    """``{{name}}`` replaced; a path of a volume or of the workspace moved to where they are mounted here."""
    for name, value in values.items():
        text = text.replace("{{" + name + "}}", value)
    if "{{" in text:
        raise AssertionError(f"{text} has a value the platform does not know")
    here = workspace.folder / text.lstrip("/")
    return str(here) if MOUNTED.match(text) and here.exists() else text


def install(workspace: Workspace, settings: dict[str, Any], environment_key: str) -> Path:
    """Unpack the environment's wheel, once; its pinned dependencies are those of the test environment."""
    spec = next(e["spec"] for e in settings["environments"] if e["environment_key"] == environment_key)
    wheel = next(line for line in spec["dependencies"] if line.endswith(".whl"))
    path = place(workspace, wheel)
    site = workspace.folder / "sites" / f"{path.stem}-{path.stat().st_mtime_ns}"
    if not site.is_dir():
        with zipfile.ZipFile(path) as archive:
            archive.extractall(site)
        compileall.compile_dir(site, quiet=2)  # as an installation does
    return site


def engine(workspace: Workspace, site: Path) -> int:
    """The port of the workspace's embedded engine, started at first use."""
    found = workspace.table("engine")
    if "port" not in found:
        found["port"], process = start_engine(site)
        workspace.closing.append(lambda: stop_process(process))
    return int(found["port"])


def start_engine(site: Path) -> tuple[int, subprocess.Popen[str]]:
    """The embedded engine in a process of its own, with the catalogs ``main`` and ``acme``: its port and the process."""
    catalogs = ", ".join(f'{{name="{name}", type="memory", initial_database=["default"]}}' for name in ("main", "acme"))
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "SAIL_"))}
    environment |= {
        "PYTHONPATH": str(site),
        "RUST_LOG": "off",
        "SAIL_CATALOG__LIST": f"[{catalogs}]",
        "SAIL_CATALOG__DEFAULT_CATALOG": "main",
    }
    code = (
        "import sys; from pysail.spark import SparkConnectServer as S; s = S('127.0.0.1', 0); s.start(background=True); "
        "print(s.listening_address[1], flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return int(process.stdout.readline()), process


def stop_process(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()
