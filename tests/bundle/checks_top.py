"""What stands above the resources: the bundle's own keys, variables, artifacts, targets and what they change.

``databricks-bundles`` has classes for resources only; a mistyped key here is a warning of the CLI, at most.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

FIELDS = {
    "bundle": {"name", "uuid", "engine", "databricks_cli_version", "deployment", "git", "cluster_id"},
    "variable": {"default", "description", "type", "lookup"},
    "lookup": {
        "alert", "cluster", "cluster_policy", "dashboard", "instance_pool", "job", "metastore", "notification_destination",
        "pipeline", "query", "service_principal", "warehouse",
    },
    "artifact": {"type", "build", "path", "files", "dynamic_version", "executable"},
    "target": {
        "artifacts", "bundle", "cluster_id", "default", "git", "mode", "permissions", "presets", "resources", "run_as", "sync",
        "variables", "workspace",
    },
    "presets": {
        "name_prefix", "tags", "jobs_max_concurrent_runs", "trigger_pause_status", "pipelines_development",
        "source_linked_deployment", "artifacts_dynamic_version",
    },
    "workspace": {"root_path", "file_path", "artifact_path", "state_path", "resource_path", "profile"},
    "sync": {"include", "exclude", "paths"},
    "run_as": {"service_principal_name", "user_name"},
}  # fmt: skip
"""Fields that may be written. ``workspace.host`` is left out: it belongs in the deployer's profile."""
LEVELS = frozenset({"CAN_VIEW", "CAN_RUN", "CAN_MANAGE"})
PRINCIPALS = frozenset({"user_name", "group_name", "service_principal_name"})


def repeated_keys(text: str) -> Iterator[str]:
    """Keys that a mapping has twice: YAML's reader silently keeps the last."""
    waiting = [yaml.compose(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            names = [key.value for key, _ in node.value]
            yield from (f"the key {name} occurs twice" for name in sorted(set(names)) if names.count(name) > 1)
            waiting += [value for _, value in node.value]
        elif isinstance(node, yaml.SequenceNode):
            waiting += node.value


def own_keys(bundle: Any) -> Iterator[str]:
    """Unknown fields of everything that is no resource, and what each kind needs."""
    config = bundle.config
    yield from _unknown("bundle", "bundle", config.get("bundle"))
    if not (config.get("bundle") or {}).get("name"):
        yield "databricks.yml: bundle has no name"
    for name, variable in (config.get("variables") or {}).items():
        yield from _unknown(f"variable {name}", "variable", variable)
        yield from _unknown(f"variable {name}", "lookup", (variable or {}).get("lookup"))
    for name, target in (config.get("targets") or {}).items():
        yield from _unknown(f"target {name}", "target", target)
        for key in ("presets", "workspace", "sync", "run_as"):
            yield from _unknown(f"target {name}, {key}", key, (target or {}).get(key))
        yield from _permissions(f"target {name}", (target or {}).get("permissions") or [])
    yield from _permissions("databricks.yml", config.get("permissions") or [])
    yield from _unknown("sync", "sync", config.get("sync"))
    for pattern in config.get("include") or []:
        if not list(bundle.root.glob(pattern)):
            yield f"databricks.yml: include {pattern} matches no file"


def _unknown(where: str, kind: str, given: Any) -> Iterator[str]:
    if given is not None and not isinstance(given, Mapping):
        yield f"databricks.yml: {where} must be a mapping"
        return
    yield from (f"databricks.yml: {where}: unknown field {name}" for name in sorted(set(given or {}) - FIELDS[kind]))


def _permissions(where: str, entries: list[Any]) -> Iterator[str]:
    for entry in entries:
        if entry.get("level") not in LEVELS:
            yield f"{where}: the permission level {entry.get('level')} is none of {', '.join(sorted(LEVELS))}"
        if len(set(entry) & PRINCIPALS) != 1 or set(entry) - PRINCIPALS - {"level"}:
            yield f"{where}: a permission names one user_name, group_name or service_principal_name"


def artifacts(bundle: Any) -> Iterator[str]:
    """A wheel is built, by a command, into the folder where the job's environment looks for it."""
    built: set[Path] = set()
    for name, artifact in (bundle.config.get("artifacts") or {}).items():
        yield from _unknown(f"artifact {name}", "artifact", artifact)
        if artifact.get("type") != "whl":
            yield f"databricks.yml: artifact {name} is of type {artifact.get('type')}, not whl"
        if not artifact.get("build"):
            yield f"databricks.yml: artifact {name} has no build command"
        built.add((bundle.root / artifact.get("path", ".") / "dist").resolve())
    for key, job, file in bundle.jobs:
        for environment in job.get("environments") or []:
            for line in (environment.get("spec") or {}).get("dependencies") or []:
                if line.endswith(".whl") and (file.parent / line).parent.resolve() not in built:
                    yield f"jobs.{key}: {line} is not where an artifact's wheel is built"


def target_resources(bundle: Any) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """(target, kind, key, resource) for every resource that a target changes, as it is then."""
    for target, value in (bundle.config.get("targets") or {}).items():
        for kind, entries in ((value or {}).get("resources") or {}).items():
            for key, change in entries.items():
                yield target, kind, key, merged(bundle.resources.get((kind, key), {}), change)


def merged(base: Any, change: Any) -> Any:
    """As the CLI merges a target's resource into the declared one: mappings by key, lists one after the other."""
    if isinstance(base, dict) and isinstance(change, dict):
        return {**copy.deepcopy(base), **{key: merged(base.get(key), value) for key, value in change.items()}}
    return [*base, *change] if isinstance(base, list) and isinstance(change, list) else change


def production(bundle: Any) -> Iterator[str]:
    """Production runs as a principal that must be named each time: a default would be deployed by whoever forgets it."""
    prod = (bundle.config.get("targets") or {}).get("prod") or {}
    principal = str((prod.get("run_as") or {}).get("service_principal_name", ""))
    if not principal:
        yield "databricks.yml: target prod does not say whom it runs as"
    name = principal.removeprefix("${var.").removesuffix("}")
    if "default" in ((bundle.config.get("variables") or {}).get(name) or {}) or name in (prod.get("variables") or {}):
        yield f"databricks.yml: variable {name} has a default, so production would run as it when nobody names one"


def limits(bundle: Any) -> Iterator[str]:
    """No task may run longer than the job; whoever is warned of a long run needs the rule that says what is long."""
    for key, job, _ in bundle.jobs:
        for task in job.get("tasks") or []:
            if task.get("timeout_seconds", 0) > job.get("timeout_seconds", 0):
                yield f"jobs.{key}.{task.get('task_key')}: its time limit is longer than the job's"
            if task.get("max_retries") and not task.get("min_retry_interval_millis"):
                yield f"jobs.{key}.{task.get('task_key')}: it is tried again without a pause"
        told = (job.get("email_notifications") or {}).get("on_duration_warning_threshold_exceeded")
        rules = (job.get("health") or {}).get("rules") or []
        if not told or not any(rule.get("metric") == "RUN_DURATION_SECONDS" for rule in rules):
            yield f"jobs.{key}: nobody is told of a run that takes long"


EVERYBODY = frozenset({"account users", "users", "all users", "all account users"})


def everybody(bundle: Any) -> Iterator[str]:
    """Documents may be internal: nobody reads them, or what tasks say of them, unless somebody names who may."""
    grants = [
        (f"{kind}.{key}", grant.get("principal"))
        for (kind, key), r in bundle.resources.items()
        for grant in r.get("grants", [])
    ]
    entries = [*(bundle.config.get("permissions") or [])]
    for target in (bundle.config.get("targets") or {}).values():
        entries += (target or {}).get("permissions") or []
    given = [*grants, *(("permissions", entry.get("group_name")) for entry in entries)]
    for name, variable in (bundle.config.get("variables") or {}).items():
        given.append((f"variable {name}", (variable or {}).get("default")))
    yield from (
        f"{where}: {who!r} are everybody, which nobody asked for" for where, who in given if str(who).lower() in EVERYBODY
    )


CHECKS = (own_keys, artifacts, production, limits, everybody)
