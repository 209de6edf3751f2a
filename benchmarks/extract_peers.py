"""Read files with other extractors: run by ``extract.py`` and ``structure.py`` with the interpreter that has them installed.

    PYTHON benchmarks/extract_peers.py [--text] FILE...

Prints a JSON object a line: peer, file, seconds (best of three, after one that loads everything; null where it fails), and with
``--text`` the text it makes: Markdown of markitdown and docling, of unstructured a line an element with its type.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable

os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
os.environ["DO_NOT_TRACK"] = "true"
os.environ["SCARF_NO_ANALYTICS"] = "true"


def unstructured() -> Callable[[str], str]:
    import spacy
    from unstructured.nlp import tokenize
    from unstructured.partition.auto import partition

    def rules() -> object:
        nlp = spacy.blank("en")
        nlp.add_pipe("sentencizer")
        return nlp

    tokenize._load_spacy_model = rules

    def read(path: str) -> str:
        return "\n".join(f"{type(element).__name__}: {element.text}" for element in partition(path))

    return read


def markitdown() -> Callable[[str], str]:
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: str(converter.convert(path).text_content)


def docling() -> Callable[[str], str]:
    from docling.document_converter import DocumentConverter

    converter = DocumentConverter()
    return lambda path: str(converter.convert(path).document.export_to_markdown())


def timed(read: Callable[[str], str], path: str) -> tuple[float | None, str]:
    try:
        text = read(path)
        seconds = []
        for _ in range(3):
            started = time.perf_counter()
            read(path)
            seconds.append(time.perf_counter() - started)
    except Exception as error:  # noqa: BLE001 - another program's failure is a result
        return None, f"{type(error).__name__}: {error}"
    return min(seconds), text


def main() -> None:
    paths = [path for path in sys.argv[1:] if path != "--text"]
    for peer in (unstructured, markitdown, docling):
        if importlib.util.find_spec(peer.__name__) is None:
            continue
        with contextlib.redirect_stdout(sys.stderr):
            read = peer()
        for path in paths:
            with contextlib.redirect_stdout(sys.stderr):
                seconds, text = timed(read, path)
            row: dict[str, object] = {"peer": peer.__name__, "file": path, "seconds": seconds}
            if "--text" in sys.argv:
                row["text"] = text
            elif seconds is None:
                row["error"] = text[:200]
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
