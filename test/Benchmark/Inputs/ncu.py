#!/usr/bin/env python3
"""Stands in for Nsight Compute: prints what it would of two launches, in its format."""

import csv
import os
import sys

arguments = sys.argv[1:]
assert "--launch" in arguments and "--clock-control" in arguments, arguments
metrics = arguments[arguments.index("--metrics") + 1].split(",")
if os.environ.get("FAILS"):
    print("==ERROR== ERR_NVGPUCTRPERM - no permission to read counters")
    sys.exit(1)
VALUES = {"gpu__time_duration.sum": ("1234", "51,500"), "launch__registers_per_thread": ("32", "128"),
          "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": ("0", "n/a"),
          "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio": ("0", "4"),
          "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio": ("1", "3")}
print("==PROF== Connected to process 1")
print('launched: {"case": "h-one", "variant": "ours", "kernels": ["scan_map0", "scan_scan0"]}')
rows = csv.writer(sys.stdout, quoting=csv.QUOTE_ALL, lineterminator="\n")
rows.writerow(["ID", "Kernel Name", *metrics])
rows.writerow(["", "", *["unit"] * len(metrics)])
for number, name in enumerate(["scan_map0", "scan_scan0"][:2 - bool(os.environ.get("LOSES"))]):
    rows.writerow([number, name, *[VALUES.get(metric, ("0", "1"))[number] for metric in metrics]])
