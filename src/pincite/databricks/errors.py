"""Platform errors become ours here and nowhere else.

``translate`` knows the exceptions of databricks-sdk, the Vector Search client, MLflow, Spark Connect and the HTTP libraries
under them, by module and attributes, so none of these has to be imported to ask. The sentence names what was refused, the
HTTP status, the platform's code, the request id and what to do next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pincite.errors import PinciteError, PlatformError

_MODULES = ("databricks.", "requests.", "urllib3.", "mlflow.", "pyspark.", "grpc", "oauthlib", "http.client")
_REQUEST_ID = re.compile(r"request[_ -]?id['\"]?\s*[:=]?\s*['\"]?([0-9a-zA-Z-]{8,})", re.IGNORECASE)
_SPARK_CODE = re.compile(r"^\s*(?:\([\w.]+\)\s*)?\[([A-Z_]+)(?:\.[A-Z_]+)*\]")
_DECORATION = re.compile(r"^\[[A-Z_]+\] | details=\[.*$|\.? Config: \w+=.*$")
"""What clients add to the service's message: the Vector Search client code and details, the SDK how it is configured."""
_LONGEST = 400

STATUS_OF_CODE = {
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "INSUFFICIENT_PERMISSIONS": 403,
    "INSUFFICIENT_PRIVILEGES": 403,
    "UNAUTHORIZED_ACCESS": 403,
    "RESOURCE_DOES_NOT_EXIST": 404,
    "NOT_FOUND": 404,
    "ENDPOINT_NOT_FOUND": 404,
    "TABLE_OR_VIEW_NOT_FOUND": 404,
    "SCHEMA_NOT_FOUND": 404,
    "RESOURCE_ALREADY_EXISTS": 409,
    "RESOURCE_CONFLICT": 409,
    "REQUEST_LIMIT_EXCEEDED": 429,
    "RESOURCE_EXHAUSTED": 429,
    "BAD_REQUEST": 400,
    "INVALID_PARAMETER_VALUE": 400,
    "INVALID_STATE": 400,
    "TEMPORARILY_UNAVAILABLE": 503,
    "INTERNAL_ERROR": 500,
    "DEADLINE_EXCEEDED": 504,
}
NEXT = {
    400: "correct the parameter it names, then repair the run",
    401: "sign in again or renew the run's credentials, then repair the run: it goes on where this one stopped",
    403: "ask the owner of that object for the missing privilege (docs/runbook.md, Rights), then repair the run",
    404: "deploy the bundle and run the task bootstrap, or correct the name",
    409: "another run made or changed it; repair the run",
    429: "the workspace is throttled; repair the run in some minutes",
    0: "the service could not be reached; repair the run, and check the workspace's status if it happens again",
}
TRANSIENT = frozenset({0, 429, 500, 502, 503, 504})


def translate(error: BaseException, where: str, missing: str = "") -> PlatformError | None:
    """Our error for a platform client's; None for one that is no platform error, which must then be raised as it is.

    *missing* is what to do where *where* does not exist.
    """
    if not _is_platform(error):
        return None
    status, code = _status(error)
    number = _request_id(error)
    told = ", ".join(filter(None, [f"HTTP {status}" if status else "no answer", code, f"request id {number or 'not given'}"]))
    message = _DECORATION.sub("", " ".join(_message(error).split()))[:_LONGEST].rstrip(".;: ")
    hint = (
        (missing if status == 404 else "")
        or NEXT.get(status)
        or "repair the run in some minutes; if it stays, give the request id to Databricks support"
    )
    return PlatformError(f"{message} ({told})", where=where, next=hint, status=status, request_id=number)


@contextmanager
def platform(where: str, missing: str = "") -> Iterator[None]:
    """Whatever a platform client raises inside becomes a ``PlatformError`` that names *where*."""
    try:
        yield
    except PinciteError:
        raise
    except Exception as error:
        ours = translate(error, where, missing)
        if ours is None:
            raise
        raise ours from error


def _is_platform(error: BaseException) -> bool:
    # TimeoutError is what the SDK raises when its own retries have ended; the cause says what it was retrying.
    return isinstance(error, (TimeoutError, ConnectionError)) or any(
        kind.__module__.startswith(_MODULES) for kind in type(error).__mro__
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _status(error: BaseException) -> tuple[int, str]:
    """HTTP status and platform code, from the error or what it was raised from; (0, "") where nothing answered."""
    for each in _chain(error):
        code = str(getattr(each, "error_code", "") or "") or _spark_code(each)
        status = getattr(each, "status_code", None) or getattr(each, "http_status_code", None)
        if isinstance(status, int) or code:
            number = status if isinstance(status, int) else STATUS_OF_CODE.get(code, _by_class(each))
            return number, code
        if number := _by_class(each):
            return number, ""
    return 0, ""


def _by_class(error: BaseException) -> int:
    """The status that the SDK's class stands for."""
    names = {kind.__name__ for kind in type(error).__mro__}
    classes = {
        "Unauthenticated": 401, "PermissionDenied": 403, "NotFound": 404, "ResourceConflict": 409, "TooManyRequests": 429,
        "BadRequest": 400, "InternalError": 500, "NotImplemented": 501, "TemporarilyUnavailable": 503, "DeadlineExceeded": 504,
    }  # fmt: skip
    return next((status for name, status in classes.items() if name in names), 0)


def _spark_code(error: BaseException) -> str:
    match = _SPARK_CODE.match(str(error)) if type(error).__module__.startswith(("pyspark.", "grpc")) else None
    return match[1] if match else ""


def _request_id(error: BaseException) -> str:
    """From the structured details of the answer, else from the text."""
    for each in _chain(error):
        details = getattr(each, "get_error_details", None)
        if details is not None and (info := details().request_info):
            return str(info.request_id)
        told = getattr(each, "details", None)
        for detail in told if isinstance(told, list) else []:  # of a gRPC error it is a method
            if isinstance(detail, dict) and detail.get("request_id"):
                return str(detail["request_id"])
        if match := _REQUEST_ID.search(str(each)):
            return match[1]
    return ""


def _message(error: BaseException) -> str:
    """The first line that says something; for retries that ended, with what they ended on."""
    said = [str(each).strip() for each in _chain(error) if str(each).strip()]
    first = said[0].split("\n\n")[0] if said else type(error).__name__
    last = said[-1] if len(said) > 1 else ""
    return f"{first}: {last}" if isinstance(error, TimeoutError) and last and last != first else first
