"""Figures for the notebooks: plain functions from rows to a matplotlib figure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

COLOURS = {
    "resolved": "#2f6f4f",
    "out_of_corpus": "#9a9a9a",
    "ambiguous": "#c98a1b",
    "unresolved": "#b3362c",
    "unsupported": "#6b4c9a",
}
_MOST = 60  # places on the circle, bars below each other: more cannot be read


def section_of(node_id: str) -> str:
    """The section or other unit of a citation: paragraph designators cut off.

    >>> section_of("21 CFR 211.22(a)(1)")
    '21 CFR 211.22'
    """
    return re.sub(r"\([^)]*\).*$", "", node_id).strip()


def edge_graph(edges: Sequence[Mapping[str, Any]], title: str = "") -> Any:
    """The sections of a corpus on a circle, in the order of their numbers, and the references between them, by status.

    *edges* have source_node_id, target_node_id (or None) and status; targets outside the corpus stand beyond the circle.
    """
    from matplotlib.figure import Figure

    pairs = Counter((section_of(e["source_node_id"]), section_of(e["target_node_id"] or "?"), e["status"]) for e in edges)
    degree = Counter(name for (source, target, _), n in pairs.items() for name in (source, target) for _ in range(n))
    held = {section_of(e["source_node_id"]) for e in edges}
    held |= {section_of(e["target_node_id"]) for e in edges if e["status"] == "resolved" and e["target_node_id"]}
    inside = sorted(held, key=_by_number)
    busiest = {name for name, _ in degree.most_common(_MOST)}
    ring = [name for name in inside if name in busiest]
    beyond = [name for name, _ in degree.most_common() if name in busiest and name not in ring and name != "?"]
    places = {**_circle(ring, 1.0), **_circle(beyond, 1.45)}
    figure = Figure(figsize=(9, 9), layout="constrained")
    axes = figure.add_subplot(aspect="equal")
    axes.set_axis_off()
    for (source, target, status), count in pairs.items():
        if source in places and target in places:
            _arrow(axes, places[source], places[target], COLOURS.get(status, "#000000"), count)
    size = 6 if len(places) > 40 else 8
    for name, (x, y) in places.items():
        turn = math.degrees(math.atan2(y, x))
        flip = turn > 90 or turn < -90
        axes.text(
            x * 1.03, y * 1.03, name, fontsize=size, rotation=turn + 180 if flip else turn, rotation_mode="anchor",
            ha="right" if flip else "left", va="center", color="#222222" if name in ring else "#777777",
        )  # fmt: skip
    for status, count in Counter(e["status"] for e in edges).most_common():
        axes.plot([], [], color=COLOURS.get(status, "#000000"), label=f"{status} ({count})")
    axes.legend(loc="lower left", fontsize=7, frameon=False)
    axes.set_xlim(-2.05, 2.05)
    axes.set_ylim(-2.05, 2.05)
    figure.suptitle(title or f"{len(edges)} references, {len(inside)} sections in the corpus", fontsize=10)
    return figure


def _by_number(node_id: str) -> list[tuple[int, str]]:
    """Sort key that reads numbers as numbers: 211.22 before 211.101."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.findall(r"\d+|\D+", node_id)]


def _circle(names: Sequence[str], radius: float) -> dict[str, tuple[float, float]]:
    step = 2 * math.pi / max(1, len(names))
    return {name: (radius * math.cos(i * step), radius * math.sin(i * step)) for i, name in enumerate(names)}


def _arrow(axes: Any, start: tuple[float, float], end: tuple[float, float], colour: str, count: int) -> None:
    if start == end:
        axes.plot(*start, "o", color=colour, markersize=3)
        return
    style = {
        "arrowstyle": "-|>",
        "color": colour,
        "alpha": 0.55,
        "lw": 0.5 + 0.4 * min(count, 5),
        "connectionstyle": "arc3,rad=0.18",
    }
    axes.annotate("", xy=end, xytext=start, arrowprops=style)


def bars(counts: Mapping[str, Mapping[str, float]], title: str, label: str = "") -> Any:
    """Stacked horizontal bars: one for each key of *counts*, its parts by name, told beside them.

    Of more than can be read the longest are drawn, the others together in one.
    """
    from matplotlib import colormaps
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    counts = _readable(counts)
    parts = list(dict.fromkeys(part for values in counts.values() for part in values))
    told = len(parts) > 1
    figure = Figure(figsize=(10 if told else 8, 1.2 + max(0.32 * len(counts), 0.2 * len(parts) * told)), layout="constrained")
    axes = figure.add_subplot()
    left = [0.0] * len(counts)
    colours = colormaps["tab20"]
    for number, part in enumerate(parts):
        widths = [float(values.get(part, 0)) for values in counts.values()]
        axes.barh(list(counts), widths, left=left, label=part, color=COLOURS.get(part, colours(number % 20)))
        left = [a + b for a, b in zip(left, widths)]
    axes.invert_yaxis()
    axes.set_title(title, fontsize=10)
    axes.set_xlabel(label)
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    axes.spines[["top", "right"]].set_visible(False)
    if told:
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def _readable(counts: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, float]]:
    if len(counts) <= _MOST:
        return counts
    longest = set(sorted(counts, key=lambda name: -sum(counts[name].values()))[: _MOST - 1])
    rest: Counter[str] = Counter()
    for name, parts in counts.items():
        if name not in longest:
            rest.update(parts)
    kept: dict[str, Mapping[str, float]] = {name: parts for name, parts in counts.items() if name in longest}
    return kept | {f"{len(counts) - len(longest)} others": dict(rest)}


def over_time(series: Mapping[str, Sequence[tuple[Any, float]]], label: str) -> Any:
    """One line for each key of *series*, its (moment, value) pairs in order; the axis of values is always 0 to 1.

    Evaluations stand at equal distances: they come minutes or months apart.
    """
    from matplotlib.figure import Figure

    moments = sorted({moment for pairs in series.values() for moment, _ in pairs})
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.add_subplot()
    for (name, pairs), colour in zip(series.items(), ("#9a9a9a", "#2f6f4f", "#c98a1b", "#6b4c9a")):
        at, values = zip(*((moments.index(moment), value) for moment, value in pairs)) if pairs else ((), ())
        axes.plot(at, values, "o-", color=colour, label=name)
    shown = range(0, len(moments), max(1, len(moments) // 8))
    axes.set_xticks(list(shown), [f"{moments[i]:%Y-%m-%d %H:%M}" for i in shown], rotation=30, ha="right", fontsize=8)
    axes.set_xlim(-0.5, max(0.5, len(moments) - 0.5))
    axes.set_ylim(-0.02, 1.04)
    axes.set_ylabel(label)
    axes.legend(frameon=False)
    return figure


def compared(first: Mapping[str, float], second: Mapping[str, float], names: tuple[str, str], title: str) -> Any:
    """Two runs side by side, measure by measure; the axis is always 0 to 1."""
    from matplotlib.figure import Figure

    measures = [name for name in first if name in second]
    figure = Figure(figsize=(8, 0.8 + 0.45 * len(measures)), layout="constrained")
    axes = figure.add_subplot()
    rows = list(range(len(measures)))
    axes.barh([row - 0.2 for row in rows], [first[m] for m in measures], 0.38, label=names[0], color="#9a9a9a")
    axes.barh([row + 0.2 for row in rows], [second[m] for m in measures], 0.38, label=names[1], color="#2f6f4f")
    axes.set_yticks(rows, measures, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_title(title, fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(fontsize=7, frameon=False)
    return figure
