"""What no CLI catches in a bundle: every name that refers to another name, and the rules of serverless jobs.

``problems(root)`` reads ``databricks.yml`` and what it includes and yields one sentence per mistake. Schema mistakes (unknown
fields, wrong types, missing required fields) are found by ``databricks-bundles``' own classes; everything else is ours.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import checks_top
import yaml
from packaging.requirements import Requirement

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib  # type: ignore[no-redef]

CLASSES = {
    "jobs": ("databricks.bundles.jobs", "Job"),
    "schemas": ("databricks.bundles.schemas", "Schema"),
    "volumes": ("databricks.bundles.volumes", "Volume"),
    "experiments": ("databricks.bundles.experiments", "MlflowExperiment"),
    "dashboards": ("databricks.bundles.dashboards", "Dashboard"),
    "registered_models": ("databricks.bundles.registered_models", "RegisteredModel"),
    "vector_search_endpoints": ("databricks.bundles.vector_search_endpoints", "VectorSearchEndpoint"),
    "vector_search_indexes": ("databricks.bundles.vector_search_indexes", "VectorSearchIndex"),
}
SINGULAR = {kind: kind.removesuffix("es") if kind.endswith("xes") else kind.removesuffix("s") for kind in CLASSES}
TOP_LEVEL = frozenset(
    [
        "artifacts",
        "bundle",
        "environments",
        "experimental",
        "include",
        "permissions",
        "presets",
        "python",
        "resources",
        "run_as",
        "scripts",
        "sync",
        "targets",
        "variables",
        "workspace",
    ]
)
OUTPUTS = frozenset({"id", "url", "job_id", "dashboard_id", "experiment_id", "modified_status"})
BUILT_IN = re.compile(
    r"(bundle\.(name|target|git\.\w+)|workspace\.(root_path|file_path|artifact_path|state_path|host|current_user\.\w+))$"
)
DYNAMIC = frozenset(
    [
        "job.id",
        "job.name",
        "job.run_id",
        "job.repair_count",
        "job.start_time.iso_date",
        "job.start_time.iso_datetime",
        "task.name",
        "task.run_id",
        "task.execution_count",
        "workspace.id",
    ]
)
ENVIRONMENT_VERSIONS = frozenset("45")  # supported, with Python 3.12
PLATFORM_PACKAGES = frozenset({"numpy", "pandas", "pyarrow"})  # the environment version pins these itself
FORBIDDEN_PACKAGES = frozenset({"pyspark", "delta-spark", "databricks-connect"})
IDENTIFIER = re.compile(r"[A-Za-z0-9_]+$")
SECRETS = {
    "a host": re.compile(r"https?://|\b[\w-]+\.(?:azure)?databricks\.(?:com|net)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    "a credential": re.compile(r"\bdapi[0-9a-f]{8,}|\bdose[0-9a-f]{8,}|(?i:password|client_secret|\btoken)\s*[:=]\s*\S"),
    "a user": re.compile(r"[\w.+-]+@[\w-]+\.\w+|/Users/(?!\$\{)[\w.]"),
    "an id": re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b\d{12,}\b|\b[0-9a-f]{16}\b"),
}


@dataclass
class Bundle:
    """A bundle as it stands on disk; ``files`` says which file declares each resource, paths are relative to that file."""

    root: Path
    config: dict[str, Any]
    resources: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    files: dict[tuple[str, str], Path] = field(default_factory=dict)
    texts: dict[Path, str] = field(default_factory=dict)
    unreadable: list[str] = field(default_factory=list)
    project: dict[str, Any] = field(default_factory=dict)

    @property
    def jobs(self) -> Iterator[tuple[str, dict[str, Any], Path]]:
        for (kind, key), value in self.resources.items():
            if kind == "jobs":
                yield key, value, self.files[kind, key]


def load(root: Path) -> Bundle:
    """Read the bundle under *root*; a file that is no YAML becomes a problem, not an exception."""
    main = root / "databricks.yml"
    bundle = Bundle(root, {})
    bundle.config = _read(bundle, main)
    bundle.project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    included = sorted({path for pattern in bundle.config.get("include", []) for path in root.glob(pattern)})
    for path in [main, *included]:
        content = bundle.config if path == main else _read(bundle, path)
        for kind, entries in (content.get("resources") or {}).items():
            for key, value in entries.items():
                if (kind, key) in bundle.resources:
                    bundle.unreadable.append(f"{path.name}: {kind}.{key} is declared twice")
                bundle.resources[kind, key] = value
                bundle.files[kind, key] = path
    return bundle


def _read(bundle: Bundle, path: Path) -> dict[str, Any]:
    bundle.texts[path] = text = path.read_text()
    try:
        bundle.unreadable += [f"{path.name}: {problem}" for problem in checks_top.repeated_keys(text)]
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as fault:
        bundle.unreadable.append(f"{path.name}: not readable as YAML: {' '.join(str(fault).split())}")
        return {}


def problems(root: Path) -> list[str]:
    """Every mistake found in the bundle under *root*, one sentence each; an empty list for a sound one."""
    bundle = load(root)
    found = list(bundle.unreadable)
    for check in CHECKS:
        found += check(bundle)
    return found


# --- the schema, by databricks-bundles ------------------------------------------------------------------------------


def known_fields(bundle: Bundle) -> Iterator[str]:
    """Top-level keys, resource types, and each resource through ``from_dict``."""
    for key in bundle.config:
        if key not in TOP_LEVEL:
            yield f"databricks.yml: unknown top-level key {key!r}"
    for (kind, key), value in bundle.resources.items():
        if kind not in CLASSES:
            yield f"{kind}.{key}: unknown resource type"
            continue
        yield from _refused(f"{kind}.{key}", kind, value)
    for target, kind, key, value in checks_top.target_resources(bundle):
        if (kind, key) not in bundle.resources:
            yield f"databricks.yml: target {target} changes {kind}.{key}, which is not declared"
        else:
            yield from _refused(f"target {target}, {kind}.{key}", kind, value)


def _refused(where: str, kind: str, value: Any) -> Iterator[str]:
    module, name = CLASSES[kind]
    try:
        getattr(importlib.import_module(module), name).from_dict(value)
    except (TypeError, ValueError, KeyError, AttributeError) as fault:
        yield f"{where}: refused by databricks-bundles: {fault}"


def one_per_file(bundle: Bundle) -> Iterator[str]:
    """``KEY.TYPE.yml`` holds exactly the resource KEY of that type."""
    for (kind, key), path in bundle.files.items():
        expected = f"{key}.{SINGULAR.get(kind, kind)}.yml"
        if path.name != expected:
            yield f"{path.name}: holds {kind}.{key}, which belongs in {expected}"


def targets(bundle: Bundle) -> Iterator[str]:
    """dev and prod; the engine; what production needs."""
    if bundle.config.get("bundle", {}).get("engine") != "direct":
        yield "databricks.yml: bundle.engine is not 'direct', which the endpoint resource needs"
    declared = bundle.config.get("targets") or {}
    for name, mode in (("dev", "development"), ("prod", "production")):
        if (declared.get(name) or {}).get("mode") != mode:
            yield f"databricks.yml: target {name} has not mode {mode}"
    if not (declared.get("prod") or {}).get("workspace", {}).get("root_path"):
        yield "databricks.yml: target prod has no workspace.root_path, which production mode needs"


# --- names that refer to names --------------------------------------------------------------------------------------

REFERENCE = re.compile(r"\$\{([^}]*)\}")
PARAMETER = re.compile(r"\{\{\s*([^}]*?)\s*\}\}")


def strings(value: Any) -> Iterator[str]:
    """Every string in nested YAML, keys excluded."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


def references(bundle: Bundle) -> Iterator[str]:
    """``${var.x}``, ``${resources.t.k.f}``, ``${bundle.x}``, ``${workspace.x}``; and variables nobody uses."""
    variables = bundle.config.get("variables") or {}
    used: set[str] = set()
    everything = [("databricks.yml", bundle.config), *((f"{t}.{k}", v) for (t, k), v in bundle.resources.items())]
    for where, value in everything:
        for text in strings(value):
            for name in REFERENCE.findall(text):
                used.add(name)
                if not _refers(bundle, variables, name):
                    yield f"{where}: ${{{name}}} refers to nothing"
    for name, variable in variables.items():
        if f"var.{name}" not in used:
            yield f"databricks.yml: variable {name} is used nowhere"
        if not (variable or {}).get("description"):
            yield f"databricks.yml: variable {name} has no description"
    for target, value in (bundle.config.get("targets") or {}).items():
        for name in (value or {}).get("variables") or {}:
            if name not in variables:
                yield f"databricks.yml: target {target} sets the variable {name}, which is not declared"


def _refers(bundle: Bundle, variables: Mapping[str, Any], name: str) -> bool:
    head, _, rest = name.partition(".")
    if head == "var":
        return rest in variables
    if head == "resources":
        parts = rest.split(".")
        resource = bundle.resources.get((parts[0], parts[1])) if len(parts) >= 3 else None
        return resource is not None and (parts[2] in resource or parts[2] in OUTPUTS)
    return BUILT_IN.match(name) is not None


def job_parameters(bundle: Bundle) -> Iterator[str]:
    """``{{job.parameters.x}}`` is declared, every declared one is used, other ``{{...}}`` are values the platform knows."""
    for key, job, _ in bundle.jobs:
        names = [parameter.get("name") for parameter in job.get("parameters") or []]
        yield from (f"jobs.{key}: parameter {name} is declared twice" for name in _repeated(names))
        used: set[str] = set()
        for task in job.get("tasks") or []:
            for text in strings(task):
                for value in PARAMETER.findall(text):
                    used.add(value)
                    known = value in DYNAMIC or (value.removeprefix("job.parameters.") in names and "parameters" in value)
                    if not known:
                        yield f"jobs.{key}.{task.get('task_key')}: {{{{{value}}}}} is no parameter of the job"
        yield from (
            f"jobs.{key}: parameter {name} is used by no task" for name in names if f"job.parameters.{name}" not in used
        )


def task_graph(bundle: Bundle) -> Iterator[str]:
    """Unique task keys, ``depends_on`` that exist, no cycle."""
    for key, job, _ in bundle.jobs:
        tasks = job.get("tasks") or []
        keys = [task.get("task_key") for task in tasks]
        yield from (f"jobs.{key}: task_key {name} occurs twice" for name in _repeated(keys))
        needs = {task.get("task_key"): [d.get("task_key") for d in task.get("depends_on") or []] for task in tasks}
        for name, upstream in needs.items():
            yield from (f"jobs.{key}.{name}: depends_on {u}, which is no task of the job" for u in upstream if u not in needs)
        if stuck := sorted(_stuck(needs)):
            yield f"jobs.{key}: the tasks {', '.join(stuck)} depend on each other in a cycle"


def _repeated(names: Iterable[Any]) -> list[str]:
    names = list(names)
    return sorted({name for name in names if names.count(name) > 1})


def _stuck(needs: Mapping[str, list[str]]) -> set[str]:
    """The tasks that can never start: what is left after taking away, again and again, all whose needs are done."""
    left = dict(needs)
    while ready := [name for name, upstream in left.items() if not any(u in left for u in upstream)]:
        for name in ready:
            del left[name]
    return set(left)


# --- what the job runs ----------------------------------------------------------------------------------------------


def environments(bundle: Bundle) -> Iterator[str]:
    """``environment_key`` names an environment; its version is a quoted, supported string."""
    for key, job, _ in bundle.jobs:
        declared = {e.get("environment_key"): e.get("spec") or {} for e in job.get("environments") or []}
        for task in job.get("tasks") or []:
            wanted = task.get("environment_key")
            if wanted is None and "notebook_task" not in task:
                yield f"jobs.{key}.{task.get('task_key')}: no environment_key, which a serverless wheel task needs"
            if wanted is not None and wanted not in declared:
                yield f"jobs.{key}.{task.get('task_key')}: environment_key {wanted} names no environment of the job"
        for name, spec in declared.items():
            version = spec.get("environment_version")
            if not isinstance(version, str):
                yield f"jobs.{key}: environment_version of {name} must be a quoted string, not {version!r}"
            elif version not in ENVIRONMENT_VERSIONS:
                yield f"jobs.{key}: environment_version {version!r} of {name} is none of {sorted(ENVIRONMENT_VERSIONS)}"


def dependencies(bundle: Bundle) -> Iterator[str]:
    """Exact pins that fit pyproject.toml, none forbidden, none forgotten, and the wheel itself."""
    wanted = {_name(r): Requirement(r) for r in bundle.project["dependencies"]}
    wanted |= {_name(r): Requirement(r) for r in bundle.project["optional-dependencies"]["databricks"]}
    for name in FORBIDDEN_PACKAGES & set(wanted):
        yield f"pyproject.toml: {name} is a runtime dependency, which breaks a serverless session"
    for key, job, _ in bundle.jobs:
        for environment in job.get("environments") or []:
            lines = (environment.get("spec") or {}).get("dependencies") or []
            yield from (f"jobs.{key}: {problem}" for problem in _pins(lines, wanted))


def _name(requirement: str) -> str:
    return Requirement(requirement).name.lower().replace("_", "-")


def _pins(lines: list[str], wanted: Mapping[str, Requirement]) -> Iterator[str]:
    wheels = [line for line in lines if line.endswith(".whl")]
    pins = {_name(line): Requirement(line) for line in lines if line not in wheels}
    if not wheels:
        yield "no wheel among the dependencies of the environment"
    for name, pin in pins.items():
        if name in FORBIDDEN_PACKAGES:
            yield f"the dependency {name} breaks a serverless session"
        versions = [s.version for s in pin.specifier if s.operator == "=="]
        if len(versions) != 1:
            yield f"the dependency {pin} is not pinned with =="
        elif name in wanted and not wanted[name].specifier.contains(versions[0]):
            yield f"the dependency {pin} does not satisfy pyproject.toml, which wants {wanted[name]}"
    for name in sorted(set(wanted) - set(pins) - PLATFORM_PACKAGES):
        yield f"the runtime dependency {name} of pyproject.toml is not pinned"


def entry_points(bundle: Bundle) -> Iterator[str]:
    """Each wheel task names our package and a script of it that can be imported and takes its parameters."""
    scripts = bundle.project.get("scripts", {})
    for key, job, _ in bundle.jobs:
        for task in job.get("tasks") or []:
            wheel = task.get("python_wheel_task")
            if wheel is None:
                continue
            where = f"jobs.{key}.{task.get('task_key')}"
            if wheel.get("package_name") != bundle.project["name"]:
                yield f"{where}: package_name {wheel.get('package_name')} is not that of pyproject.toml"
            if wheel.get("entry_point") not in scripts:
                yield f"{where}: entry_point {wheel.get('entry_point')} is no script of pyproject.toml"
                continue
            module, _, name = scripts[wheel["entry_point"]].partition(":")
            if not callable(getattr(importlib.import_module(module), name, None)):
                yield f"{where}: entry_point {wheel['entry_point']} names {module}:{name}, which is not there"
            yield from _accepted(where, importlib.import_module(module), wheel.get("named_parameters") or {})


def _accepted(where: str, module: Any, given: Mapping[str, str]) -> Iterator[str]:
    """The names a task is given against those its module declares in ``PARAMETERS``."""
    accepted = set(module.PARAMETERS)
    for name in sorted(set(given) - accepted):
        yield f"{where}: the entry point knows no parameter {name}"
    for name in sorted(accepted - set(given)):
        yield f"{where}: the entry point's parameter {name} is not given"


def paths(bundle: Bundle) -> Iterator[str]:
    """Notebook, script and dashboard files exist beside the file that names them; notebooks are notebooks."""
    for (kind, key), value in bundle.resources.items():
        base = bundle.files[kind, key].parent
        if kind == "dashboards" and not (base / value.get("file_path", "")).is_file():
            yield f"dashboards.{key}: file_path {value.get('file_path')} is not there"
    for key, job, file in bundle.jobs:
        for task in job.get("tasks") or []:
            where = f"jobs.{key}.{task.get('task_key')}"
            if notebook := (task.get("notebook_task") or {}).get("notebook_path"):
                yield from _script(where, file.parent / notebook, is_notebook=True)
            if script := (task.get("spark_python_task") or {}).get("python_file"):
                yield from _script(where, file.parent / script, is_notebook=False)
    for folder in (bundle.config.get("sync") or {}).get("paths") or []:
        if not (bundle.root / folder).is_dir():
            yield f"databricks.yml: sync path {folder} is no folder"


def _script(where: str, path: Path, is_notebook: bool) -> Iterator[str]:
    if not path.is_file():
        yield f"{where}: the file {path.name} is not there"
    elif path.read_text().startswith("# Databricks notebook source") != is_notebook:
        yield f"{where}: the file {path.name} is {'no' if is_notebook else 'a'} notebook"


# --- rules of our own -----------------------------------------------------------------------------------------------


def index_names(bundle: Bundle) -> Iterator[str]:
    """``catalog.schema.name`` of letters, digits and underscores: declared ones, and the one the sync task makes."""
    for (kind, key), value in bundle.resources.items():
        name = REFERENCE.sub("x", str(value.get("name", "")))
        if kind == "vector_search_indexes" and not _is_index_name(name):
            yield f"vector_search_indexes.{key}: {value.get('name')} is not of the form catalog.schema.name"
    variables = bundle.config.get("variables") or {}
    for name in ("catalog", "schema"):
        default = (variables.get(name) or {}).get("default")
        if default is not None and not IDENTIFIER.match(default):
            yield f"databricks.yml: variable {name} is {default!r}, so the index's name cannot be catalog.schema.name"


def _is_index_name(name: str) -> bool:
    parts = name.split(".")
    return len(parts) == 3 and all(IDENTIFIER.match(part) for part in parts)


def operations(bundle: Bundle) -> Iterator[str]:
    """Dry run by default, one run at a time, a queue, limits, retries, notifications, a health rule."""
    for key, job, _ in bundle.jobs:
        defaults = {p.get("name"): p.get("default") for p in job.get("parameters") or []}
        if defaults.get("dry_run") != "true":
            yield f'jobs.{key}: the default of dry_run is not "true"'
        wanted = {
            "max_concurrent_runs": job.get("max_concurrent_runs") == 1,
            "queue": (job.get("queue") or {}).get("enabled") is True,
            "timeout_seconds": bool(job.get("timeout_seconds")),
            "health": bool((job.get("health") or {}).get("rules")),
            "email_notifications.on_failure": bool((job.get("email_notifications") or {}).get("on_failure")),
        }
        yield from (f"jobs.{key}: {name} is not set as a production job needs it" for name, ok in wanted.items() if not ok)
        for task in job.get("tasks") or []:
            missing = [name for name in ("timeout_seconds", "max_retries", "description") if name not in task]
            yield from (f"jobs.{key}.{task.get('task_key')}: {name} is not set" for name in missing)


def development_names(bundle: Bundle) -> Iterator[str]:
    """In development the schema is renamed: whatever names it must ask the resource, and endpoints carry their target."""
    for (kind, key), value in bundle.resources.items():
        if kind != "schemas" and "${var.schema}" in list(strings(value)):
            yield f"{kind}.{key}: ${{var.schema}} is not the schema's name in dev, write ${{resources.schemas.….name}}"
        if kind == "vector_search_endpoints" and "${bundle.target}" not in str(value.get("name")):
            yield f"{kind}.{key}: the name does not carry ${{bundle.target}}, so two targets would share one endpoint"


def private_things(bundle: Bundle) -> Iterator[str]:
    """No credential, host, user or id in any file of the bundle; version pins are not addresses."""
    for path, text in bundle.texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            for what, pattern in SECRETS.items():
                if pattern.search(re.sub(r"==[\w.]+", "", line)):
                    yield f"{path.name}, line {number}: {what} is written in the bundle"


CHECKS = (
    known_fields,
    one_per_file,
    targets,
    references,
    job_parameters,
    task_graph,
    environments,
    dependencies,
    entry_points,
    paths,
    index_names,
    operations,
    development_names,
    private_things,
    *checks_top.CHECKS,
)
