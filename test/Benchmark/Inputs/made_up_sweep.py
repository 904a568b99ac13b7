"""Writes a sweep as a GPU with given constants would have given it: what the model predicts
by them, with a little noise.

usage: made_up_sweep.py BIN OUT [NAME=NUMBER ...]
"""

import json
import random
import sys
import tempfile

import kernels
import sweep_cases

KEYS = ("d-recurrence-f32-static-8x2048x1536-8x2048x1536", "e-cumsum-f32-static-64x65536-64x65536",
        "a-cumsum-f32-static-1048576-1048576", "a-cumsum-f32-static-268435456-268435456",
        "d-recurrence-f32-static-64x64x4096-64x64x4096", "dynamic-mingru-bf16-dim1-of3-1x2048x1024",
        "dynamic-s5-c64-dim0-of2-4096x64",
        "e-cumsum-f32-static-333x10007-333x10007", "b-recurrence-f32-static-65536-65536")
NOISE = 0.003

tools, out = kernels.find_tools(sys.argv[1]), sys.argv[2]
changed = {name: float(number) for name, number in (text.split("=") for text in sys.argv[3:])}
draw, rows = random.Random(1), []
cells = [cell for cell in sweep_cases.all_cells() if cell.key in KEYS]
assert len(cells) == len(KEYS)
for cell in cells:
    fused = sweep_cases.fuse(cell.program, tools)
    schedules = sweep_cases.list_schedules(cell, fused, tools, "sm_90")
    known = sweep_cases.predict(cell, fused, schedules[:1], tools, "sm_90")[schedules[0]]
    calibration = {**known["calibration"], "clock_ghz": 1}
    calibration["constants"].update(changed)
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(calibration, file)
        file.flush()
        found = sweep_cases.predict(cell, fused, schedules, tools, "sm_90",
                                    f"calibration={file.name}")
    rows.append({"key": cell.key, "choices": {}, "schedules": {
        schedule: {"seconds": row["predicted_nanoseconds"][0] * 1e-9 * draw.uniform(
            1 - NOISE, 1 + NOISE)} for schedule, row in found.items()}})
with open(out, "w", encoding="utf-8") as file:
    json.dump({"facts": {"gpu": {"name": "Made-up GPU", "clocks.max.sm": "1500 MHz"},
                         "date": "2026-01-02 03:04 UTC", "arguments": ["--out", "made-up.json"]},
               "cells": rows}, file)
