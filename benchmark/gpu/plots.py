"""PNG plots: time over size, and the part of the copy's bandwidth."""

import math
import os

import report
import workloads

# Colours that stay apart also for those who do not see red and green; ours stands out.
STYLES = {
    "ours": ("#d81b60", "-", "o", 2.2), "copy": ("#555555", "--", "", 1.2),
    "torch": ("#1e88e5", "-", "s", 1.2), "torch-assoc": ("#1e88e5", ":", "D", 1.2),
    "cub": ("#004d40", "-", "^", 1.2), "cub-aos": ("#004d40", ":", "v", 1.2),
    "triton-seq": ("#ffa000", "-", "x", 1.2), "triton-assoc": ("#ffa000", ":", "+", 1.2),
    "jax-assoc": ("#8e24aa", "-", "*", 1.2), "cupy": ("#6d4c41", "-", "1", 1.2),
    "accelerated-scan": ("#6d4c41", ":", "2", 1.2), "static": ("#d81b60", "--", "o", 1.2),
    "fast-math": ("#d81b60", "-", "^", 1.2), "static-fast-math": ("#d81b60", "--", "^", 1.2),
    "fla": ("#1e88e5", "-", "2", 1.2), "mamba-ssm": ("#004d40", "-", "2", 1.2),
}


def draw(cases, records, facts, folder):
    """Two files per workload into `folder`; the paths, or none without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    from matplotlib import pyplot

    gpu, paths = facts.get("gpu", {}).get("name", ""), []
    os.makedirs(folder, exist_ok=True)
    for workload, title in workloads.TITLES.items():
        series = {}
        for case in cases:
            if case.workload == workload and any(
                    report.is_measured(one) for one in records.get(case.key, {}).values()):
                series.setdefault(case.series, []).append(case)
        if not series:
            continue
        for kind, name in ((_draw_time, "time"), (_draw_fraction, "of-copy")):
            columns = min(4 if len(series) > 9 else 3, len(series))
            rows = math.ceil(len(series) / columns)
            figure, axes = pyplot.subplots(rows, columns, squeeze=False, layout="constrained",
                                           figsize=(4.6 * columns + 1.2, 3.6 * rows))
            for axis in axes.flat[len(series):]:
                axis.set_visible(False)
            handles = {}
            for axis, (label, chosen) in zip(axes.flat, series.items()):
                kind(axis, sorted(chosen, key=lambda case: case.size), records, handles)
                axis.set_title(label, fontsize=9)
                axis.grid(True, which="major", alpha=0.3)
            figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize=8)
            figure.suptitle(f"{workload}) {title}, {gpu}", fontsize=11)
            path = os.path.join(folder, f"{workload}-{name}.png")
            figure.savefig(path, dpi=110)
            pyplot.close(figure)
            paths.append(path)
    return paths


def _lines(chosen, records, value):
    """Per contender the sizes and values; our variants are one line, the fastest."""
    lines = {}
    for case in chosen:
        record = records.get(case.key, {})
        ours = report.best_of_ours(record)[1]
        shown = {name: figures for name, figures in record.items()
                 if not name.startswith("ours") and report.is_right(figures)}
        if ours:
            shown["ours"] = ours
        for name, figures in shown.items():
            number = value(case, record, figures)
            if number is not None:
                lines.setdefault(name, []).append((case.size, number))
    return lines


def _plot(axis, lines, handles):
    for name, style in STYLES.items():
        if name not in lines:
            continue
        color, dashes, marker, width = style
        handles[name], = axis.plot(*zip(*lines[name]), color=color, linestyle=dashes,
                                   marker=marker, markersize=4, linewidth=width,
                                   zorder=3 if name == "ours" else 2)
    axis.set_xscale("log", base=2)
    axis.set_xlabel("length", fontsize=8)


def _draw_time(axis, chosen, records, handles):
    _plot(axis, _lines(chosen, records, lambda case, record, one: one["seconds"] * 1e6), handles)
    axis.set_yscale("log")
    axis.set_ylabel("microseconds", fontsize=8)


def _draw_fraction(axis, chosen, records, handles):
    def fraction(case, record, figures):
        copy = record.get("copy")
        return copy["seconds"] / figures["seconds"] if report.is_measured(copy) else None

    _plot(axis, _lines(chosen, records, fraction), handles)
    axis.set_ylim(0, 1.15)
    axis.set_ylabel("of the copy's bandwidth", fontsize=8)
