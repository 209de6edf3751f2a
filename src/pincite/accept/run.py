"""One acceptance run: engine, cases, checks, and a report bound by hashes to everything that went into it."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from pincite.accept import protocol as registered
from pincite.accept import shape
from pincite.accept.checks import CHECKS, Seen
from pincite.accept.engine import ask, engine_files
from pincite.accept.output import Output
from pincite.errors import CheckFailed, HashMismatch, UsageError
from pincite.model import Source, sha256_hex

IMPLEMENTATION = ("accept", "parse", "passages", "references")
"""Packages whose files a report is bound to, with the modules beside them that they use."""

Documents = Mapping[str, tuple[bytes, tuple[bytes, ...]]]
"""Name -> (bytes, registered extraction, one text a page)."""


class Verdict(NamedTuple):
    """One case: which checks failed, and why. A case with an error failed every check."""

    case: str
    failures: Mapping[str, tuple[str, ...]]
    observation: str  # file name in the output directory
    observation_sha256: str

    @property
    def passed(self) -> bool:
        return not self.failures


def accept(
    engine_name: str,
    stage: str,
    output: Path,
    sources: Path,
    initial_report: Path | None = None,
    protocol_path: Path | None = None,
) -> dict[str, Any]:
    """Run the stage's cases into the new directory *output*; the report, which is written there whatever comes out.

    Raises ``UsageError`` for a directory that exists, a protocol with too few or empty cases, or an expanded stage without
    its passing initial report; ``HashMismatch`` for a document that is not the registered one. Whether it passed stands in
    the report.
    """
    protocol = registered.load(protocol_path)
    cases = protocol.of_stage(stage)
    bindings = bindings_of(engine_name, protocol)
    documents = {name: document_of(protocol, name, sources) for name in dict.fromkeys(case["document"] for case in cases)}
    if stage == "expanded":
        _require_initial(initial_report, bindings, protocol, documents)
    with closing(Output(output)) as held:
        return _run(engine_name, stage, held, sources, protocol, documents, bindings)


def _run(
    engine_name: str,
    stage: str,
    held: Output,
    sources: Path,
    protocol: registered.Protocol,
    documents: Documents,
    bindings: Mapping[str, Any],
) -> dict[str, Any]:
    cases = protocol.of_stage(stage)
    before = watched(engine_name, protocol, sources, documents)
    answers = {
        name: ask(engine_name, source_of(protocol, name, data), data, pages) for name, (data, pages) in documents.items()
    }
    voided = [*held.intruders(), *_changed(before, watched(engine_name, protocol, sources, documents))]
    verdicts = [_judge(case, protocol, documents, answers[case["document"]]) for case in cases]
    for case, verdict in zip(cases, verdicts, strict=True):
        held.write(verdict.observation, stored(answers[case["document"]]))
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
    text = json.dumps(report, indent=1, ensure_ascii=False)
    held.write("report.json", text)
    written: dict[str, Any] = json.loads(text)
    return written


# --- what a report is bound to ------------------------------------------------------------------------------------------


def bindings_of(engine_name: str, protocol: registered.Protocol) -> dict[str, Any]:
    """Everything the result depends on, by hash: protocol, parser, our own modules, the libraries that read."""
    import pymupdf

    return {
        "protocol": protocol.sha256,
        "protocol_is_shipped": protocol.shipped,
        "engine": engine_name,
        "engine_files": {path.name: sha256_hex(path.read_bytes()) for path in engine_files(engine_name) if _is_source(path)},
        "implementation": {name: sha256_hex(path.read_bytes()) for name, path in implementation().items()},
        "python": platform.python_version(),
        "pymupdf": pymupdf.__version__,
    }


def implementation() -> dict[str, Path]:
    """Our files by name: every one of the rooms a result depends on, data and word lists included."""
    root = Path(__file__).resolve().parents[1]
    files = [*root.glob("*.py"), *(path for room in IMPLEMENTATION for path in (root / room).rglob("*"))]
    return {path.relative_to(root).as_posix(): path for path in sorted(files) if path.is_file() and _is_source(path)}


def _is_source(path: Path) -> bool:
    return path.suffix != ".pyc"


def watched(engine_name: str, protocol: registered.Protocol, sources: Path, documents: Iterable[str]) -> dict[Path, str]:
    """The hash of every file a run depends on, compiled modules included: what is changed while it goes on voids it."""
    files = [*implementation().values(), *engine_files(engine_name)]
    files += [path for room in IMPLEMENTATION for path in (Path(__file__).resolve().parents[1] / room).rglob("*.pyc")]
    files += [sources / protocol.documents[name]["pdf"] for name in documents]
    files += [protocol.path] if protocol.path else []
    return {path: sha256_hex(path.read_bytes()) for path in files if path.is_file()}


def _changed(before: Mapping[Path, str], after: Mapping[Path, str]) -> list[str]:
    names = sorted({*before, *after})
    return [f"{path.name} changed during the run" for path in names if before.get(path) != after.get(path)]


# --- documents ----------------------------------------------------------------------------------------------------------


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


def source_of(protocol: registered.Protocol, name: str, data: bytes) -> Source:
    """What a parser is told of a document; never which cases ask about it."""
    entry = protocol.documents[name]
    identity = (name.split("/")[-1], "registered", entry["title"], "", "application/pdf", entry["pdf"])
    return Source(*identity, len(data), sha256_hex(data))


# --- verdicts -----------------------------------------------------------------------------------------------------------


def stored(answer: tuple[str, str]) -> str:
    """What is kept of an answer: the observation as it came, or why there is none."""
    text, fault = answer
    return json.dumps({"error": fault}, ensure_ascii=False) if fault else text


def _judge(case: Mapping[str, Any], protocol: registered.Protocol, documents: Documents, answer: tuple[str, str]) -> Verdict:
    digest = sha256_hex(stored(answer).encode())
    observation, faults = ({}, [answer[1]]) if answer[1] else shape.read(answer[0])
    if faults:
        reason = f"no observation of the contract's form: {'; '.join(faults[:3])}"
        failures: dict[str, tuple[str, ...]] = dict.fromkeys(CHECKS, (reason,))
    else:
        failures = judge(case, seen_of(case, protocol, documents[case["document"]], observation))
    return Verdict(case["id"], failures, f"{case['id']}.json", digest)


def judge(case: Mapping[str, Any], seen: Seen) -> dict[str, tuple[str, ...]]:
    """The checks that fail, each with its reasons."""
    return {check: tuple(found) for check, run in CHECKS.items() if (found := list(run(case, seen)))}


def seen_of(
    case: Mapping[str, Any],
    protocol: registered.Protocol,
    document: tuple[bytes, tuple[bytes, ...]],
    observation: Mapping[str, Any],
) -> Seen:
    """A case's material for the checks."""
    data, pages = document
    name = case["document"]
    spaced = bool(case.get("letter_spaced"))
    return Seen(pages, sha256_hex(data), observation, lambda n: registered.page_in_file(protocol, name, n), spaced)


# --- the initial report -------------------------------------------------------------------------------------------------


def _require_initial(
    path: Path | None, bindings: Mapping[str, Any], protocol: registered.Protocol, documents: Documents
) -> None:
    """The expanded stage builds on a passing initial one. Its word is not taken: its observations are judged again."""
    try:
        report = json.loads(path.read_text(encoding="utf-8")) if path else {}
        passing = report.get("accepted") is True and report.get("stage") == "initial"
    except (OSError, ValueError, AttributeError) as error:
        raise UsageError(f"the initial report cannot be read ({error})", where=str(path)) from error
    if path is None or not passing:
        raise UsageError(
            "the expanded stage needs a passing report of the initial one", where=str(path), next="give --initial-report"
        )
    if report.get("bindings") != bindings:
        raise UsageError(
            "the initial report was made with another protocol, engine or implementation",
            where=str(path),
            next="run the initial stage again",
        )
    for case in protocol.of_stage("initial"):
        fault = _replay(case, path.parent / f"{case['id']}.json", report, protocol, documents)
        if fault:
            raise UsageError(
                f"the initial report does not bear out: {case['id']} {fault}", where=str(path), next="run it again"
            )


def _replay(
    case: Mapping[str, Any], path: Path, report: Mapping[str, Any], protocol: registered.Protocol, documents: Documents
) -> str:
    """What is wrong with a stored case, judged again from its stored observation; "" where it passes."""
    try:
        text = path.read_text(encoding="utf-8")
        known = {entry["case"]: entry["observation_sha256"] for entry in report["cases"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"has no stored observation ({error})"
    if known.get(case["id"]) != sha256_hex(text.encode()):
        return "is not the observation that was judged"
    failures = _judge(case, protocol, documents, (text, "")).failures
    return f"fails {', '.join(failures)}" if failures else ""


def refuse_unless_accepted(report: Mapping[str, Any], output: Path) -> None:
    """``CheckFailed`` where the run did not accept the parser."""
    if not report["accepted"]:
        raise CheckFailed(
            f"{report['passed']} of {report['denominator']} cases passed" + ("; the run is void" if report["voided"] else ""),
            where=str(output / "report.json"),
            next="the report names each check that failed and why; it is kept",
        )
