"""Writes a plan for scan-matrix: every configuration of matrix.py at a long, odd
extent, by each of the kernels that split time.

usage: long_matrix.py [COMBINER...] [--extent=N] [--sample=N --seed=S] > plan.json

Each configuration is run as rows over the grid with one tile per block and with
persistent blocks, by such blocks whose warps have roles where its inputs fit, as
columns over the grid, and in one block, by rows or by columns. Tiles, inner extents, the order in which blocks and threads run, and how
many blocks run side by side are drawn by the configuration's name, so that all
of them meet all operators, types, directions, kinds and ranks. --sample draws so
many configurations, with another seed others.
"""

import argparse
import json
import random
import sys

import matrix

# Blocks run in an order that is drawn, or the last one first while whoever is ahead
# goes on; alone, a few, or more than a window of look-back has tiles.
ORDERS = [("random", 1), ("random", 3), ("random", 40), ("adversarial", 1), ("adversarial", 5),
          ("adversarial", 40), ("in-order", 7)]
# The schedule of the interpreter's module: it has no use for it.
ANY = "row:32:1"
SHARED_BYTES = 40000  # Of tiles; warps' totals and carries come on top.


def step_bytes(configuration):
    """Of all inputs and outputs."""
    return sum(matrix.element_bytes(operand) for operand in configuration["inputs"] + configuration["outputs"]
               if not operand["collapsed"])


def row(draw, bytes_of_step, *more):
    threads = draw.choice((64, 128, 256))
    most = max(1, SHARED_BYTES // (threads * bytes_of_step))
    return ":".join(["row", str(threads), str(min(most, draw.choice((3, 4, 5, 6, 8)))), *more])


def column(draw, *more):
    lanes, vector = draw.choice(((1, 1), (2, 1), (4, 1), (1, 2), (2, 2), (2, 4)))
    return ":".join(["column", str(draw.choice((64, 128, 256))), str(draw.choice((3, 4, 6))),
                     f"lanes={lanes}", f"vector={vector}", *more])


def specialized_row(draw, configuration):
    """Of warps with roles; None where bulk copies can not load the inputs."""
    threads, vectors, stages = draw.choice((160, 192, 256)), draw.choice((1, 3, 5)), draw.choice((3, 4, 6))
    items = matrix.bulk_items(configuration["inputs"], len(configuration["shapes"][0]), configuration["dim"], vectors)
    return items and f"row:{threads}:{items}:scope=grid:blocks={draw.choice((2, 3, 5))}:stages={stages}"


def schedules(draw, configuration):
    bytes_of_step = step_bytes(configuration)
    given = {
        "rows over the grid": row(draw, bytes_of_step, "scope=grid"),
        "persistent rows": row(draw, bytes_of_step, "scope=grid", f"blocks={draw.choice((2, 3, 5))}"),
        "columns over the grid": column(draw, "scope=grid"),
        "one block": draw.choice((row(draw, bytes_of_step), column(draw))),
        "warp-specialized rows": specialized_row(draw, configuration),
    }
    return {kernel: schedule for kernel, schedule in given.items() if schedule}


def shape(draw, rank, dim, extent):
    others = list(draw.choice({1: ((),), 2: ((1,), (2,), (3,)), 3: ((1, 2), (2, 1), (1, 1))}[rank]))
    return others[:dim] + [extent] + others[dim:]


def long(configuration, extent):
    """The configuration, whose module has the schedule ANY, with its kernels."""
    draw = random.Random(configuration["name"])
    rank = len(configuration["shapes"][0])
    tested = []
    for kernel, schedule in schedules(draw, configuration).items():
        order, resident = draw.choice(ORDERS)
        tested.append({
            "name": f"{kernel}, {schedule}, {order}, {resident} resident",
            "module": configuration["module"].replace(matrix.schedule_parameters(ANY),
                                                      matrix.schedule_parameters(schedule)),
            "order": order, "resident": resident})
    return dict(configuration, tested=tested,
                shapes=[shape(draw, rank, configuration["dim"], extent)])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("combiner", nargs="*")
    parser.add_argument("--extent", type=int, default=100003)
    parser.add_argument("--sample", type=int, help="draw so many configurations")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    plan = []
    for combiner in arguments.combiner or [*matrix.COMBINERS, "recurrence"]:
        plan += matrix.configurations(combiner, ANY)
    if arguments.sample is not None:
        plan = random.Random(arguments.seed).sample(plan, min(arguments.sample, len(plan)))
    json.dump([long(configuration, arguments.extent) for configuration in plan], sys.stdout)


if __name__ == "__main__":
    main()
