"""Compares scan-run-session with scan-run.

usage: session.py FOLDER
"""

import os
import signal
import subprocess
import sys

import scan_tools

SUM = """
func.func @f(%x: tensor<?xi32>) -> tensor<?xi32> {
  %y = scan.associative ins(%x : tensor<?xi32>) dim = 0 {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    scan.yield %s : i32
  } -> tensor<?xi32>
  return %y : tensor<?xi32>
}
"""


def main():
    path = os.path.join(sys.argv[1], "f.mlir")
    runs = bad = 0
    processes = set()

    def compare(text, *options):
        nonlocal runs, bad
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        command = ["scan-run", path, *options]
        alone = subprocess.run(command, capture_output=True, text=True, check=False)
        done = scan_tools.run(command)
        processes.add(scan_tools.process_id())
        runs += 1
        if (alone.returncode, alone.stdout, alone.stderr) != (
                done.returncode, done.stdout, done.stderr):
            bad += 1
            print(" ".join(command), alone, done, sep="\n")

    product = SUM.replace("addi", "muli")
    for target in ("reference", "cpu", "emulator"):
        for extent in (0, 5, 300):
            for seed in (1, 2):
                compare(SUM, f"--target={target}", f"--seed={seed}", "--compare=reference",
                        f"--input=random:i32:{extent}:{seed}")
        compare(product, f"--target={target}", "--input=values:i32:3:2,3,4")
        compare(SUM, f"--target={target}", "--input=values:i32:3:2,3,4", "--json")
    emulated = ("--target=emulator", "--input=random:i32:300:1")
    compare(SUM, *emulated, "--races=off")
    compare(SUM, *emulated, "--step-budget=3")
    compare(SUM, "--target=cpu", "--check-memory", "--input=zeros:i32:7")
    compare(SUM)
    compare("nothing", "--input=zeros:i32:7")
    compare(SUM, "--target=gpu", "--input=zeros:i32:7")
    # Here scan-run ends while it reads its command line.
    compare(SUM, "--seed=x")
    compare(SUM, "--input=zeros:i32:7")
    os.kill(scan_tools.process_id(), signal.SIGKILL)
    assert scan_tools.run(["scan-run", path, "--input=zeros:i32:7"]).returncode == -signal.SIGKILL
    compare(SUM, "--input=zeros:i32:7")
    processes.discard(None)
    print(f"{runs} runs in {len(processes)} processes, {bad} differ")


main()
