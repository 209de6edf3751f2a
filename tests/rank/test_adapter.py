"""The map of question vectors brings questions nearer to what answers them, and a changed file is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.errors import IndexFault
from pincite.rank.adapter import NAME, Asked, adapt, fit, load_adapters, save_adapters


def unit(rows):  # type: ignore[no-untyped-def]
    import numpy as np

    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_a_rotation_is_learned_and_holds_for_new_questions() -> None:
    import numpy as np

    rng = np.random.default_rng(3)
    passages = unit(rng.normal(size=(200, 16)))
    turn = np.eye(16) + 0.8 * rng.normal(size=(16, 16)) / 4
    questions = unit(passages @ turn + 0.1 * rng.normal(size=passages.shape))
    asked = Asked(questions[:150], passages, [[at] for at in range(150)])

    def first(moved):  # type: ignore[no-untyped-def]
        return float(((moved @ passages.T).argmax(axis=1) == np.arange(150, 200)).mean())

    matrix = fit([asked])
    assert first(adapt(questions[150:], matrix)) >= first(questions[150:])
    own = (questions[150:] * passages[150:]).sum(axis=1) - (questions[150:] @ passages.T).mean(axis=1)
    moved = adapt(questions[150:], matrix)
    assert ((moved * passages[150:]).sum(axis=1) - (moved @ passages.T).mean(axis=1)).mean() > own.mean()


def test_the_map_is_sealed(tmp_path: Path) -> None:
    import numpy as np

    save_adapters({"vector": np.eye(4, dtype=np.float32)}, {"invented": "0"}, tmp_path)
    loaded = load_adapters(tmp_path)
    assert list(loaded) == ["vector"]
    assert (loaded["vector"] == np.eye(4)).all()
    data = bytearray((tmp_path / f"{NAME}.npy").read_bytes())
    data[-1] ^= 1
    (tmp_path / f"{NAME}.npy").write_bytes(bytes(data))
    with pytest.raises(IndexFault, match="damaged"):
        load_adapters(tmp_path)
    assert load_adapters(tmp_path / "absent") == {}
