"""Writes a plan for scan-matrix: every combiner, lowered by every GPU schedule.

usage: kernels.py [--part=N --seed=S] > plan.json

The schedules are crossed with every dimension of ranks 1 to 3; element types,
directions and kinds of init take turns, so that each comes with each schedule
at some rank.
"""

import argparse
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../Integration/Inputs"))
import matrix
import sampling

# Blocks of one warp, of some and of as many as there can be; items that divide
# nothing; tiles shorter and longer than the rows.
SCHEDULES = [
    ("sequential", 32, 1),
    ("row", 32, 1),
    ("sequential", 64, 4),
    ("row", 64, 3),
    ("row", 64, 8),
    ("sequential", 1024, 2),
    ("row", 1024, 1),
    ("row", 256, 5),
    ("row", 64, 8, "rows=8"),
]
# A tile of the largest matrices has to fit into 48 KB of workgroup memory.
MATRIX_SCHEDULES = [
    ("sequential", 32, 1),
    ("row", 32, 1),
    ("row", 64, 3),
    ("row", 32, 8),
    ("sequential", 64, 4),
    ("row", 256, 1),
]


def configurations(combiner):
    """For each schedule and dimension some of the combiner's configurations."""
    schedules = MATRIX_SCHEDULES if combiner == "matmul" else SCHEDULES
    # The same configurations in the same order for each schedule.
    by_schedule = [list(matrix.configurations(combiner, ":".join(map(str, schedule))))
                   for schedule in schedules]
    places = {}
    for i, configuration in enumerate(by_schedule[0]):
        place = len(configuration["shapes"][0]), configuration["dim"]
        places.setdefault(place, []).append(i)
    # A step that has no divisor in common with the number of configurations
    # visits all of them before it repeats itself.
    turn = 0
    for candidates, (schedule, all_of_it) in itertools.product(
            places.values(), zip(schedules, by_schedule)):
        step = next(s for s in (7, 11, 13, 17, 19, 23) if len(candidates) % s)
        configuration = all_of_it[candidates[turn * step % len(candidates)]]
        turn += 1
        rank = len(configuration["shapes"][0])
        shapes = matrix.shapes(rank, configuration["dim"])
        if schedule[1] == 1024:
            # They take ten times as long as blocks of 256 threads.
            shapes = sampling.of_today(shapes, turn, 4)
        yield dict(configuration, shapes=shapes,
                   name=f"{configuration['name']} {'x'.join(map(str, schedule))}")


def main():
    parser = argparse.ArgumentParser()
    matrix.add_sample_options(parser)
    arguments = parser.parse_args()
    plan = []
    for combiner in list(matrix.COMBINERS) + ["recurrence"]:
        plan += configurations(combiner)
    json.dump(matrix.draw_sample(plan, arguments), sys.stdout)


if __name__ == "__main__":
    main()
