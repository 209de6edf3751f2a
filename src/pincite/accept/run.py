"""One acceptance run: engine, cases, checks, and a report bound by hashes to everything that went into it."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pincite.accept import observation as contract
from pincite.accept import protocol as registered
from pincite.accept.checks import CHECKS, Seen
from pincite.errors import CheckFailed, HashMismatch, PinciteError, UsageError
from pincite.model import Source, sha256_hex

Engine = Callable[[Source, bytes, Sequence[bytes]], Mapping[str, Any]]

IMPLEMENTATION = ("accept", "parse", "passages", "references")
"""Packages whose modules a report is bound to, with ``model.py``."""


class Verdict(NamedTuple):
    """One case: which checks failed, and why. A case with an error failed every check."""

    case: str
    failures: Mapping[str, tuple[str, ...]]
    observation: str  # file name in the output directory
    observation_sha256: str

    @property
    def passed(self) -> bool:
        return not self.failures


def engine_named(name: str) -> Engine:
    """``baseline``, ``candidate``, or ``MODULE:FUNCTION`` of another parser."""
    own: dict[str, Engine] = {"baseline": contract.baseline, "candidate": contract.candidate}
    if name in own:
        return own[name]
    module, _, function = name.partition(":")
    try:
        engine: Engine = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        raise UsageError(f"there is no engine {name!r} ({error})", next="use baseline, candidate or MODULE:FUNCTION") from error
    return engine


def accept(
    engine_name: str,
    stage: str,
    output: Path,
    sources: Path,
    initial_report: Path | None = None,
    protocol_path: Path | None = None,
) -> dict[str, Any]:
    """Run the stage's cases into the new directory *output*; the report, which is written there whatever comes out.

    Raises ``UsageError`` for a directory that exists or an expanded stage without its passing initial report,
    ``HashMismatch`` for a document that is not the registered one. Whether it passed stands in the report.
    """
    protocol = registered.load(protocol_path)
    cases, engine = protocol.of_stage(stage), engine_named(engine_name)
    bindings = {"protocol": protocol.sha256, "engine": engine_name, "implementation": implementation(engine)}
    if stage == "expanded":
        _require_initial(initial_report, bindings)
    documents = {name: document_of(protocol, name, sources) for name in dict.fromkeys(case["document"] for case in cases)}
    _new_directory(output)
    verdicts = [_judge(case, protocol, documents[case["document"]], engine, output) for case in cases]
    voided = _voided(verdicts, output, bindings, engine)
    report = {
        "stage": stage,
        "denominator": len(cases),
        "passed": sum(verdict.passed for verdict in verdicts),
        "accepted": not voided and all(verdict.passed for verdict in verdicts),
        "voided": voided,
        "bindings": bindings,
        "sources": {name: {"pdf": sha256_hex(data), "pages": hashes(pages)} for name, (data, pages) in documents.items()},
        "cases": [verdict._asdict() | {"passed": verdict.passed} for verdict in verdicts],
    }
    (output / "report.json").write_text(json.dumps(report, indent=1, ensure_ascii=False), encoding="utf-8")
    return report


def implementation(engine: Engine) -> str:
    """One hash over every module that the result depends on, the engine's own file included."""
    root = Path(__file__).resolve().parents[1]
    files = [root / "model.py", *(path for room in IMPLEMENTATION for path in sorted((root / room).rglob("*")))]
    own = getattr(importlib.import_module(engine.__module__), "__file__", None)
    files += [Path(own)] if own else []
    listed = [path for path in files if path.is_file() and path.suffix in (".py", ".yml", ".yaml", ".json")]
    return sha256_hex("".join(sha256_hex(path.read_bytes()) for path in listed).encode())


def document_of(protocol: registered.Protocol, name: str, sources: Path) -> tuple[bytes, tuple[bytes, ...]]:
    """A case's bytes and its registered extraction; ``HashMismatch`` where reading gives other text than registered."""
    from pincite.parse.pdf import observe

    data = registered.source_bytes(protocol, name, sources)
    pages = tuple(page.text for page in observe(data, name).pages)
    known = protocol.documents[name].get("extraction")
    if known and hashes(pages) != known:
        raise HashMismatch(
            "the text extracted from the case's document is not the registered extraction",
            where=name,
            next="use the pinned PyMuPDF, or register the new extraction after reading it",
        )
    return data, pages


def hashes(pages: Iterable[bytes]) -> list[str]:
    return [sha256_hex(page) for page in pages]


def _require_initial(path: Path | None, bindings: Mapping[str, Any]) -> None:
    try:
        report = json.loads(path.read_text(encoding="utf-8")) if path else {}
    except (OSError, ValueError) as error:
        raise UsageError(f"the initial report cannot be read ({error})", where=str(path)) from error
    if not report.get("accepted") or report.get("stage") != "initial":
        raise UsageError(
            "the expanded stage needs a passing report of the initial one", where=str(path), next="give --initial-report"
        )
    if report["bindings"] != bindings:
        raise UsageError(
            "the initial report was made with another protocol, engine or implementation",
            where=str(path),
            next="run the initial stage again",
        )


def _new_directory(output: Path) -> None:
    try:
        output.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(
            "the output directory exists", where=str(output), next="name a new one: no run is overwritten"
        ) from None


def seen_of(
    case: Mapping[str, Any], protocol: registered.Protocol, document: tuple[bytes, tuple[bytes, ...]], engine: Engine
) -> Seen:
    """What the engine observes in a case's document, through JSON: nothing but plain data comes back from it."""
    data, pages = document
    name, entry = case["document"], protocol.documents[case["document"]]
    identity = (name.split("/")[-1], "registered", entry["title"], "", "application/pdf", entry["pdf"])
    source = Source(*identity, len(data), sha256_hex(data))
    observation = json.loads(json.dumps(engine(source, data, pages), ensure_ascii=False, sort_keys=True))
    spaced = bool(case.get("letter_spaced"))
    return Seen(pages, sha256_hex(data), observation, lambda n: registered.page_in_file(protocol, name, n), spaced)


def _judge(
    case: Mapping[str, Any],
    protocol: registered.Protocol,
    document: tuple[bytes, tuple[bytes, ...]],
    engine: Engine,
    output: Path,
) -> Verdict:
    file = f"{case['id']}.json"
    try:
        seen = seen_of(case, protocol, document, engine)
        text = json.dumps(seen.observation, ensure_ascii=False, sort_keys=True)
        failures = {check: tuple(found) for check, run in CHECKS.items() if (found := list(run(case, seen)))}
    except (PinciteError, KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        text = json.dumps({"error": f"{type(error).__name__}: {error}"})
        failures = {check: (f"no observation of the contract's form: {type(error).__name__}: {error}",) for check in CHECKS}
    (output / file).write_text(text, encoding="utf-8")
    return Verdict(case["id"], failures, file, sha256_hex(text.encode()))


def _voided(verdicts: Sequence[Verdict], output: Path, bindings: Mapping[str, Any], engine: Engine) -> list[str]:
    """What changed while the run was going on: then nothing it says can be relied on."""
    changed = [
        f"{verdict.observation} changed during the run"
        for verdict in verdicts
        if sha256_hex((output / verdict.observation).read_bytes()) != verdict.observation_sha256
    ]
    if implementation(engine) != bindings["implementation"]:
        changed.append("the implementation changed during the run")
    return changed


def refuse_unless_accepted(report: Mapping[str, Any], output: Path) -> None:
    """``CheckFailed`` where the run did not accept the parser."""
    if not report["accepted"]:
        raise CheckFailed(
            f"{report['passed']} of {report['denominator']} cases passed" + ("; the run is void" if report["voided"] else ""),
            where=str(output / "report.json"),
            next="the report names each check that failed and why; it is kept",
        )
