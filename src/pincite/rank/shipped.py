"""Learned arrays that are committed as data: the bytes, and beside them a seal of what they are and what trained them."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.errors import IndexFault
from pincite.model import sha256_hex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Shipped(NamedTuple):
    """An array in single precision, and its seal: ``sha256`` of its file, ``trained_on``, and what else was said of it."""

    array: NDArray[np.float32]
    seal: Mapping[str, Any]


def save_array(array: NDArray[Any], said: Mapping[str, Any], trained_on: Mapping[str, str], folder: Path, name: str) -> None:
    """Write *array* in half precision as ``NAME.npy``, and its seal as ``NAME.json``."""
    import numpy as np

    file = folder / f"{name}.npy"
    np.save(file, array.astype(np.float16))
    seal = {**said, "sha256": sha256_hex(file.read_bytes()), "trained_on": dict(sorted(trained_on.items()))}
    (folder / f"{name}.json").write_text(json.dumps(seal, indent=1) + "\n", encoding="utf-8")


def load_array(name: str, what: str, folder: Path | None = None) -> Shipped | None:
    """What ``save_array`` wrote, by default as committed; None where nothing is; ``IndexFault`` where other bytes are."""
    import numpy as np

    source = folder or resources.files("pincite.rank") / "weights"
    file = source / f"{name}.npy"
    if not file.is_file():
        return None
    data = file.read_bytes()
    seal = json.loads((source / f"{name}.json").read_text(encoding="utf-8"))
    if seal["sha256"] != sha256_hex(data):
        raise IndexFault(f"{what} is damaged", where=file.name, next="restore it, or make train")
    return Shipped(np.load(io.BytesIO(data), allow_pickle=False).astype(np.float32), seal)
