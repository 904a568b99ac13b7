#!/usr/bin/env python3
"""Measures what several threads gain, on a machine that needs nothing of this project.

Object files of the cases of run.py, compiled for one thread and with --openmp, are linked with a
driver in C (threads.c) that runs them in rounds, interleaved in random order, beside copies of as
many bytes on one thread and on several: by memcpy, by stores past the caches, and reads alone.

usage: benchmark/cpu/threads.py --prepare FOLDER [--build DIR] [--cpu NAME] [--match REGEX]
           makes FOLDER/drive, and copies libomp beside it
       OMP_PLACES=cores OMP_PROC_BIND=close FOLDER/drive ROUNDS SECONDS > times.txt
           on the machine that is to be measured; SECONDS are those of a case, at most
       benchmark/cpu/threads.py --report times.txt [--out FILE.json]
           prints a table: GB/s of one thread, its part of memcpy, and how many times as fast each
           number of threads is, medians over rounds
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TYPES = {"f32": 0, "bf16": 1, "f64": 2, "i32": 3}
CASES = (r"on a row \S+ \d{7,}|of a row \S+ \d{7,}|4096x16384|16384x4096|short rows|over time f32 8x|"
         r"RG-LRU|Mamba, 16 states f32 1x|minGRU")


def run(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"threads.py: {' '.join(command)}: {done.stderr}")


def compile_case(case, build, cpu, openmp, symbol, work):
    """Makes SYMBOL.o, whose function has that name, and returns the parameters of its header."""
    tools = os.path.join(build, "bin")
    source, function = os.path.join(work, "p.mlir"), case.function
    with open(source, "w") as file:
        file.write(case.program)
    if case.derivative:
        derived = os.path.join(work, "d.mlir")
        run([f"{tools}/scan-opt", f"--scan-differentiate=function={function}", source, "-o", derived])
        source, function = derived, f"{function}_vjp"
    base = os.path.join(work, symbol)
    run([f"{tools}/scan-translate", "--scan-to-object", *(["--openmp"] if openmp else []),
         f"--cpu={cpu}", source, "-o", f"{base}.o", f"--header={base}.h"])
    with open(f"{base}.h") as file:
        functions = dict(re.findall(r"const char \*(\w+)\(([^;]*)\);", file.read()))
    run(["objcopy", *[f"--redefine-sym={name}={symbol if name == function else symbol + name}"
                      for name in functions], f"{base}.o"])
    return [part.strip() for part in functions[function].split(",")]


def write_call(name, symbol, parameters, case):
    """A function in C that calls SYMBOL with arrays `in` and `out`, and how many results it has."""
    arguments, types, results = [], [], 0
    for parameter in parameters:
        word = re.search(r"\w+$", parameter)[0]
        numbers = [int(number) for number in re.findall(r"\d+", word)]
        if len(numbers) == 2:
            arguments.append(str(case.recipes[numbers[0]].shape[numbers[1]]))
            types.append("long")
            continue
        is_result = word.startswith("result")
        results += is_result
        arguments.append(f"{'out' if is_result else 'in'}[{numbers[0]}]")
        types.append("void *")
    return (f"const char *{symbol}({', '.join(types)});\n"
            f"static void {name}(void **in, void **out) {{ {symbol}({', '.join(arguments)}); }}"), results


def prepare(folder, build, cpu, match, compiler):
    import programs
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        text, table, made = ['#include "threads.h"'], [], {}
        for number, case in enumerate(programs.make_cases(1 << 26)):
            if not re.search(match, case.key) or case.strides != "none":
                continue
            calls, results = [], 0
            for openmp in (False, True):
                key = (case.program, case.derivative, openmp)
                if key not in made:
                    symbol = f"f{len(made)}"
                    made[key] = symbol, compile_case(case, build, cpu, openmp, symbol, work)
                name = f"call{number}_{int(openmp)}"
                code, results = write_call(name, *made[key], case)
                text.append(code)
                calls.append(name)
            largest = max(recipe.nbytes for recipe in case.recipes)
            inputs = ", ".join(f"{{{r.nbytes}, {TYPES[r.dtype]}, {r.low}, {r.high}}}" for r in case.recipes)
            table.append(f'  {{"{case.key}", {case.nbytes}, {len(case.recipes)}, {{{inputs}}}, '
                         f"{results}, {largest}, {{{', '.join(calls)}}}}},")
        text += ["struct Case cases[] = {", *table, "  {0}};"]
        source = os.path.join(work, "cases.c")
        with open(source, "w") as file:
            file.write("\n".join(dict.fromkeys(text)) + "\n")
        libomp = find_libomp()
        parts = []
        for path in (source, os.path.join(HERE, "threads.c")):
            parts.append(os.path.join(work, os.path.basename(path) + ".o"))
            run([compiler, "-O2", "-march=x86-64-v3", "-fopenmp=libomp", f"-I{HERE}", "-c", path, "-o", parts[-1]])
        parts += [os.path.join(work, f"{symbol}.o") for symbol, _ in made.values()]
        run([compiler, *parts, "-lm", libomp, "-Wl,-rpath,$ORIGIN", "-o", os.path.join(folder, "drive")])
        shutil.copy(libomp, os.path.join(folder, "libomp.so.5"))
    print(f"{len(table)} cases: {folder}/drive")


def find_libomp():
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/llvm-22/lib", "/usr/lib64"):
        path = os.path.join(folder, "libomp.so.5")
        if os.path.exists(path):
            return os.path.realpath(path)
    sys.exit("threads.py: no libomp.so.5: install libomp5")


def report(path, out):
    cases = {}
    with open(path) as file:
        for line in file:
            name, nbytes, what, threads, seconds = line.rstrip("\n").split("|")
            runs = cases.setdefault(name, {"nbytes": int(nbytes), "runs": {}})["runs"]
            runs[f"{what} {threads}"] = [float(f"{float(second):.4g}") for second in seconds.split()]
    counts = sorted({int(key.split()[1]) for case in cases.values() for key in case["runs"]})[1:]
    heads = [f"{count} threads" for count in counts]
    print(f"| case | GB/s | of memcpy | {' | '.join(heads)} | copy past the caches, 2 threads |")
    print("|---|---|---|" + "---|" * (len(heads) + 1))
    for name, case in cases.items():
        runs = case["runs"]

        def gain(of, over):
            return statistics.median(a / b for a, b in zip(runs[of], runs[over]))

        gbs = case["nbytes"] / statistics.median(runs["one 1"]) / 1e9
        gains = " | ".join(f"{gain('one 1', f'openmp {count}'):.2f}" for count in counts)
        print(f"| {name} | {gbs:.1f} | {gain('memcpy 1', 'one 1'):.2f} | {gains} | "
              f"{gain('stores 1', 'stores 2'):.2f} |")
    if out:
        with open(out, "w") as file:
            json.dump(cases, file, separators=(",", ":"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--prepare", metavar="FOLDER")
    parser.add_argument("--report", metavar="FILE")
    parser.add_argument("--out", metavar="FILE")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "..", "build"))
    parser.add_argument("--cpu", default="native")
    parser.add_argument("--match", default=CASES, metavar="REGEX")
    parser.add_argument("--compiler", default="clang-22")
    options = parser.parse_args()
    if options.prepare:
        prepare(options.prepare, options.build, options.cpu, options.match, options.compiler)
    elif options.report:
        report(options.report, options.out)
    else:
        parser.error("expected --prepare or --report")


if __name__ == "__main__":
    main()
