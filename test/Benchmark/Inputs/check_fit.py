"""Checks what refit.py found, or mixes up a sweep.

usage: check_fit.py FIT.json REFERENCE.json NAME=NUMBER ...
       check_fit.py --mix SWEEP.json OUT.json

A fit has these constants, but for some parts in a hundred, and those of the reference. In a
mixed sweep the times of one program of three, as refit.py holds them out, are divided.
"""

import hashlib
import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


if sys.argv[1] == "--mix":
    sweep = load(sys.argv[2])
    for row in sweep["cells"]:
        program = row["key"].rsplit("-", 1)[0]
        if int(hashlib.sha1(program.encode()).hexdigest(), 16) % 3 == 0:
            for figures in row["schedules"].values():
                figures["seconds"] /= 2
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        json.dump(sweep, out)
else:
    fit, reference = load(sys.argv[1]), load(sys.argv[2])
    expected = {**reference["constants"],
                **{name: float(number) for name, number in
                   (text.split("=") for text in sys.argv[3:])}}
    assert fit["constants"].keys() == expected.keys()
    for name, number in fit["constants"].items():
        assert abs(number / expected[name] - 1) < 0.06, (name, number, expected[name])
    assert (fit["chip"], fit["gpu"], fit["date"]) == ("sm_90", "Made-up GPU", "2026-01-02")
    assert fit["command"] == "benchmark/gpu/sweep.py --out made-up.json"
    assert fit["clock_ghz"] == 1.5
