#!/usr/bin/env python3
"""Draws what bench/times, bench/peers.py and bindings/python/bench/overhead.py have written as JSON. Needs matplotlib.

usage: plot.py [--times FILE ...] [--peers FILE] [--out FOLDER]

Writes performance-goals.svg (each row against the raw driver and its goal) and performance-peers.svg (nanoseconds per operation
beside other libraries). What overhead.py has written is good for both: its rows join those of bench/times. The same figures give
the same bytes.
"""
import argparse
import io
import json
import os
import re
import sys

import matplotlib
matplotlib.use("svg")
import matplotlib.pyplot as plt             # noqa: E402  (the backend comes first)

# The palette of Okabe and Ito, which people with any colour vision tell apart.
BLUE, ORANGE, GREEN, PINK, SKY, YELLOW, RED, GREY = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#F0E442", "#D55E00",
                                                     "#777777")
COLOURS = {"raw driver": GREY, "Baton": BLUE, "Baton, Python": SKY, "host waits": "#BBBBBB", "PyTorch": RED, "PyTorch, events": ORANGE,
           "CuPy": GREEN, "cuda.core": PINK, "JAX": YELLOW}
LINE = 0.3          # inches of height that a row takes


def style():
    plt.rcParams.update({"svg.hashsalt": "baton", "svg.fonttype": "none", "font.family": ["DejaVu Sans"], "font.size": 9,
                         "axes.spines.top": False, "axes.spines.right": False, "axes.axisbelow": True,
                         "axes.titlesize": 10, "axes.titlelocation": "left", "figure.facecolor": "white"})


def save(figure, path):
    text = io.StringIO()
    figure.savefig(text, metadata={"Date": None, "Creator": "bench/plot.py"}, bbox_inches="tight")
    plt.close(figure)
    with open(path, "w", encoding="utf-8") as file:         # without the blanks that paths end in
        file.writelines(line.rstrip() + "\n" for line in text.getvalue().splitlines())
    print(path)


# ---------------------------------------------------------------- goals

def limit(result, results):
    """What the goal allows, in the figure's own unit; None where there is no goal in numbers."""
    goal, floor = result["goal"], result.get("floor_ns")
    factor = re.match(r"<= ([\d.]+)x(?: \+ (\d+) ns)?", goal)
    if factor and floor:
        return float(factor[1]) * floor + float(factor[2] or 0)
    more = re.match(r"<= \+(\d+) ns", goal)
    if more and floor:
        return floor + float(more[1])
    above = re.match(r"<= (\S+) \+ (\d+) ns per array", goal)
    if above and above[1] in results:
        arrays = int(result["id"].rsplit("/", maxsplit=1)[1])
        return results[above[1]]["ours_ns"] + (arrays - 1) * float(above[2])
    plain = re.match(r"<= ([\d.]+) (?:ns|%)", goal)
    return float(plain[1]) if plain else None


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def goal_rows(told):
    """Rows with a goal: (label, share, low, high, allowed); against the raw driver, and against the goal alone."""
    results = {result["id"]: result for result in told["results"]}
    against_raw, alone = [], []
    for result in told["results"]:
        allowed, floor = limit(result, results), result.get("floor_ns")
        if allowed is None:
            continue
        ours = result.get("ours_ns", result.get("value"))
        label = f"{result['id']}: {result['name']}"
        if floor and "ratio" in result:
            low, high = result["ratio_quartiles"]
            against_raw.append((label, result["ratio"], low, high, allowed / floor))
        else:
            unit = (result.get("unit") or "ns").strip()
            alone.append((f"{label}: {number(ours)} of {number(allowed)} {unit}", ours / allowed, None, None, 1))
    return against_raw, alone


def draw_rows(axes, rows, what):
    for i, (label, share, low, high, allowed) in enumerate(reversed(rows)):
        met = share <= allowed
        colour = BLUE if met else RED
        if low is not None:
            axes.plot([low, high], [i, i], color=colour, linewidth=2, alpha=0.5, solid_capstyle="butt")
        axes.plot([share], [i], marker="o" if met else "X", color=colour, markersize=7, linestyle="none")
        axes.plot([allowed, allowed], [i - 0.42, i + 0.42], color="black", linewidth=1.5)
    axes.set_yticks(range(len(rows)), [row[0] for row in reversed(rows)])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlim(0, max(1.2, 1.05 * max(max(row[1], row[3] or 0, row[4]) for row in rows)))
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_xlabel(what)


def draw_goals(told, path):
    scales = ("time over its floor's: the raw driver's, or what the row names (1 = the same)", "figure over its goal (1 = just met)")
    groups = [(rows, what) for rows, what in zip(goal_rows(told), scales) if rows]
    if not groups:
        raise SystemExit("no row of the file has a goal in numbers")
    figure, axes = plt.subplots(len(groups), 1, figsize=(9.5, sum(LINE * len(rows) + 0.9 for rows, _ in groups)),
                                height_ratios=[len(rows) + 1 for rows, _ in groups], squeeze=False)
    for place, (rows, what) in zip(axes[:, 0], groups):
        draw_rows(place, rows, what)
    axes[0, 0].set_title(f"Goals, {told['device']}", pad=24)
    marks = [plt.Line2D([], [], color=BLUE, marker="o", linestyle="none", label="goal met"),
             plt.Line2D([], [], color=RED, marker="X", linestyle="none", label="missed"),
             plt.Line2D([], [], color="black", marker="|", markersize=10, linestyle="none", label="goal"),
             plt.Line2D([], [], color=BLUE, linewidth=2, alpha=0.5, label="quartiles")]
    axes[0, 0].legend(handles=marks, loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, borderaxespad=0.2)
    figure.tight_layout()
    save(figure, path)


# ---------------------------------------------------------------- peers

def draw_operation(axes, title, figures):
    order = sorted(figures, key=lambda figure: (list(COLOURS).index(figure["who"]) if figure["who"] in COLOURS else 99, figure["who"]))
    order.reverse()                                     # the first is drawn on top
    most = max(max(figure["ns"], figure.get("high", 0)) for figure in order)
    for i, figure in enumerate(order):
        axes.barh(i, figure["ns"], color=COLOURS.get(figure["who"], GREY), height=0.7)
        if "low" in figure:
            axes.plot([figure["low"], figure["high"]], [i, i], color="black", linewidth=1)
        end = max(figure["ns"], figure.get("high", 0))
        axes.text(end + 0.015 * most, i, f"{figure['ns']:,.0f}", va="center", fontsize=8)
    axes.set_yticks(range(len(order)), [figure["who"] for figure in order])
    axes.tick_params(axis="y", length=0)
    axes.set_xlim(0, 1.2 * most)
    axes.set_title(title)
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_xlabel("ns per operation")


def draw_peers(told, path):
    groups = [(title, [figure for figure in told["figures"] if figure["row"] == row]) for row, title in told["rows"].items()]
    groups = [group for group in groups if group[1]]
    if not groups:
        raise SystemExit("the file has no figures")
    columns = 2 if len(groups) > 1 else 1
    lines = [groups[i:i + columns] for i in range(0, len(groups), columns)]
    heights = [max(len(figures) for _, figures in line) for line in lines]
    figure, axes = plt.subplots(len(lines), columns, figsize=(4.6 * columns, sum(LINE * height + 0.9 for height in heights)),
                                height_ratios=[height + 1 for height in heights], squeeze=False)
    for places, line in zip(axes, lines):
        for place, (title, figures) in zip(places, line):
            draw_operation(place, title, figures)
        for place in places[len(line):]:
            place.axis("off")
    versions = ", ".join(f"{name} {version}" for name, version in told["versions"].items())
    figure.suptitle(f"{told['device'] or ''}; {versions}".strip("; "), x=0.01, ha="left", fontsize=9)
    figure.tight_layout(rect=(0, 0, 1, 0.99))
    save(figure, path)


def read_times(paths):
    """The results of several programs as those of one."""
    told = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            told.append(json.load(file))
    devices = dict.fromkeys(each["device"] for each in told)
    return {"device": ", ".join(devices), "results": [result for each in told for result in each["results"]]}


def read_peers(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--times", nargs="+", metavar="FILE", help="written by bench/times --json, or overhead.py --json")
    parser.add_argument("--peers", metavar="FILE", help="written by bench/peers.py --json, or overhead.py --json")
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "doc"))
    choice = parser.parse_args()
    if not choice.times and not choice.peers:
        parser.error("nothing to draw: --times, --peers, or both")
    style()
    for path, read, draw, name in ((choice.times, read_times, draw_goals, "goals"), (choice.peers, read_peers, draw_peers, "peers")):
        if path:
            draw(read(path), os.path.join(choice.out, f"performance-{name}.svg"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
