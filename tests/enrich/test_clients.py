"""The client of OpenAI-compatible endpoints against a server that misbehaves. All clients' contract is in tests/contract."""

from __future__ import annotations

from typing import Any

import pytest
from server import ChatServer

from pincite.enrich import http
from pincite.enrich.clients import open_client
from pincite.enrich.http import HttpChat
from pincite.enrich.prompt import load, quoted
from pincite.errors import PlatformError, UsageError
from pincite.ports import Completion

TEXT = "Keep the records for 5 years. The owner may inspect them."
MESSAGE = [{"role": "user", "content": quoted(load(), TEXT)}]


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(http.KEY_VARIABLE, raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def chat(server: ChatServer, timeout: float = 10, **options: Any) -> tuple[HttpChat, list[float]]:
    pauses: list[float] = []
    return HttpChat(server.url, "m", sleep=pauses.append, timeout=timeout, **options), pauses


def test_the_request_is_what_the_endpoints_expect() -> None:
    with ChatServer() as server:
        assert chat(server)[0].complete("be brief", [{"role": "user", "content": "hello"}]) == "an answer"
    seen = server.seen[0]
    assert seen["path"] == "/v1/chat/completions"
    assert seen["body"]["messages"] == [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hello"}]
    assert (seen["body"]["model"], seen["body"]["temperature"]) == ("m", 0)
    assert "Authorization" not in seen["headers"]


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ({"prompt_tokens": 31, "completion_tokens": 7, "total_tokens": 38}, (31, 7)),
        ({"prompt_tokens": 31}, (31, None)),
        ({"prompt_tokens": -1, "completion_tokens": "7"}, (None, None)),
        ({"prompt_tokens": True, "completion_tokens": 10**12}, (None, None)),
        ("none", (None, None)),
    ],
)
def test_what_a_reply_took_is_read_from_it(told: object, counted: tuple[int | None, int | None]) -> None:
    with ChatServer() as server:
        server.more = {"usage": told}
        answer = chat(server)[0].complete("s", MESSAGE)
    assert isinstance(answer, Completion)
    assert (answer, answer.tokens_in, answer.tokens_out) == ("an answer", *counted)


def test_throttling_waits_as_long_as_it_is_asked_to() -> None:
    with ChatServer("429", "503", "ok") as server:
        client, pauses = chat(server)
        assert client.complete("s", MESSAGE) == "an answer"
    assert pauses == [7.0, 2.0]


@pytest.mark.parametrize("how", ["500", "drop", "cut", "hang", "drip"])
def test_what_may_pass_is_tried_again_and_then_told(how: str) -> None:
    with ChatServer(how, "ok") as server:
        assert chat(server, 0.4, whole_timeout=0.3)[0].complete("s", MESSAGE) == "an answer"
    with ChatServer(how) as server:
        client, pauses = chat(server, 0.4, whole_timeout=0.3, attempts=3)
        with pytest.raises(PlatformError, match="no reply in 3 attempts"):
            client.complete("s", MESSAGE)
    assert pauses == [1.0, 2.0]
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("how", "what"),
    [
        ("garbage", "no chat completion"),
        ("wrong", "no chat completion"),
        ("nested", "no chat completion"),
        ("endless", "longer than"),
        ("401", "HTTP 401.*PINCITE_LLM_KEY"),
        ("404", "HTTP 404"),
        ("redirect", "HTTP 307"),
    ],
)
def test_what_will_not_pass_is_told_at_once(how: str, what: str) -> None:
    with ChatServer(how) as server:
        client, pauses = chat(server)
        with pytest.raises(PlatformError, match=what):
            client.complete("s", MESSAGE)
    assert (len(server.seen), pauses) == (1, [])


def test_nobody_listens() -> None:
    with pytest.raises(PlatformError, match="no reply in 2 attempts"):
        HttpChat("http://127.0.0.1:9/v1", "m", attempts=2, sleep=lambda seconds: None).complete("s", MESSAGE)


def test_the_key_comes_from_the_environment_and_goes_nowhere_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(http.KEY_VARIABLE, "k-123")
    with ChatServer("ok", "403") as server:
        client, _ = chat(server)
        client.complete("s", MESSAGE)
        assert server.seen[0]["headers"]["Authorization"] == "Bearer k-123"
        with pytest.raises(PlatformError) as told:
            client.complete("s", MESSAGE)
        assert "k-123" not in str(told.value)
    with pytest.raises(UsageError, match="not sent without encryption"):
        HttpChat("http://models.example/v1", "m")
    assert HttpChat("https://models.example/v1", "m").name == "openai/m"


@pytest.mark.parametrize("url", ["ftp://h/v1", "localhost:8000", "https://user:secret@h/v1", ""])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(UsageError, match="is no endpoint"):
        HttpChat(url, "m")


@pytest.mark.parametrize("model", ["", "gpt", "openai/", "openai/x", "databricks/", "locally"])
def test_a_model_that_is_none(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PINCITE_LLM_URL", raising=False)
    with pytest.raises(UsageError):
        open_client(model)
