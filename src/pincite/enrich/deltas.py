"""A published ONNX model with some of its weights changed: the bytes are patched in memory before the runtime sees them.

Only what is needed of the format is read: of the model its graph, of the graph its initializers, of each its name and its raw
bytes in single precision.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pincite.errors import ModelMissing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_GRAPH, _INITIALIZER, _NAME, _RAW = 7, 5, 8, 9  # field numbers of ModelProto, GraphProto and TensorProto
_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5  # wire types


def patched(model: bytes, deltas: Mapping[str, Floats]) -> bytes:
    """*model* with each delta added to the initializer of its name, which has as many numbers."""
    import numpy as np

    changed = bytearray(model)
    known = initializers(model)
    for name, delta in deltas.items():
        start, end = known.get(name, (0, 0))
        if end - start != 4 * delta.size:
            raise ModelMissing(
                f"the model has no weights {name!r} of {delta.size} numbers", next="fetch it anew: pincite model"
            )
        np.frombuffer(changed, dtype="<f4", count=delta.size, offset=start)[:] += delta.ravel()
    return bytes(changed)


def initializers(model: bytes) -> dict[str, tuple[int, int]]:
    """Where the raw bytes of each initializer stand."""
    found = {}
    for field, start, end in _fields(model, 0, len(model)):
        for inner, at, to in _fields(model, start, end) if field == _GRAPH else ():
            if inner == _INITIALIZER:
                parts = {number: (one, two) for number, one, two in _fields(model, at, to) if number in (_NAME, _RAW)}
                if len(parts) == 2:
                    found[model[slice(*parts[_NAME])].decode()] = parts[_RAW]
    return found


def _fields(data: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The number, start and end of each length-delimited field of a message; the others are skipped."""
    while at < end:
        key, at = _varint(data, at)
        wire = key & 7
        if wire == _BYTES:
            size, at = _varint(data, at)
            yield key >> 3, at, at + size
            at += size
        elif wire == _VARINT:
            _, at = _varint(data, at)
        elif wire in (_EIGHT, _FOUR):
            at += 8 if wire == _EIGHT else 4
        else:
            raise ModelMissing("the model file is no ONNX model", next="fetch it anew: pincite model")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
