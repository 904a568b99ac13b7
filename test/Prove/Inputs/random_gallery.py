"""usage: random_gallery.py FOLDER SEED...: evaluates each operator of the gallery on random
triples of each seed, and compares what is found with the verdict in its file.

Refuted operators have to be refuted, but for those that only NaN refutes, which is not
drawn; what is proved must not be.
"""

import glob
import os
import re
import subprocess
import sys

# Only NaN tells.
NEEDS_NAN = {"argmax_mixed_nan", "maximum_by_compare"}


def is_refuted(path, seed, options=""):
    run = subprocess.run(["scan-opt", path, "-o", os.devnull, "--scan-prove-associativity="
                          f"mode=random seed={seed} random-triples=3000{options}"],
                         capture_output=True, text=True, timeout=60)
    found = "error: the combine region is not associative: with a = " in run.stderr
    if found != (run.returncode != 0):
        sys.exit(f"{path}: {run.stderr}")
    return found, run.stderr


def main():
    folder, seeds = sys.argv[1], sys.argv[2:]
    wrong, right, problems = 0, 0, 0
    for path in sorted(glob.glob(os.path.join(folder, "*.mlir"))):
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path) as file:
            verdict = re.search(r"^// VERDICT: (.*)$", file.read(), re.MULTILINE).group(1)
        for seed in seeds:
            found, text = is_refuted(path, seed)
            expected = verdict == "refuted" and name not in NEEDS_NAN
            if name in NEEDS_NAN and not is_refuted(path, seed, " exact")[0]:
                problems += 1
                print(f"{name}, seed {seed}: not refuted by NaN")
            if found != expected:
                problems += 1
                print(f"{name}, seed {seed}: {text or 'not refuted'}")
            wrong += expected
            right += not expected
    print(f"{wrong} refuted, {right} not, {problems} problems")


main()
