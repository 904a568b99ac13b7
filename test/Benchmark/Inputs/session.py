"""Runs session.py with a worker that answers, dies and hangs, as its cases say.

usage: session.py ROOT FOLDER
"""

import os
import sys
import time

root, folder = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "benchmark", "gpu"))

import session
import workloads

WORKER = """
import json, os, sys, time
options = json.loads(sys.stdin.readline())
if options["contenders"] == ["none"]:
    sys.exit("ImportError: no such module")
print(json.dumps({"ready": True, "l2_bytes": 7}), flush=True)
print("what a library prints", flush=True)
begin = time.monotonic()
for key in options["cases"]:
    if time.monotonic() - begin > options["deadline"]:
        break
    print(json.dumps({"start": key}), flush=True)
    for name in ("ours", "cub"):
        if name in options["skipped"].get(key, {}):
            continue
        print(json.dumps({"now": name, "case": key}), flush=True)
        if name == "cub" and key == options["stumbles"]:
            sys.exit("RuntimeError: no such file")
    record = {"ours": {"seconds": 1}}
    for name, reason in options["skipped"].get(key, {}).items():
        record[name] = {"not_measured": reason}
    print(json.dumps({"now": "", "case": key}), flush=True)
    if key == options["dies"]:
        print("RuntimeError: CUDA error: an illegal address\\nCompile with care", file=sys.stderr)
        os._exit(3)
    if key == options["hangs"]:
        time.sleep(60)
    time.sleep(options["sleep"])
    print(json.dumps({"done": key, "contenders": record}), flush=True)
"""


def run(cases, budget=30.0, timeout=2.0, **options):
    begin, seen = time.monotonic(), []
    made = session.Session(cases, {"verbose": False, "contenders": None, "dies": "", "hangs": "",
                                   "stumbles": "", "sleep": 0, **options},
                           lambda key, record: seen.append(key))
    made.run(begin + budget, timeout)
    assert sorted(seen) == sorted(case.key for case in cases) and len(made.records) == len(cases)
    assert time.monotonic() - begin < 25
    for case in cases:
        print(case.size, made.records[case.key])


def main():
    session.WORKER = os.path.join(folder, "worker.py")
    with open(session.WORKER, "w", encoding="utf-8") as file:
        file.write(WORKER)
    cases = [case for case in workloads.all_cases() if case.workload == "a"][:5]
    print("-- dies, hangs and stumbles")
    run(cases, dies=cases[1].key, hangs=cases[3].key, stumbles=cases[4].key)
    print("-- does not start")
    run(cases, contenders=["none"])
    print("-- no time")
    run(cases, budget=1.5, sleep=1.0, timeout=10.0)


if __name__ == "__main__":
    main()
