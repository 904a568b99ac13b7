#!/usr/bin/env python3
"""Fits the constants of the cost model's time model to a sweep of schedules on a GPU.

examples:
  sweep.py --out sweep.json                                   measure, on the GPU
  refit.py sweep.json --chip sm_90 --dry-run                  what a fit would change
  refit.py sweep.json --chip sm_90 -o lib/Schedule/Chips/sm_90.json
  refit.py sweep.json --chip sm_90 --only launch_ns,load_ns -o ...   these constants alone

The fit starts from the constants that scan-opt has for the chip: its own, or those of the
nearest chip that was measured, scaled. It makes the logarithm of predicted over measured
times small for two thirds of the programs, and most of all for fast schedules; the other
programs are held out, to see whether the constants say something of what they were not
fitted to. Nothing is written if
those are predicted worse than before (--force writes it anyway). Constants on which the
measured times do not depend stay as they are. After the file is written, build again, and
compare what is chosen then with `sweep.py --report sweep.json`.
"""

import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import sys
import tempfile

import kernels
import numpy as np
import sweep_cases
from sweep import times_of

# Of the logarithm of a constant, to see what a time depends on it; the model has kinks.
STEP = 0.02
# The most that a constant changes in one iteration, as a factor.
MOST = math.log(1.5)
# Times that are further off count as outliers: linearly, not squared (Huber).
OUTLIER = 0.25
# How strongly constants are held where they are, in times that are off by their change.
PRIOR = 0.015
DIGITS = 4
# What no constant exceeds: parts of a whole.
LARGEST = {"reachable_bandwidth": 1.0, "half_speed_in_flight": 1.0}


class Observations:
    """Measured times, and what scan-opt predicts of them."""

    def __init__(self, path, chip, tools):
        with open(path, encoding="utf-8") as file:
            sweep = json.load(file)
        self.facts, self.chip, self.tools = sweep["facts"], chip, tools
        known = {cell.key: cell for cell in sweep_cases.all_cells()}
        self.rows = [(known[row["key"]], times_of(row)) for row in sweep["cells"]
                     if row["key"] in known and times_of(row)]
        if not self.rows:
            sys.exit(f"refit.py: expected cells of sweep.py with measured times in {path}, found "
                     f"{len(sweep['cells'])} cells, none of them known and measured")
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        programs = list({cell.program: None for cell, _ in self.rows})
        self.fused = dict(zip(programs, self.pool.map(
            lambda program: sweep_cases.fuse(program, tools), programs)))
        self.seconds = np.array([seconds for _, times in self.rows for seconds in times.values()])
        # By the program, so that no program is in both parts.
        self.held = np.array([self._is_held(cell.program.name)
                              for cell, times in self.rows for _ in times])
        self.cells = np.array([number for number, (_, times) in enumerate(self.rows)
                               for _ in times])
        # Slow schedules are never chosen, whatever is predicted within reason.
        self.weights = np.array([min(times.values()) / seconds for _, times in self.rows
                                 for seconds in times.values()])
        self.weights /= self.weights.mean()

    @staticmethod
    def _is_held(name):
        return int(hashlib.sha1(name.encode()).hexdigest(), 16) % 3 == 0

    def _explain(self, options=""):
        """What --scan-explain says of each observation."""
        def of_cell(item):
            cell, times = item
            found = sweep_cases.predict(cell, self.fused[cell.program], list(times), self.tools,
                                        self.chip, options)
            return [found[schedule] for schedule in times]
        return [row for rows in self.pool.map(of_cell, self.rows) for row in rows]

    def built_in(self):
        """The calibration that scan-opt has for the chip."""
        return self._explain()[0]["calibration"]

    def predict(self, constants, names, points):
        """Logarithms of predicted over measured times, a column for each of `points`:
        logarithms of the constants called `names`."""
        calibrations = [{"chip": self.chip, "gpu": "", "date": "", "command": "", "clock_ghz": 1,
                         "constants": {**constants, **dict(zip(names, np.exp(point)))}}
                        for point in points]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(calibrations, file)
            file.flush()
            rows = self._explain(f"calibration={file.name}")
        times = np.array([row["predicted_nanoseconds"] for row in rows]) * 1e-9
        return np.log(times / self.seconds[:, None])


def weigh(errors, weights):
    """Huber's weights, times those of the schedules."""
    return weights * np.minimum(1, OUTLIER / np.maximum(np.abs(errors), 1e-12))


def loss(errors, weights, point, start):
    size = np.abs(errors)
    huber = np.where(size <= OUTLIER, size**2, 2 * OUTLIER * size - OUTLIER**2)
    return (weights * huber).sum() + PRIOR**2 * ((point - start)**2).sum()


def fit(seen, constants, names, iterations):
    """Levenberg-Marquardt on logarithms of constants, over what is not held out."""
    start = np.log([constants[name] for name in names])
    largest = np.log([LARGEST.get(name, np.inf) for name in names])
    point, damping, fitted = start.copy(), 1e-2, ~seen.held
    of_schedules = seen.weights[fitted]
    errors = seen.predict(constants, names, [point])[fitted, 0]
    best = loss(errors, of_schedules, point, start)
    for iteration in range(iterations):
        steps = [point + STEP * unit for unit in np.eye(len(names))]
        moved = seen.predict(constants, names, steps)[fitted]
        jacobian = (moved - errors[:, None]) / STEP
        weights = weigh(errors, of_schedules)[:, None]
        normal = jacobian.T @ (weights * jacobian) + PRIOR**2 * np.eye(len(names))
        gradient = jacobian.T @ (weights[:, 0] * errors) + PRIOR**2 * (point - start)
        # Several sizes of step at a time: one call of the tools tells of all of them.
        tries = [damping * 10.0**power for power in range(-2, 5)]
        points = []
        for size in tries:
            delta = np.linalg.solve(normal + size * np.diag(np.diag(normal)), -gradient)
            points.append(np.minimum(point + np.clip(delta, -MOST, MOST), largest))
        found = seen.predict(constants, names, points)[fitted]
        losses = [loss(found[:, i], of_schedules, points[i], start) for i in range(len(points))]
        chosen = int(np.argmin(losses))
        if losses[chosen] > best * (1 - 1e-5):
            break
        best, point, errors = losses[chosen], points[chosen], found[:, chosen]
        damping = tries[chosen]
        print(f"iteration {iteration + 1}: typical error {typical(errors)}", file=sys.stderr,
              flush=True)
    return dict(zip(names, np.exp(point)))


def typical(errors):
    return f"{math.exp(math.sqrt(np.mean(errors**2))):.3f}"


def describe(errors, seen, part):
    """Errors of a part of the observations, and what a choice by them would cost."""
    size = np.sort(np.abs(errors[part]))
    regrets = []
    for cell in set(seen.cells[part]):
        of_cell = np.flatnonzero(seen.cells == cell)
        seconds, predicted = seen.seconds[of_cell], errors[of_cell]
        chosen = np.argmin(predicted + np.log(seconds))
        regrets.append(math.log(seconds[chosen] / seconds.min()))
    return (f"half within a factor of {math.exp(size[len(size) // 2]):.3f}, nine tenths within "
            f"{math.exp(size[len(size) * 9 // 10]):.3f}, typical {typical(errors[part])}; the "
            f"schedule predicted fastest takes {math.exp(np.mean(regrets)):.3f} times as long as "
            f"the fastest ({len(regrets)} cells, {len(size)} schedules)")


def rounded(number):
    return float(f"{number:.{DIGITS}g}")


def calibration_of(seen, chip, constants, options):
    """The object that is written."""
    facts = seen.facts
    gpu = facts.get("gpu") or {}
    clock = facts.get("min_median_max", {}).get("clocks.sm", [0, 0, 0])[1] or \
        float(gpu.get("clocks.max.sm", "0 MHz").split()[0])
    command = " ".join(["benchmark/gpu/sweep.py", *facts.get("arguments", [])])
    if not options.gpu and not gpu.get("name") or not options.clock and not clock:
        sys.exit("refit.py: the sweep does not say on which GPU, or at which clock, it was "
                 "measured: give --gpu and --clock")
    return {"chip": chip, "gpu": options.gpu or gpu["name"],
            "date": facts.get("date", "").split(" ")[0] or options.date,
            "command": command, "clock_ghz": options.clock or clock / 1000,
            "constants": {name: rounded(number) for name, number in constants.items()}}


def choose_names(constants, options):
    names = list(constants)
    for option in (options.only, options.fix):
        unknown = [name for name in option if name not in names]
        if unknown:
            sys.exit(f"refit.py: expected constants that times depend on, found "
                     f"{', '.join(unknown)}; known are {', '.join(names)}")
    return [name for name in (options.only or names) if name not in options.fix]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument

    def names(text):
        return [name for name in text.split(",") if name]

    add("sweep", metavar="SWEEP.json", help="what sweep.py has measured")
    add("--chip", default="sm_90", help="the chip that it was measured on (default: sm_90)")
    add("-o", "--out", metavar="JSON", help="the calibration, as lib/Schedule/Chips/CHIP.json")
    add("--dry-run", action="store_true", help="only report")
    add("--only", type=names, default=[], metavar="NAMES", help="fit only these constants")
    add("--fix", type=names, default=[], metavar="NAMES", help="leave these as they are")
    add("--iterations", type=int, default=20, metavar="N", help="at most (default: 20)")
    add("--force", action="store_true",
        help="write it even if what was held out is predicted worse")
    add("--gpu", help="the product, where the sweep does not say it")
    add("--clock", type=float, metavar="GHZ", help="its clock, where the sweep does not say it")
    add("--date", default="unknown", help="the date, where the sweep does not say it")
    add("--bin", metavar="DIR", help="folder of scan-opt")
    options = parser.parse_args()
    if bool(options.out) == options.dry_run:
        parser.error("expected either -o or --dry-run")
    try:
        seen = Observations(options.sweep, options.chip, kernels.find_tools(options.bin))
        constants = seen.built_in()["constants"]
        fitted = choose_names(constants, options)
        found = fit(seen, constants, fitted, options.iterations)
        calibration = calibration_of(seen, options.chip, {**constants, **found}, options)
        points = [np.log([source[name] for name in fitted])
                  for source in (constants, calibration["constants"])]
        before, after = seen.predict(constants, fitted, points).T
    except (kernels.CompileError, OSError, ValueError, KeyError) as error:
        sys.exit(f"refit.py: {type(error).__name__}: {error}")
    for name, number in calibration["constants"].items():
        if name in fitted and not math.isclose(number, constants[name], rel_tol=1e-3):
            print(f"{name:24} {constants[name]:10.4g} -> {number:10.4g}")
    for what, part in (("fitted", ~seen.held), ("held out", seen.held)):
        if part.any():
            print(f"{what}, before: {describe(before, seen, part)}")
            print(f"{what}, after:  {describe(after, seen, part)}")
    judged = seen.held if seen.held.any() else ~seen.held
    is_worse = np.mean(after[judged]**2) > np.mean(before[judged]**2)
    if is_worse:
        print("what was held out is predicted worse than before" +
              ("" if options.force else "; nothing is written"))
    if options.out and (options.force or not is_worse):
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(calibration, file, indent=2)
            file.write("\n")
        print(f"written: {options.out}")
    return 1 if is_worse and not options.force else 0


if __name__ == "__main__":
    sys.exit(main())
