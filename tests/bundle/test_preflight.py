"""Job parameters and the look at every object before anything is written: all without an engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from corpus import Corpus
from deploy import Deployment
from workspace import Workspace

from pincite.databricks.connect import Connection
from pincite.databricks.corpora import corpora
from pincite.databricks.landing import VolumeLanding
from pincite.databricks.parameters import PARAMETERS, Parameters, parameters
from pincite.databricks.tasks import differences, preflight
from pincite.errors import HashMismatch, MissingSource, PlatformError, UsageError
from pincite.sources.manifest import load

GIVEN = {
    "dry_run": "true",
    "allow_empty": "false",
    "corpora": "cfr-gmp, demo",
    "conf": "/Workspace/conf",
    "catalog": "main",
    "schema": "dev_someone_pincite",
    "volume": "landing",
    "landing": "/Volumes/main/dev_someone_pincite/landing",
    "search_endpoint": "pincite-someone-dev",
    "embedding_endpoint": "databricks-gte-large-en",
    "chat_endpoint": "",
    "query_type": "HYBRID",
    "rerank": "false",
    "experiment": "/Users/someone@example.com/[dev someone] pincite-evaluation-dev",
    "run_id": "1",
}


def arguments(**changed: str) -> list[str]:
    return [f"--{name}={value}" for name, value in {**GIVEN, **changed}.items()]


def test_parameters_are_parsed() -> None:
    found = parameters(arguments())
    assert found.dry_run is True
    assert found.allow_empty is False
    assert parameters(arguments(rerank="true")).rerank is True
    assert found.corpora == ("cfr-gmp", "demo")
    assert parameters(arguments(corpora="demo,cfr-gmp, demo")).corpora == ("demo", "cfr-gmp")
    assert set(PARAMETERS) == set(GIVEN)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"dry_run": "maybe"}, "dry_run is 'maybe'; use true or false"),
        ({"allow_empty": ""}, "allow_empty is ''; use true or false"),
        ({"corpora": "../secrets"}, "corpora is '../secrets'; name files of conf/corpora"),
        ({"corpora": " , "}, "corpora is ','"),
        ({"schema": "a.b"}, "schema is 'a.b'; use letters, digits and _ only"),
        ({"catalog": "x; DROP TABLE y"}, "catalog is 'x; DROP TABLE y'"),
        ({"landing": "/Volumes/main/other/landing"}, "but catalog, schema and volume name /Volumes/main/dev_someone_pincite/"),
        ({"landing": "relative"}, "landing is 'relative'; give an absolute path"),
        ({"query_type": "FUZZY"}, "query_type is 'FUZZY'; use HYBRID, ANN or FULL_TEXT"),
        ({"search_endpoint": ""}, "search_endpoint is empty; give it a value"),
        ({"colour": "red"}, "the argument '--colour=red' is not known; use --NAME=VALUE"),
    ],
)
def test_a_wrong_parameter(changed: dict[str, str], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        parameters(arguments(**changed))
    assert says in str(caught.value)


def test_a_missing_parameter() -> None:
    with pytest.raises(UsageError, match="the parameter volume is not given"):
        parameters([argument for argument in arguments() if not argument.startswith("--volume")])


@pytest.fixture
def deployed(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The bundle's objects without its job, and the corpus landed."""
    monkeypatch.setenv("DATABRICKS_CONFIG_FILE", str(tmp_path / "none"))
    with Workspace(tmp_path / "workspace") as workspace:
        connection = Connection(host=workspace.url, token=workspace.token, retry_timeout_seconds=2)
        deployment = Deployment(repository, connection.workspace)
        deployment.make_objects()
        corpus = Corpus(deployment, repository / "fixtures" / "ecfr")
        corpus.land()
        yield workspace, connection, corpus


@pytest.fixture
def asked() -> Parameters:
    return parameters(arguments())


def test_all_is_there(deployed: Any, asked: Parameters) -> None:
    preflight(asked, deployed[1])


OBJECTS = [
    (r"/unity-catalog/schemas/", "main.dev_someone_pincite"),
    (r"/unity-catalog/volumes/", "main.dev_someone_pincite.landing"),
    (r"/vector-search/endpoints/", "pincite-someone-dev"),
    (r"/serving-endpoints/", "databricks-gte-large-en"),
    (r"/mlflow/experiments/get-by-name", "/Users/someone@example.com/[dev someone] pincite-evaluation-dev"),
]


@pytest.mark.parametrize(("path", "where"), OBJECTS)
def test_a_missing_right(deployed: Any, asked: Parameters, path: str, where: str) -> None:
    workspace, connection, _ = deployed
    workspace.deny("GET", path)
    with pytest.raises(
        PlatformError, match=r"HTTP 403, PERMISSION_DENIED, request id [0-9a-f-]{36}\); ask the owner"
    ) as caught:
        preflight(asked, connection)
    assert caught.value.where == where


@pytest.mark.parametrize(
    "changed",
    [
        {"schema": "gone", "landing": "/Volumes/main/gone/landing"},
        {"volume": "gone", "landing": "/Volumes/main/dev_someone_pincite/gone"},
        {"search_endpoint": "gone"},
        {"embedding_endpoint": "gone"},
        {"experiment": "/Users/gone"},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_a_missing_object(deployed: Any, changed: dict[str, str]) -> None:
    made = (
        "correct embedding_endpoint"
        if "embedding_endpoint" in changed
        else "deploy the bundle, which makes it, or correct the p"
    )
    with pytest.raises(PlatformError, match=rf"gone.*HTTP 404.*; {made}"):
        preflight(parameters(arguments(**changed)), deployed[1])


def test_two_corpora_with_one_scope(tmp_path: Path, asked: Parameters) -> None:
    """Each would delete the other's rows."""
    import yaml

    (tmp_path / "corpora").mkdir()
    entry = {"title": "t", "uri": "u", "media_type": "application/xml", "bytes": 1, "sha256": "0" * 64}
    for name in ("lights", "lamps"):
        content = {"project": "demo", "collection": "lights", "title": "t", "as_of": "2026-01-01"}
        content |= {"documents": [{**entry, "id": name, "path": f"{name}.xml"}]}
        (tmp_path / "corpora" / f"{name}.yml").write_text(yaml.safe_dump(content))
    both = asked._replace(corpora=("lights", "lamps"), conf=str(tmp_path))
    with pytest.raises(UsageError, match="lamps.yml: the scope demo/lights is also that of lights.yml: each would delete"):
        corpora(both)
    assert len(corpora(both._replace(corpora=("lights",)))) == 1


def test_what_is_landed_is_compared_with_what_is_pinned(deployed: Any) -> None:
    workspace, connection, corpus = deployed
    manifest = load(workspace.folder / corpus.deployment.base.strip("/") / "files" / "conf" / "corpora" / "lights.yml")
    landing = VolumeLanding(connection, corpus.folder)
    assert differences(landing, manifest.sources) == []
    folder = workspace.folder / corpus.folder.strip("/") / "title-99"
    (folder / "part-1.xml").write_bytes((folder / "part-1.xml").read_bytes() + b" ")
    (folder / "part-2.xml").unlink()
    first, second = differences(landing, manifest.sources)
    assert isinstance(first, HashMismatch)
    assert str(first).startswith(f"{corpus.folder}/title-99/part-1.xml: title-99-part-1 has sha256")
    assert isinstance(second, MissingSource)
    assert str(second).startswith(f"{corpus.folder}/title-99/part-2.xml: the file is not in the volume; land it there")
