"""Errors of five libraries become one of ours, with status, request id and a next step."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from pincite.databricks.errors import platform, translate
from pincite.errors import PlatformError, UsageError

REQUEST = {"@type": "type.googleapis.com/google.rpc.RequestInfo", "request_id": "req-12345678", "serving_data": ""}


def sdk_error() -> Exception:
    from databricks.sdk.errors import PermissionDenied

    return PermissionDenied(
        "no privilege. Config: host=https://x.example, token=***. Env: DATABRICKS_HOST",
        error_code="PERMISSION_DENIED",
        details=[REQUEST],
    )


def search_error() -> Exception:
    from databricks.ai_search.exceptions import TooManyRequests

    text = '[REQUEST_LIMIT_EXCEEDED] slow down details=[{"request_id": "req-12345678"}]'
    return TooManyRequests(text, status_code=429, error_code="REQUEST_LIMIT_EXCEEDED", details=[REQUEST])


def mlflow_error() -> Exception:
    from mlflow.exceptions import RestException

    return RestException({"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "no such experiment, request id: req-12345678"})


def spark_error() -> Exception:
    from pyspark.errors.exceptions.connect import SparkConnectGrpcException

    return SparkConnectGrpcException("[INSUFFICIENT_PERMISSIONS] Insufficient privileges on main.a.b (requestId=req-12345678)")


def lost_connection() -> Exception:
    from requests.exceptions import ConnectionError as Lost

    return Lost("Remote end closed connection without response")


@pytest.mark.parametrize(
    ("make", "status", "number", "what", "next_step"),
    [
        (sdk_error, 403, "req-12345678", "no privilege", "ask the owner"),
        (search_error, 429, "req-12345678", "slow down", "throttled"),
        (mlflow_error, 404, "req-12345678", "no such experiment", "deploy the bundle"),
        (spark_error, 403, "req-12345678", "Insufficient privileges on main.a.b", "ask the owner"),
        (lost_connection, 0, "", "Remote end closed connection", "could not be reached"),
    ],
    ids=["sdk", "vector search", "mlflow", "spark", "connection"],
)
def test_each_library(make: Any, status: int, number: str, what: str, next_step: str) -> None:
    ours = translate(make(), "main.a.b")
    assert isinstance(ours, PlatformError)
    assert (ours.status, ours.request_id, ours.exit_code) == (status, number, 9)
    sentence = str(ours)
    assert sentence.startswith("main.a.b: ")
    assert what in sentence
    assert next_step in sentence
    assert "\n" not in sentence
    assert "details=" not in sentence
    assert "Config:" not in sentence


def test_retries_that_ended_say_on_what() -> None:
    from databricks.sdk.errors import TemporarilyUnavailable

    try:
        cause = TemporarilyUnavailable("the store is down", error_code="TEMPORARILY_UNAVAILABLE")
        raise TimeoutError("Timed out after 0:02:00") from cause
    except TimeoutError as error:
        ours = translate(error, "x")
    assert ours is not None
    assert ours.status == 503
    assert "Timed out after 0:02:00: the store is down" in str(ours)


def test_an_error_of_the_program_is_none_of_the_platforms() -> None:
    assert translate(KeyError("x"), "x") is None
    with pytest.raises(KeyError), platform("x"):
        raise KeyError("x")


def test_an_error_of_ours_passes_as_it_is() -> None:
    with pytest.raises(UsageError, match="as it is"), platform("x"):
        raise UsageError("as it is")


def test_a_missing_thing_says_how_it_is_made() -> None:
    from databricks.sdk.errors import NotFound

    ours = translate(NotFound("no schema", error_code="SCHEMA_DOES_NOT_EXIST"), "main.a", "deploy the bundle, which makes it")
    assert ours is not None
    assert ours.status == 404
    assert str(ours).endswith("; deploy the bundle, which makes it")


def test_a_grpc_error_whose_details_are_a_method() -> None:
    """Spark Connect lets some of gRPC's own errors through; there ``details`` is a method, not a list."""
    import grpc

    class Ended(grpc.RpcError):
        def details(self) -> str:
            return "Socket closed"

        def __str__(self) -> str:
            return "<_InactiveRpcError: status = UNAVAILABLE, details = Socket closed>"

    with pytest.raises(PlatformError, match="Socket closed.*request id not given") as caught, platform("main.reg"):
        raise Ended
    assert caught.value.where == "main.reg"


def test_a_refused_statement_has_the_status_of_its_code() -> None:
    from pyspark.errors.exceptions.connect import AnalysisException

    found = translate(AnalysisException("[INSUFFICIENT_PERMISSIONS] Insufficient privileges: no SELECT"), "main.reg.chunks")
    assert found is not None
    assert found.status == 403
    assert "ask the owner" in str(found)


def test_the_sections_of_the_runbook_that_messages_name_are_there() -> None:
    root = Path(__file__).parents[2]
    headings = re.findall(r"^#+ (.*)$", (root / "docs" / "runbook.md").read_text(), re.MULTILINE)
    sources = [path.read_text() for path in (root / "src").rglob("*.py")]
    named = {name for text in sources for name in re.findall(r"docs/runbook\.md, ([A-Z][\w ]*)", text)}
    assert named
    assert [name for name in named if not any(heading.startswith(name) for heading in headings)] == []
