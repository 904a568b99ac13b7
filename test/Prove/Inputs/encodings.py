"""Compares the translations of --scan-prove-associativity for random operators on i8.

Operators on i8 are decided by their table, without the solver. With an accumulator of i32,
which changes nothing of them, they are not: the scripts for the solver are written, in each
encoding, and answered here.
"""

import argparse
import os
import random
import re
import subprocess

BINARY = ["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minsi", "maxui", "minui",
          "divsi", "divui", "remsi", "remui", "ceildivsi", "ceildivui", "floordivsi",
          "shli", "shrui", "shrsi", "addi overflow<nsw>", "subi overflow<nuw>",
          "muli overflow<nsw, nuw>", "shli overflow<nsw>"]
PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


def draw(rng):
    """The lines of a combine region of i8 values %a and %b."""
    lines, values = [], ["%a", "%b"]
    for i in range(rng.randint(1, 4)):
        x, y = rng.choice(values), rng.choice(values)
        if not lines:
            x, y = "%a", "%b"
        kind = rng.randrange(8)
        if kind == 0:
            lines.append(f"%k{i} = arith.constant {rng.choice([0, 1, 2, 3, 7, 15, -1, -128, 127])} : i8")
            y = f"%k{i}"
        if kind == 1:
            lines.append(f"%c{i} = arith.cmpi {rng.choice(PREDICATES)}, {x}, {y} : i8")
            lines.append(f"%v{i} = arith.select %c{i}, {rng.choice(values)}, {rng.choice(values)} : i8")
        elif kind == 2:
            extend = rng.choice(["extsi", "extui"])
            lines.append(f"%p{i} = arith.{extend} {x} : i8 to i32")
            lines.append(f"%q{i} = arith.{extend} {y} : i8 to i32")
            lines.append(f"%w{i} = arith.{rng.choice(['addi', 'muli', 'minsi', 'maxui'])} %p{i}, %q{i} : i32")
            lines.append(f"%v{i} = arith.trunci %w{i} : i32 to i8")
        else:
            name, _, flags = rng.choice(BINARY).partition(" ")
            lines.append(f"%v{i} = arith.{name} {x}, {y} {flags} : i8")
        values.append(f"%v{i}")
    lines.append("scan.yield " + values[-1] + " : i8")
    return lines


def print_module(regions, attributes):
    text = ""
    for number, lines in enumerate(regions):
        body = "\n".join("    " + line for line in lines)
        text += f"""func.func @f{number}(%x: tensor<?xi8>) -> tensor<?xi8> {{
  %y = scan.associative ins(%x : tensor<?xi8>) dim = 0 {attributes} {{
  ^bb0(%a: i8, %b: i8):
{body}
  }} -> tensor<?xi8>
  return %y : tensor<?xi8>
}}
"""
    return text


def prove(path, text, option):
    """What the pass says of each operator."""
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    result = subprocess.run(
        ["scan-opt", path, f"--scan-prove-associativity=refuted=warning random-triples=0 {option}"],
        capture_output=True, text=True, check=True)
    return re.findall(r'scan\.associativity = "(\w+)"', result.stdout), result.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--z3", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, default=6, help="one of so many operators of 240")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    rng = random.Random(arguments.seed)
    regions = [draw(rng) for _ in range(240 // arguments.count)]
    table, said = prove(os.path.join(arguments.folder, "table.mlir"),
                        print_module(regions, ""), "z3=/nonexistent")
    scripts = os.path.join(arguments.folder, "scripts")
    solver, _ = prove(os.path.join(arguments.folder, "solver.mlir"),
                      print_module(regions, "attributes {accumulators = [i32]}"),
                      f"z3={arguments.z3} timeout=2 emit-smt={scripts}")
    assert len(table) == len(solver) == len(regions), said
    known = answered = wrong = 0
    for number, (by_table, by_solver) in enumerate(zip(table, solver)):
        verdicts = {by_table, by_solver} - {"unknown"}
        for name in ["associative", "associative-again"]:
            path = os.path.join(scripts, f"scan-{number}-{name}.smt2")
            if not os.path.exists(path):
                continue
            output = subprocess.run([arguments.z3, "-T:3", path], capture_output=True, text=True,
                                    check=False).stdout.split("\n")[0]
            assert output in ("sat", "unsat", "unknown", "timeout"), (path, output)
            answered += output in ("sat", "unsat")
            if output == "unsat":
                verdicts.add("proved")
            # Where something is excluded, a table says more than the script asks.
            elif output == "sat":
                verdicts.add("refuted")
        known += by_table != "unknown"
        # No states at all may have defined results: nothing is said of them then.
        if len(verdicts) > 1:
            wrong += 1
            print(f"operator {number}: table {by_table}, solver {by_solver}, scripts {verdicts}")
            print("\n".join(regions[number]))
    print(f"{len(regions)} operators, {known} known by their table, {answered} scripts answered, "
          f"{wrong} contradictions")
    assert not wrong and answered >= len(regions) and known > 0


if __name__ == "__main__":
    main()
