"""A table and a plot of what was measured."""

import statistics

NAMES = ["ours", "memcpy", "numpy", "C", "C -ffast-math", "torch", "torch generic", "jax",
         "jax scan"]


def ratio(record, over, under):
    """The median over rounds of the time of `over` by that of `under`, or None."""
    seconds = record["seconds"]
    if over not in seconds or under not in seconds:
        return None
    return statistics.median(a / b for a, b in zip(seconds[over], seconds[under]))


def bandwidth(record, name):
    """GB/s by the median time, or None."""
    if name not in record["seconds"]:
        return None
    return record["nbytes"] / statistics.median(record["seconds"][name]) / 1e9


def _cell(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def _asked(record):
    if record.get("bar_gbs"):
        return f"{record['bar_gbs']:g} GB/s"
    return _cell(record["bar"] or None)


def show_speedups(results):
    """What several threads gain, and how much of what copies gain."""
    single = {record["case"]: record for record in results["records"]
              if record.get("threads", 1) == 1}
    lines = []
    for record in results["records"]:
        threads = record.get("threads", 1)
        one = single.get(record["case"].removesuffix(f", {threads} threads"))
        if threads == 1 or not one:
            continue
        gains = [bandwidth(record, name) / bandwidth(one, name) for name in ("ours", "memcpy")]
        lines.append(f"| {record['case']} | {gains[0]:.2f} | {gains[1]:.2f} |")
    if lines:
        print("| case | times one thread | memcpy |\n|---|---|---|", *lines, "", sep="\n")


def show(results):
    """Prints a table in Markdown: ours in GB/s, its part of memcpy's bandwidth beside
    what is asked for, and how many times faster it is than each of the others."""
    loads = [record["load"] for record in results["records"]]
    counts = sorted({record.get("threads", 1) for record in results["records"]})
    used = "one" if counts == [1] else " and ".join(map(str, counts))
    print(f"{results['processor']}, {results['cores']} cores, {used} of them used; "
          f"load {min(loads):.1f} to {max(loads):.1f}\n")
    show_speedups(results)
    others = [name for name in NAMES[2:]
              if any(name in record["seconds"] for record in results["records"])]
    print("| case | compile, ms | GB/s | of memcpy | asked for | " + " | ".join(others) + " |")
    print("|---" * (5 + len(others)) + "|")
    for record in results["records"]:
        cells = [record["case"], _cell(1e3 * record.get("compile_seconds", 0), 0),
                 _cell(bandwidth(record, "ours"), 1), _cell(ratio(record, "memcpy", "ours")),
                 _asked(record)]
        cells += [_cell(ratio(record, name, "ours"), 1) for name in others]
        print("| " + " | ".join(cells) + " |")


def draw(results, path):
    """A bar for each case and contender, GB/s on a logarithmic scale."""
    try:
        import matplotlib
    except ImportError:
        print("run.py: no plot without matplotlib")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    records = results["records"][::-1]
    names = [name for name in NAMES if any(name in record["seconds"] for record in records)]
    figure, axis = pyplot.subplots(figsize=(9, 0.34 * len(records) + 1.6), layout="constrained")
    for position, name in enumerate(names):
        places = [i for i, record in enumerate(records) if name in record["seconds"]]
        axis.plot([bandwidth(records[i], name) for i in places], places,
                  linestyle="", marker="o" if name == "ours" else "|x+sdv^"[position % 7],
                  markersize=7 if name == "ours" else 5, label=name)
    axis.set_yticks(range(len(records)), [record["case"] for record in records], fontsize=7)
    axis.set_xscale("log")
    axis.set_xlabel("GB/s of bytes in and out")
    axis.grid(True, alpha=0.3)
    axis.legend(fontsize=7)
    axis.set_title(f"{results['processor']}", fontsize=9)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
