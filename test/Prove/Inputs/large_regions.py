"""Operators of 10,000 operations, deeply nested ones and hostile names, which
--scan-prove-associativity has to get through within its limit of time."""

import argparse
import os
import subprocess
import time

SCAN = """func.func @{name}(%x: tensor<?x{type}>) -> tensor<?x{type}> {{
  %y = scan.associative ins(%x : tensor<?x{type}>) dim = 0 {{
  ^bb0(%a: {type}, %b: {type}):
{body}
    scan.yield %r : {type}
  }} -> tensor<?x{type}>
  return %y : tensor<?x{type}>
}}
"""


def chain(count, element, operation):
    """%r is a and b under `count` operations, each on the result of the one before."""
    lines = [f"    %t0 = {operation} %a, %b : {element}"]
    lines += [f"    %t{i} = {operation} %t{i - 1}, %{'ab'[i % 2]} : {element}"
              for i in range(1, count)]
    lines.append(f"    %r = {operation} %t{count - 1}, %b : {element}")
    return "\n".join(lines)


def nested(depth, element):
    """max(a, b) below `depth` branches."""
    lines = ["    %c = arith.cmpi slt, %a, %b : i32"]
    for i in range(depth):
        lines.append("    " + (f"%r{i}" if i else "%r") + f" = scf.if %c -> {element} {{")
    lines.append(f"      scf.yield %b : {element}")
    for i in reversed(range(depth)):
        lines.append(f"    }} else {{\n      scf.yield %a : {element}\n    }}")
        if i:
            lines.append(f"    scf.yield %r{i} : {element}")
    return "\n".join(lines)


def exponentials(count):
    """A tower of exponentials of products of sums."""
    lines = ["    %t0 = arith.addf %a, %b : f64"]
    for i in range(1, count):
        lines += [f"    %s{i} = arith.addf %t{i - 1}, %a : f64",
                  f"    %p{i} = arith.mulf %s{i}, %t{i - 1} : f64",
                  f"    %t{i} = math.exp %p{i} : f64"]
    lines.append(f"    %r = arith.addf %t{count - 1}, %b : f64")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--z3", required=True)
    parser.add_argument("--folder", required=True)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    cases = [
        # name, element type, body, one of these has to be said
        ("xor", "i32", chain(10000, "i32", "arith.xori"), ["proved associative, exactly"]),
        ("sum", "f32", chain(10000, "f32", "arith.addf"),
         ["not associative", "not known"]),
        ("product", "i64", chain(10000, "i64", "arith.muli"), ["not associative"]),
        ("nested", "i32", nested(100, "i32"), ["proved associative, exactly"]),
        ("deep", "i32", nested(400, "i32"), ["'scf.if' is nested too deeply for the solver"]),
        ("exponentials", "f64", exponentials(300), ["not associative", "not known"]),
        ("huge", "i32", chain(60000, "i32", "arith.xori"),
         ["is where the region becomes too large for the solver"]),
    ]
    # By the clock, of which a loaded machine takes its part.
    seconds = 30
    for name, element, body, expected in cases:
        path = os.path.join(arguments.folder, name + ".mlir")
        # A name that ends a comment and a symbol of SMT-LIB if it gets there.
        symbol = '"|)\\0A(exit)\\0A(check-sat)"'
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCAN.format(name=symbol, type=element, body=body))
        begin = time.monotonic()
        result = subprocess.run(
            ["scan-opt", path, "-o", os.devnull,
             f"--scan-prove-associativity=z3={arguments.z3} timeout={seconds} refuted=warning "
             f"emit-smt={os.path.join(arguments.folder, name)}"],
            capture_output=True, text=True, timeout=300, check=False)
        elapsed = time.monotonic() - begin
        said = result.stderr.splitlines()[0] if result.stderr else ""
        print(f"{name}: {elapsed:.1f} s: {said[-150:]}")
        assert result.returncode == 0, result.stderr[-2000:]
        assert any(text in said for text in expected), said
        # Reading the program, writing scripts and evaluating take time of their own.
        assert elapsed < 4 * seconds + 30, elapsed
        scripts = os.path.join(arguments.folder, name)
        for script in os.listdir(scripts):
            with open(os.path.join(scripts, script), encoding="utf-8") as file:
                assert "exit" not in file.read(), "the program's names are in the script"
    print("all cases were answered")


if __name__ == "__main__":
    main()
