"""One contract for every ``LLMClient``: the local one, any OpenAI-compatible endpoint, Databricks serving by the real SDK."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pincite.databricks.serving import ServingChat
from pincite.enrich import http
from pincite.enrich.extractive import ExtractiveClient
from pincite.enrich.http import HttpChat
from pincite.enrich.prompt import load, quoted
from pincite.enrich.reply import read
from pincite.errors import PlatformError
from pincite.ports import LLMClient

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "enrich"))

from server import ChatServer

TEXT = "Keep the records for 5 years. The owner may inspect them."
MESSAGE = [{"role": "user", "content": quoted(load(), TEXT)}]
ENDPOINT = "databricks-llama"
ANSWER = json.dumps({"title": "Keep the records for 5 years"})


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(http.KEY_VARIABLE, raising=False)


@pytest.fixture(params=["local", "http", "serving"])
def client(request: pytest.FixtureRequest) -> Iterator[LLMClient]:
    if request.param == "local":
        yield ExtractiveClient()
    elif request.param == "http":
        with ChatServer(answer=lambda said: ANSWER) as server:
            yield HttpChat(server.url, "m")
    else:
        request.getfixturevalue("workspace").state["chat"] = lambda messages: ANSWER
        yield ServingChat(request.getfixturevalue("connection"), ENDPOINT, request.getfixturevalue("quick"))


@pytest.fixture(params=["http", "serving"])
def failing(request: pytest.FixtureRequest) -> Iterator[Callable[[int], LLMClient]]:
    """A client of an endpoint that answers with a status once, then as it should."""
    if request.param == "http":
        with ChatServer("ok") as server:

            def http_client(status: int) -> LLMClient:
                server.script = [str(status), "ok"]
                return HttpChat(server.url, "m", sleep=lambda seconds: None)

            yield http_client
        return
    workspace, connection, quick = map(request.getfixturevalue, ("workspace", "connection", "quick"))

    def serving_client(status: int) -> LLMClient:
        headers = {"Retry-After": "0"} if status in (429, 503) else {}
        workspace.fail("POST", "/invocations$", status=status, times=1, headers=headers)
        return ServingChat(connection, ENDPOINT, quick)

    yield serving_client


def test_a_client_answers_with_text_and_the_same_twice(client: LLMClient) -> None:
    first = client.complete(load().system, MESSAGE)
    assert read(first).title == "Keep the records for 5 years"
    assert client.complete(load().system, MESSAGE) == first


@pytest.mark.parametrize("text", ["", "\x00\ud800", "é" * 5000, 'a " quotation \\ and a brace }'])
def test_a_client_takes_any_iterable_and_any_text(client: LLMClient, text: str) -> None:
    assert isinstance(client.complete("s", iter([{"role": "user", "content": quoted(load(), text)}])), str)


@pytest.mark.parametrize("status", [429, 503])
def test_an_endpoint_that_is_busy_is_asked_again(failing: Callable[[int], LLMClient], status: int) -> None:
    assert isinstance(failing(status).complete("s", MESSAGE), str)


@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_a_refusal_is_told_at_once(failing: Callable[[int], LLMClient], status: int) -> None:
    client = failing(status)
    with pytest.raises(PlatformError, match=f"HTTP {status}"):
        client.complete("s", MESSAGE)
    assert isinstance(client.complete("s", MESSAGE), str)  # the second request is answered: the first was not sent again
