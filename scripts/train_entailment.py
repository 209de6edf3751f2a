"""An entailment reader for the gate, not shipped yet (decision 0250): a cross-encoder, by low-rank deltas on a model that the
product has anyway. It learns a grammar of made rules first, then pairs that people wrote.

    python scripts/train_entailment.py --hold w2 --save reader.pt     # learn from the other writers, measure on this one

Needs torch and onnx, which the product does not (pip install torch onnx), and the model: pincite model minilm-l6-v2. It wants
an hour of two quiet cores. Each epoch prints how well the writer held back is told.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from entailment_grammar import example
from entailment_pairs import SAME, Example, Line, drawn, gold, load, shared, tested
from onnx import numpy_helper
from tokenizers import Tokenizer

from pincite.index.models import cache_folder

PAIRS = Path(__file__).resolve().parents[1] / "conf" / "gold" / "grounding"
MATRICES = ("query", "key", "value", "attention.output.dense", "intermediate.dense", "output.dense")
HEADS, EPSILON = 12, 1e-12
GRAMMAR = 64  # pairs of a batch of the grammar
KINDS_WEIGHT, RANK_WEIGHT = 0.3, 0.5


class Plan(NamedTuple):
    """How long and how hard it learns."""

    epochs: int = 8
    warm: int = 1000  # batches of the grammar before
    rate: float = 6e-4
    rank: int = 12
    first: int = 2  # the layers below stay as published
    lines: int = 6  # of a batch
    longest: int = 128  # tokens of a pair
    drop: float = 0.1  # of what the head sees
    decay: float = 0.01
    seed: int = 0


class Encoder(torch.nn.Module):
    """The published encoder with ``W + A @ B`` in place of each matrix, and everything small learned as it is."""

    def __init__(self, path: Path, plan: Plan) -> None:
        super().__init__()
        graph = onnx.load(str(path)).graph
        arrays = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
        self.names = _matrices(graph)
        self.depth = len(self.names) // len(MATRICES)
        self.frozen = {name: arrays[name] for name in arrays if name.startswith("embeddings.")}
        self.base = {key: arrays[name].t().contiguous() for key, name in self.names.items()}
        self.first = plan.first
        self.small = torch.nn.ParameterDict(
            {name.replace(".", "/"): torch.nn.Parameter(arrays[name]) for name in arrays if name.startswith("encoder.")}
        )
        for name, value in self.small.items():
            value.requires_grad = int(name.split("/")[2]) >= self.first
        self.deltas = torch.nn.ParameterDict()
        torch.manual_seed(plan.seed)
        for (layer, kind), weight in self.base.items():
            if layer < self.first:
                continue
            rows, columns = weight.shape
            key = f"{layer}/{kind}".replace(".", "-")
            self.deltas[key + "/a"] = torch.nn.Parameter(torch.zeros(rows, plan.rank))
            self.deltas[key + "/b"] = torch.nn.Parameter(torch.randn(plan.rank, columns) / math.sqrt(columns))
        self.lower = {key: weight.to(torch.bfloat16) for key, weight in self.base.items() if key[0] < self.first}
        self.drop = plan.drop

    def weights(self) -> dict[tuple[int, str], torch.Tensor]:
        """Every matrix with its delta, in half precision."""
        found = dict(self.lower)
        for (layer, kind), weight in self.base.items():
            if layer < self.first:
                continue
            key = f"{layer}/{kind}".replace(".", "-")
            delta = self.deltas[key + "/a"] @ self.deltas[key + "/b"]
            found[layer, kind] = (weight + delta).to(torch.bfloat16)
        return found

    def forward(self, ids: torch.Tensor, kinds: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Hidden states of the last layer, shape (texts, tokens, width)."""
        weights = self.weights()
        states = (
            self.frozen["embeddings.word_embeddings.weight"][ids]
            + self.frozen["embeddings.token_type_embeddings.weight"][kinds]
        )
        states = states + self.frozen["embeddings.position_embeddings.weight"][: ids.shape[1]]
        norm = (self.frozen["embeddings.LayerNorm.weight"], self.frozen["embeddings.LayerNorm.bias"])
        states = F.layer_norm(states, states.shape[-1:], *norm, EPSILON).to(torch.bfloat16)
        shut = torch.zeros(mask.shape, dtype=torch.bfloat16).masked_fill(mask == 0, -1e4)[:, None, None, :]
        with torch.no_grad():
            for layer in range(self.first):
                states = self._layer(layer, states, shut, weights)
        for layer in range(self.first, self.depth):
            states = self._layer(layer, states, shut, weights)
        return states.float()

    def _layer(self, layer: int, states: Any, shut: Any, weights: dict[tuple[int, str], Any]) -> Any:
        def small(name: str) -> torch.Tensor:
            return self.small[f"encoder.layer.{layer}.{name}".replace(".", "/")].to(torch.bfloat16)

        texts, tokens, width = states.shape
        three = torch.cat([weights[layer, name] for name in MATRICES[:3]])
        bias = torch.cat([small(f"attention.self.{name}.bias") for name in MATRICES[:3]])
        query, key, value = (
            part.view(texts, tokens, HEADS, -1).transpose(1, 2) for part in F.linear(states, three, bias).split(width, -1)
        )
        attention = torch.softmax((query * (width // HEADS) ** -0.5) @ key.transpose(-1, -2) + shut, -1)
        mixed = (attention @ value).transpose(1, 2).reshape(texts, tokens, width)
        mixed = F.linear(mixed, weights[layer, "attention.output.dense"], small("attention.output.dense.bias"))
        states = self._normed(
            states, mixed, small("attention.output.LayerNorm.weight"), small("attention.output.LayerNorm.bias")
        )
        inner = F.gelu(F.linear(states, weights[layer, "intermediate.dense"], small("intermediate.dense.bias")))
        inner = F.linear(inner, weights[layer, "output.dense"], small("output.dense.bias"))
        return self._normed(states, inner, small("output.LayerNorm.weight"), small("output.LayerNorm.bias"))

    def _normed(self, states: Any, more: Any, weight: Any, bias: Any) -> Any:
        return F.layer_norm(states + more, states.shape[-1:], weight, bias, EPSILON)


def _matrices(graph: Any) -> dict[tuple[int, str], str]:
    """The initializer of each matrix by its layer and kind, read from the names of the nodes."""
    found = {}
    known = {tensor.name for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in known:
            where = node.name.strip("/").split("/")
            layer = int(where[1].removeprefix("layer."))
            kind = ".".join(where[2:-1])
            found[layer, next(k for k in MATRICES if kind in (k, f"attention.self.{k}"))] = node.input[1]
    return found


class Reader(torch.nn.Module):
    """The encoder and its head: a hidden layer over the first token and both texts' means, then sameness and kinds."""

    def __init__(self, path: Path, plan: Plan, kinds: Sequence[str]) -> None:
        super().__init__()
        self.encoder = Encoder(path, plan)
        self.kinds = list(kinds)
        width = 384
        self.hidden = torch.nn.Linear(3 * width, 64)
        self.same = torch.nn.Linear(64, 1)
        self.kind = torch.nn.Linear(64, len(self.kinds))

    def forward(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
        states = self.encoder(batch.ids, batch.kinds, batch.mask)
        pooled = [states[:, 0]]
        for kind in (0, 1):
            weight = (batch.mask * (batch.kinds == kind))[:, :, None].float()
            pooled.append((states * weight).sum(1) / weight.sum(1))
        hidden = torch.tanh(self.hidden(F.dropout(torch.cat(pooled, 1), self.encoder.drop, self.training)))
        return self.same(hidden)[:, 0], self.kind(hidden)


class Batch(NamedTuple):
    ids: torch.Tensor
    kinds: torch.Tensor
    mask: torch.Tensor


def batched(tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> Batch:
    """Both texts of each pair as one row."""
    encoded = tokenizer.encode_batch(list(pairs))
    width = max(len(each.ids) for each in encoded)
    rows = np.zeros((3, len(encoded), width), dtype=np.int64)
    for row, each in enumerate(encoded):
        size = len(each.ids)
        rows[0, row, :size], rows[1, row, :size], rows[2, row, :size] = each.ids, each.type_ids, 1
    return Batch(*map(torch.from_numpy, rows))


def learn(
    lines: list[Line], plan: Plan, model: Path, kinds: Sequence[str], start: Path | None = None, check: Any = None
) -> Reader:
    """A reader that learned from the grammar, or goes on from the one kept in *start*, and then from *lines*."""
    reader = Reader(model / "model.onnx", plan, kinds)
    if start:
        reader.load_state_dict(torch.load(start)["state"])
    rng = random.Random(plan.seed)
    tokenizer = tokenizer_of(model, plan.longest)
    if plan.warm and not start:
        pool = list(_from_grammar(plan.warm, rng))
        _descend(reader, tokenizer, plan, len(pool), lambda epoch: iter(pool), 1, check)
    if plan.epochs:
        steps = math.ceil(len(lines) / plan.lines)
        _descend(reader, tokenizer, plan, steps, lambda epoch: _from_lines(lines, plan, rng), plan.epochs, check)
    return reader


def _from_grammar(count: int, rng: random.Random) -> Iterator[list[Example]]:
    """*count* batches of made pairs, each of pairs of like length."""
    batches: list[list[Example]] = []
    while len(batches) < count:
        pool = sorted((Example(*example(rng), -1 - at) for at in range(20 * GRAMMAR)), key=lambda e: len(e.one) + len(e.two))
        batches += [pool[at : at + GRAMMAR] for at in range(0, len(pool), GRAMMAR)]
    rng.shuffle(batches)
    return iter(batches[:count])


def _from_lines(lines: list[Line], plan: Plan, rng: random.Random) -> Iterator[list[Example]]:
    """Every line once, several of like length in a batch."""
    order = sorted(range(len(lines)), key=lambda at: len(lines[at].passage) * rng.uniform(0.7, 1.3))
    batches = [order[at : at + plan.lines] for at in range(0, len(order), plan.lines)]
    rng.shuffle(batches)
    for batch in batches:
        yield [each for at in batch for each in drawn(lines, at, rng)]


def _descend(reader: Reader, tokenizer: Tokenizer, plan: Plan, steps: int, source: Any, epochs: int, check: Any) -> None:
    """AdamW with a warm start and a linear fall."""
    learned = [(name, value) for name, value in reader.named_parameters() if value.requires_grad]
    matrices = [value for name, value in learned if ".deltas." in name]
    others = [value for name, value in learned if ".deltas." not in name]
    groups = [{"params": matrices, "rate": plan.rate}, {"params": others, "rate": min(plan.rate, 3e-4)}]
    optimizer = torch.optim.AdamW(groups, lr=plan.rate, weight_decay=plan.decay, betas=(0.9, 0.98))
    step = 0
    for epoch in range(epochs):
        reader.train()
        began, losses = time.time(), []
        for examples in source(epoch):
            step += 1
            share = min(1.0, step / (0.06 * steps * epochs)) * max(0.02, 1 - step / (steps * epochs))
            for group in optimizer.param_groups:
                group["lr"] = group["rate"] * share
            loss = _loss(reader, batched(tokenizer, [(e.one, e.two) for e in examples]), examples)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
            if len(losses) % 50 == 0:
                print(f"  {len(losses)} loss {np.mean(losses[-50:]):.4f} {time.time() - began:.0f} s", flush=True)
        print(f"epoch {epoch + 1} loss {np.mean(losses):.4f} {time.time() - began:.0f} s", flush=True)
        if check:
            check(reader)


def _loss(reader: Reader, batch: Batch, examples: Sequence[Example]) -> torch.Tensor:
    """Same or not; in what; and within a line, what is the same before what is not."""
    same, kinds = reader(batch)
    wanted = torch.tensor([float(each.kind == SAME) for each in examples])
    loss = F.binary_cross_entropy_with_logits(same, wanted)
    known = torch.tensor([reader.kinds.index(e.kind) if e.kind in reader.kinds else -100 for e in examples])
    loss = loss + KINDS_WEIGHT * F.cross_entropy(kinds, known, ignore_index=-100)
    group = torch.tensor([each.group for each in examples])
    rivals = (group[:, None] == group[None]) & (wanted[:, None] > wanted[None])
    if rivals.any() and group[0] >= 0:
        loss = loss + RANK_WEIGHT * F.softplus(same[None] - same[:, None])[rivals].mean()
    return loss


def tokenizer_of(model: Path, longest: int) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


def scores(reader: Reader, tokenizer: Tokenizer, pairs: Sequence[tuple[str, str]]) -> np.ndarray[Any, Any]:
    """The logit of each pair, both ways round, averaged."""
    reader.eval()
    found = np.zeros(len(pairs))
    order = sorted(range(len(pairs)), key=lambda at: len(pairs[at][0]) + len(pairs[at][1]))
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            part = order[start : start + 64]
            for turned in (False, True):
                asked = [pairs[at][::-1] if turned else pairs[at] for at in part]
                found[part] += reader(batched(tokenizer, asked))[0].numpy() / 2
    return found


def report(values: np.ndarray[Any, Any], same: np.ndarray[Any, Any]) -> str:
    """The area under the curve, and the share let through where 90, 95, 98 and 99 % of the others are caught."""
    order = values.argsort().argsort()
    area = (order[same].sum() - same.sum() * (same.sum() - 1) / 2) / (same.sum() * (~same).sum())
    told = [f"AUC {area:.4f}"]
    for share in (0.9, 0.95, 0.98, 0.99):
        least = np.quantile(values[~same], share)
        told.append(f"@{share:.0%} {(values[same] > least).mean():.3f}")
    return " ".join(told)


def matched(values: np.ndarray[Any, Any], examples: Sequence[Example]) -> str:
    """How often a faithful rewording is above a corrupted one of its passage that shares about as many words with it."""
    by_line: dict[int, list[tuple[bool, float, float]]] = {}
    for value, each in zip(values, examples):
        by_line.setdefault(each.group, []).append((each.kind == SAME, float(value), shared(each.one, each.two)))
    pairs = [
        (good[1], bad[1])
        for told in by_line.values()
        for good in told
        for bad in told
        if good[0] and not bad[0] and abs(good[2] - bad[2]) < 0.04
    ]
    return f"{sum(good > bad for good, bad in pairs) / max(1, len(pairs)):.3f} of {len(pairs)} pairs that share as many words"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pairs", type=Path, default=PAIRS / "written")
    options.add_argument("--hold", default="w2", help="the writers to measure on, none of whose pairs are learned")
    options.add_argument("--model", default="minilm-l6-v2")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--start", type=Path, help="go on from a reader that was saved")
    options.add_argument("--save", type=Path)
    for name, value in Plan._field_defaults.items():
        options.add_argument(f"--{name}", type=type(value), default=value)
    given = vars(options.parse_args())
    plan = Plan(**{name: given[name] for name in Plan._fields})
    torch.set_num_threads(given["threads"])
    lines = load(given["pairs"]) + gold(PAIRS)
    held = set(given["hold"].split(","))
    kinds = sorted({SAME, *(kind for line in lines if line.writer != "gold" for kind, _ in line.corrupt)})
    model = cache_folder() / "models" / given["model"]
    asked = list(tested([line for line in lines if line.writer in held]))
    same = np.array([each.kind == SAME for each in asked])
    tokenizer = tokenizer_of(model, 512)

    def check(reader: Reader) -> None:
        if given["save"]:
            torch.save({"state": reader.state_dict(), "plan": plan._asdict(), "kinds": kinds}, given["save"])
        if asked:
            values = scores(reader, tokenizer, [(each.one, each.two) for each in asked])
            print("   ", report(values, same), matched(values, asked), flush=True)

    learn([line for line in lines if line.writer not in held], plan, model, kinds, given["start"], check)


if __name__ == "__main__":
    main()
