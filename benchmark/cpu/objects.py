#!/usr/bin/env python3
"""Measures what a call of an object file costs for short rows, beside the loop in C.

Object files of scan-translate are called from C, on one core, with one to 2^14 elements.
Times are the least of many, of processor time.

usage: benchmark/cpu/objects.py [--build DIR] [--compiler CC] [--openmp]
"""

import argparse
import os
import subprocess
import tempfile

import programs

#: Of each case the arguments of the call, and the loop in C over arrays a, b and y.
CASES = {
    "sum": ("a, n, y", "float s = 0; for (long i = 0; i < n; ++i) y[i] = s += a[i];"),
    "max": ("a, n, y", "float s = a[0]; for (long i = 0; i < n; ++i) "
            "y[i] = s = a[i] > s || a[i] != a[i] ? a[i] : s;"),
    "recurrence": ("a, n, b, n, y",
                   "float s = 0; for (long i = 0; i < n; ++i) y[i] = s = a[i] * s + b[i];"),
}

DRIVER = """
#include "k.h"
#include <stdio.h>
#include <time.h>
enum {{ most = 1 << 14, calls = 100, rounds = 300 }};
static float a[most], b[most], y[most];
static double now(void) {{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}}
__attribute__((noinline)) static void ours(long n) {{ f({arguments}); }}
__attribute__((noinline)) static void loop(long n) {{ {loop} }}
static double measure(void (*run)(long), long n) {{
  double start = now();
  for (int i = 0; i < calls; ++i) run(n);
  return (now() - start) / calls;
}}
int main(void) {{
  for (int i = 0; i < most; ++i) a[i] = i % 7 * 0.1f, b[i] = i % 5;
  for (long n = 1; n <= most; n *= 4) {{
    double best[2] = {{1e9, 1e9}};
    for (int round = 0; round < rounds; ++round) {{
      double times[2] = {{measure(ours, n), measure(loop, n)}};
      for (int i = 0; i < 2; ++i)
        if (times[i] < best[i]) best[i] = times[i];
    }}
    printf("| {name} | %ld | %.0f | %.0f | %+.0f |\\n", n, best[0], best[1], best[0] - best[1]);
  }}
}}
"""


def make_program(name):
    if name == "recurrence":
        return programs.recurrence(1, 0, "f32")
    line, result = programs.ADD if name == "sum" else programs.MAX["f"]
    return programs.associative(1, [line.format(k="f", t="f32")], [result], 1, 0, "f32")


def measure(name, args, work):
    arguments, loop = CASES[name]
    for file, text in (("k.mlir", make_program(name)),
                       ("main.c", DRIVER.format(name=name, arguments=arguments, loop=loop))):
        with open(os.path.join(work, file), "w") as out:
            out.write(text)
    translate = os.path.abspath(os.path.join(args.build, "bin", "scan-translate"))
    openmp = ["--openmp"] if args.openmp else []
    libraries = ["-lm", *(["-pthread", "-l:libomp.so.5"] if args.openmp else [])]
    subprocess.run([translate, "--scan-to-object", *openmp, "k.mlir", "-o", "k.o", "--header=k.h",
                    "--cpu=native"], cwd=work, check=True)
    subprocess.run([args.compiler, "-O3", "-march=native", "main.c", "k.o", "-o", "main",
                    *libraries], cwd=work, check=True)
    subprocess.run([os.path.join(work, "main")], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="the build's folder (default: build)")
    parser.add_argument("--compiler", default="clang-22", metavar="CC",
                        help="for C (default: clang-22)")
    parser.add_argument("--openmp", action="store_true",
                        help="object files that divide long rows among threads")
    args = parser.parse_args()
    print("| case | elements | ours, ns | C, ns | difference |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as work:
        for name in CASES:
            measure(name, args, work)


if __name__ == "__main__":
    main()
