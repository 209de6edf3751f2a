"""The bundle is sound, and the checks would notice if it were not: one seeded mistake of every kind."""

from __future__ import annotations

import importlib.metadata
import shutil
from pathlib import Path

import pytest
from checks import problems
from packaging.requirements import Requirement

JOB = "resources/ingest.job.yml"
MAIN = "databricks.yml"

# (name, file, text to replace, replacement, what the sentence must say)
MISTAKES = [
    ("broken YAML", JOB, "      tasks:\n", "      tasks: [\n", "not readable as YAML"),
    ("unknown top-level key", MAIN, "artifacts:\n", "artefacts:\n", "unknown top-level key 'artefacts'"),
    ("unknown resource type", "resources/landing.volume.yml", "  volumes:", "  volume:", "unknown resource type"),
    ("unknown field", JOB, "max_concurrent_runs:", "max_concurent_runs:", "refused by databricks-bundles"),
    ("wrong enum", "resources/search.vector_search_endpoint.yml", "STANDARD", "STANDRAD", "refused by databricks-bundles"),
    (
        "missing required field",
        "resources/landing.volume.yml",
        "      schema_name:",
        "      comment2:",
        "refused by databricks-bundles",
    ),
    (
        "string for a list",
        "resources/pincite.schema.yml",
        "[USE_SCHEMA, SELECT, READ_VOLUME]",
        "SELECT",
        "refused by databricks-bundles",
    ),
    ("wrong file", "resources/landing.volume.yml", "    landing:\n", "    arrivals:\n", "belongs in arrivals.volume.yml"),
    ("engine", MAIN, "engine: direct", "engine: terraform", "bundle.engine is not 'direct'"),
    ("mode", MAIN, "mode: production", "mode: producton", "target prod has not mode production"),
    ("no root path", MAIN, "      root_path:", "      state_path:", "no workspace.root_path"),
    ("undefined variable", JOB, "${var.corpora}", "${var.corpus}", "${var.corpus} refers to nothing"),
    (
        "unused variable",
        MAIN,
        "  schema:\n    description",
        "  shema:\n    default: x\n    description",
        "variable shema is used nowhere",
    ),
    (
        "undescribed variable",
        MAIN,
        "    description: Account group that may read",
        "    # Account group that may read",
        "variable readers has no description",
    ),
    (
        "target sets unknown variable",
        MAIN,
        "      search_endpoint: pincite-",
        "      serch_endpoint: pincite-",
        "sets the variable serch_endpoint",
    ),
    (
        "missing resource",
        JOB,
        "${resources.volumes.landing.name}",
        "${resources.volumes.landed.name}",
        "volumes.landed.name} refers to nothing",
    ),
    (
        "missing field of a resource",
        JOB,
        "${resources.volumes.landing.name}",
        "${resources.volumes.landing.nam}",
        "refers to nothing",
    ),
    ("unknown built-in", JOB, "${workspace.file_path}", "${workspace.files}", "${workspace.files} refers to nothing"),
    (
        "unknown job parameter",
        JOB,
        "{{job.parameters.volume}}",
        "{{job.parameters.volum}}",
        "{{job.parameters.volum}} is no parameter",
    ),
    ("unknown dynamic value", JOB, "{{job.run_id}}", "{{job.runid}}", "{{job.runid}} is no parameter"),
    (
        "unused job parameter",
        JOB,
        "{{job.parameters.volume}}",
        "{{job.parameters.schema}}",
        "parameter volume is used by no task",
    ),
    (
        "duplicate parameter",
        JOB,
        "        - name: allow_empty\n",
        "        - name: dry_run\n",
        "parameter dry_run is declared twice",
    ),
    ("duplicate task", JOB, "task_key: sync\n", "task_key: merge\n", "task_key merge occurs twice"),
    ("unknown upstream", JOB, "{task_key: author}", "{task_key: parse}", "depends_on parse, which is no task"),
    (
        "cycle",
        JOB,
        "        - task_key: bootstrap\n",
        "        - task_key: bootstrap\n          depends_on: [{task_key: evaluate}]\n",
        "depend on each other in a cycle",
    ),
    (
        "unknown environment",
        JOB,
        "        - environment_key: default\n",
        "        - environment_key: main\n",
        "names no environment",
    ),
    ("no environment", JOB, "          environment_key: default\n", "", "no environment_key"),
    ("unquoted version", JOB, 'environment_version: "5"', "environment_version: 5", "must be a quoted string"),
    ("unknown version", JOB, 'environment_version: "5"', 'environment_version: "99"', "'99' of default is none of"),
    ("no wheel", JOB, "              - ../dist/*.whl\n", "", "no wheel among the dependencies"),
    ("unpinned", JOB, "httpx==0.28.1", "httpx>=0.28", "is not pinned with =="),
    ("pin outside pyproject", JOB, "httpx==0.28.1", "httpx==0.20.0", "does not satisfy pyproject.toml"),
    (
        "forgotten dependency",
        JOB,
        "              - httpx==0.28.1\n",
        "",
        "runtime dependency httpx of pyproject.toml is not pinned",
    ),
    (
        "pyspark in the environment",
        JOB,
        "httpx==0.28.1",
        "httpx==0.28.1\n              - pyspark==4.0.0",
        "pyspark breaks a serverless",
    ),
    (
        "pyspark in the wheel",
        "pyproject.toml",
        '    "pyyaml>=6",',
        '    "pyyaml>=6",\n    "pyspark>=4",',
        "pyspark is a runtime dependency",
    ),
    ("wrong package", JOB, "package_name: pincite\n", "package_name: pincit\n", "package_name pincit is not"),
    ("wrong entry point", JOB, "entry_point: pincite-merge", "entry_point: pincite-merg", "pincite-merg is no script"),
    (
        "entry point without function",
        "pyproject.toml",
        "job:merge",
        "job:mergers",
        "pincite.databricks.job:mergers, which is not there",
    ),
    (
        "parameter nobody takes",
        JOB,
        "              volume: ",
        "              volumes: ",
        "the entry point knows no parameter volumes",
    ),
    (
        "parameter not given",
        JOB,
        "              volume: ",
        "              volumes: ",
        "the entry point's parameter volume is not given",
    ),
    (
        "missing dashboard",
        "resources/corpus_health.dashboard.yml",
        "corpus_health.lvdash",
        "health.lvdash",
        "health.lvdash.json is not there",
    ),
    ("missing sync folder", MAIN, "[conf, notebooks, src]", "[config, notebooks, src]", "sync path config is no folder"),
    ("index name", MAIN, "default: main", "default: my-catalog", "'my-catalog', so the index's name cannot be"),
    ("dry run off", JOB, 'default: "true"', 'default: "false"', "default of dry_run"),
    ("two runs at once", JOB, "max_concurrent_runs: 1", "max_concurrent_runs: 4", "max_concurrent_runs is not set"),
    ("no queue", JOB, "enabled: true", "enabled: false", "queue is not set"),
    (
        "no health rule",
        JOB,
        "      health:\n        rules:\n",
        "      health:\n        rules: []\n      xrules:\n",
        "health is not set",
    ),
    ("nobody is told", JOB, '        on_failure: ["${var.notify}"]\n', "", "on_failure is not set"),
    ("no time limit", JOB, "          timeout_seconds: 1800\n", "", "bootstrap: timeout_seconds is not set"),
    ("no retries", JOB, "          max_retries: 0\n", "", "verify: max_retries is not set"),
    ("plain schema in dev", JOB, "${resources.schemas.pincite.name}", "${var.schema}", "is not the schema's name in dev"),
    (
        "shared endpoint",
        "resources/search.vector_search_endpoint.yml",
        "-${bundle.target}",
        "",
        "does not carry ${bundle.target}",
    ),
    (
        "key written twice",
        JOB,
        "max_retries: 0\n",
        "max_retries: 0\n          max_retries: 3\n",
        "the key max_retries occurs twice",
    ),
    ("nameless bundle", MAIN, "  name: pincite\n", "", "bundle has no name"),
    ("unknown field of the bundle", MAIN, "  name: pincite\n", "  name: pincite\n  titel: x\n", "unknown field titel"),
    ("unknown field of a variable", MAIN, "    lookup:", "    lokup:", "variable warehouse: unknown field lokup"),
    ("unknown lookup", MAIN, "      warehouse: Server", "      werehouse: Server", "unknown field werehouse"),
    ("unknown field of a target", MAIN, "    run_as:", "    runs_as:", "target prod: unknown field runs_as"),
    ("workspace in the bundle", MAIN, "      root_path:", "      hots: x\n      root_path:", "unknown field hots"),
    ("unknown sync", MAIN, "  paths: [", "  pats: [", "sync: unknown field pats"),
    ("nothing included", MAIN, "resources/*.yml", "resource/*.yml", "include resource/*.yml matches no file"),
    ("permission level", MAIN, "level: CAN_VIEW", "level: CAN_VEIW", "the permission level CAN_VEIW is none of"),
    ("permission of nobody", MAIN, "        group_name: ${var.viewers}\n", "", "a permission names one user_name"),
    (
        "readers by default",
        MAIN,
        "default: ${workspace.current_user.userName}\n  viewers",
        "default: account users\n  viewers",
        "variable readers: 'account users' are everybody",
    ),
    (
        "grant to everybody",
        "resources/pincite.schema.yml",
        "${var.readers}",
        "account users",
        "schemas.pincite: 'account users' are everybody",
    ),
    ("permission of everybody", MAIN, "group_name: ${var.viewers}", "group_name: users", "permissions: 'users' are everybody"),
    ("kind of artifact", MAIN, "type: whl", "type: weel", "artifact pincite is of type weel"),
    ("artifact not built", MAIN, "    build: python", "    # python", "artifact pincite has no build command"),
    ("wheel elsewhere", JOB, "../dist/*.whl", "../build/*.whl", "../build/*.whl is not where an artifact's wheel is built"),
    (
        "privilege of a target",
        MAIN,
        "[USE_SCHEMA, CREATE_TABLE",
        "[USE_SHEMA, CREATE_TABLE",
        "target prod, schemas.pincite: refused",
    ),
    (
        "resource of a target",
        MAIN,
        "        pincite:\n          grants",
        "        pincit:\n          grants",
        "which is not declared",
    ),
    (
        "principal by default",
        MAIN,
        "Must be given for prod; dev uses none.\n",
        "Must be given.\n    default: none\n",
        "has a default",
    ),
    (
        "prod runs as the deployer",
        MAIN,
        "      service_principal_name: ${var.service_principal}\n    resources",
        "      user_name: x\n    resources",
        "does not say whom",
    ),
    (
        "task longer than the job",
        JOB,
        "timeout_seconds: 28800",
        "timeout_seconds: 2880",
        "its time limit is longer than the job's",
    ),
    ("no pause", JOB, "          min_retry_interval_millis: 15000\n", "", "tried again without a pause"),
    (
        "nobody is warned",
        JOB,
        "        on_duration_warning_threshold_exceeded:",
        "        on_start:",
        "nobody is told of a run that takes long",
    ),
    ("host", MAIN, "default: main", "default: https://adb-1.azuredatabricks.net", "a host is written"),
    ("credential", MAIN, "default: main", "default: dapi0123456789abcdef", "a credential is written"),
    ("user", MAIN, "default: cfr-gmp", "default: jo@example.com", "a user is written"),
    ("user's folder", MAIN, "/Users/${workspace.current_user.userName}/", "/Users/jo/", "a user is written"),
    ("id", MAIN, "service_principal: none", "service_principal: 123e4567-e89b-42d3-a456-426614174000", "an id is written"),
]

ADDED = [  # whole files that would be mistakes
    (
        "index name without catalog",
        "resources/passages.vector_search_index.yml",
        "resources:\n  vector_search_indexes:\n"
        "    passages: {name: passages, endpoint_name: x, primary_key: id, index_type: DELTA_SYNC}\n",
        "not of the form catalog.schema.name",
    ),
    (
        "missing notebook",
        "resources/look.job.yml",
        "resources:\n  jobs:\n    look:\n      tasks:\n        - task_key: a\n"
        "          notebook_task: {notebook_path: ../notebooks/none.py}\n",
        "the file none.py is not there",
    ),
    (
        "script where a notebook is wanted",
        "resources/look.job.yml",
        "resources:\n  jobs:\n    look:\n      tasks:\n        - task_key: a\n"
        "          notebook_task: {notebook_path: ../src/pincite/model.py}\n",
        "model.py is no notebook",
    ),
    (
        "missing script",
        "resources/look.job.yml",
        "resources:\n  jobs:\n    look:\n      tasks:\n        - task_key: a\n          environment_key: e\n"
        "          spark_python_task: {python_file: ../src/none.py}\n",
        "the file none.py is not there",
    ),
    (
        "twice the same key",
        "resources/again.volume.yml",
        "resources:\n  volumes:\n    landing: {catalog_name: a, schema_name: b, name: c}\n",
        "volumes.landing is declared twice",
    ),
]


@pytest.fixture
def copy(repository: Path, tmp_path: Path) -> Path:
    """The files of the bundle, to be broken."""
    for name in ("databricks.yml", "pyproject.toml"):
        shutil.copy(repository / name, tmp_path / name)
    for name in ("resources", "notebooks", "conf"):
        shutil.copytree(repository / name, tmp_path / name)
    (tmp_path / "src" / "pincite").mkdir(parents=True)
    shutil.copy(repository / "src" / "pincite" / "model.py", tmp_path / "src" / "pincite" / "model.py")
    return tmp_path


def test_the_bundle_has_no_mistake(repository: Path) -> None:
    assert problems(repository) == []


@pytest.mark.parametrize(("name", "file", "old", "new", "says"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_a_seeded_mistake_is_found(copy: Path, name: str, file: str, old: str, new: str, says: str) -> None:
    text = (copy / file).read_text()
    assert old in text, f"the seed for {name!r} no longer applies"
    (copy / file).write_text(text.replace(old, new))
    assert [problem for problem in problems(copy) if says in problem], problems(copy)


@pytest.mark.parametrize(("name", "file", "content", "says"), ADDED, ids=[m[0] for m in ADDED])
def test_a_mistaken_file_is_found(copy: Path, name: str, file: str, content: str, says: str) -> None:
    (copy / file).write_text(content)
    assert [problem for problem in problems(copy) if says in problem], problems(copy)


def test_the_copy_that_is_broken_is_sound_before(copy: Path) -> None:
    assert problems(copy) == []


def test_nothing_the_environment_installs_brings_a_spark_of_its_own(repository: Path) -> None:
    """Not the pins alone: what they require in turn, as the installed packages tell it."""
    from checks import FORBIDDEN_PACKAGES, load

    (job,) = (job for _, job, _ in load(repository).jobs)
    lines = job["environments"][0]["spec"]["dependencies"]
    closure = required([Requirement(line).name for line in lines if not line.endswith(".whl")])
    assert {"databricks-ai-search", "mlflow-skinny", "protobuf"} <= closure  # it looks further than the first step
    assert not closure & FORBIDDEN_PACKAGES


def required(names: list[str]) -> set[str]:
    """*names* and whatever they need, without extras."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop().lower().replace("_", "-")
        if name not in found:
            found.add(name)
            needs = [Requirement(line) for line in importlib.metadata.requires(name) or []]
            waiting += [need.name for need in needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    return found
