"""Compiles and assembles every scalar operation of arith, math and complex.

usage: operations.py PTXAS FOLDER

One module per type, one function per operation, which is fused into a sum.
Prints one line per problem and a line with the counts.
"""

import os
import re
import sys

import assemble
import sampling

UNARY = """absf acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 floor
log log10 log1p log2 round roundeven rsqrt sin sinh sqrt tan tanh trunc""".split()
BINARY = "atan2 copysign powf".split()
FLOAT = "addf subf mulf divf remf maximumf minimumf maxnumf minnumf".split()
CLASSES = "isfinite isinf isnan".split()
BITS = "absi ctlz cttz ctpop".split()
INTEGER = """addi subi muli divsi divui ceildivsi ceildivui floordivsi remsi remui maxsi maxui
minsi minui andi ori xori shli shrsi shrui""".split()
COMPLEX_UNARY = "conj cos exp expm1 log log1p neg rsqrt sign sin sqrt tan tanh".split()
COMPLEX_BINARY = "add sub mul div pow atan2".split()
COMPLEX_PARTS = "abs angle re im".split()


def operations(t):
    """Yields (name, lines) with the result in %r and the operand in %a."""
    if t.startswith("complex"):
        for op in COMPLEX_UNARY:
            yield op, [f"%r = complex.{op} %a : {t}"]
        for op in COMPLEX_BINARY:
            yield op, [f"%r = complex.{op} %a, %a : {t}"]
        for op in COMPLEX_PARTS:
            yield op, [f"%q = complex.{op} %a : {t}", f"%r = complex.create %q, %q : {t}"]
    elif t[0] == "i":
        for op in BITS:
            yield op, [f"%r = math.{op} %a : {t}"]
        for op in INTEGER:
            yield op, [f"%r = arith.{op} %a, %a : {t}"]
    else:
        for op in UNARY:
            yield op, [f"%r = math.{op} %a : {t}"]
        for op in BINARY:
            yield op, [f"%r = math.{op} %a, %a : {t}"]
        for op in FLOAT:
            yield op, [f"%r = arith.{op} %a, %a : {t}"]
        for op in CLASSES:
            yield op, [f"%q = math.{op} %a : {t}", f"%r = arith.uitofp %q : i1 to {t}"]
        yield "fma", [f"%r = math.fma %a, %a, %a : {t}"]
        yield "fpowi", [
            f"%q = arith.fptosi %a : {t} to i32",
            f"%r = math.fpowi %a, %q : {t}, i32",
        ]
        for integer in ("i8", "i16", "i32", "i64"):
            yield f"cast_{integer}", [
                f"%q = arith.fptosi %a : {t} to {integer}",
                f"%r = arith.uitofp %q : {integer} to {t}",
            ]


def write_function(name, t, lines):
    add = "complex.add" if t[0] == "c" else "arith.addi" if t[0] == "i" else "arith.addf"
    body = "\n".join("    " + line for line in lines)
    return f"""
func.func @op_{name}(%x: tensor<256xTYPE>) -> tensor<256xTYPE> {{
  %empty = tensor.empty() : tensor<256xTYPE>
  %e = linalg.map ins(%x : tensor<256xTYPE>) outs(%empty : tensor<256xTYPE>) (%a: TYPE, %o: TYPE) {{
{body}
    linalg.yield %r : TYPE
  }}
  %y = scan.associative ins(%e : tensor<256xTYPE>) dim = 0
      attributes {{schedule = #scan.schedule<strategy = sequential, threads = 32, items = 1>}} {{
  ^bb0(%acc: TYPE, %new: TYPE):
    %s = {add} %acc, %new : TYPE
    scan.yield %s : TYPE
  }} -> tensor<256xTYPE>
  return %y : tensor<256xTYPE>
}}
""".replace("TYPE", t)


def main():
    ptxas, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    count = problems = 0
    for t in assemble.programs.INTEGERS + assemble.programs.FLOATS + assemble.programs.COMPLEX:
        base = os.path.join(folder, re.sub(r"\W", "_", t))
        cases = [case for place, case in enumerate(operations(t)) if sampling.is_of_today(place, 2)]
        count += len(cases)
        with open(base + ".mlir", "w") as file:
            file.writelines(write_function(name, t, lines) for name, lines in cases)
        done = assemble.run(["scan-translate", "--scan-to-ptx", base + ".mlir", "-o", base + ".ptx"])
        found = [done.stderr] if done.returncode else []
        if not found:
            found += assemble.NARROW.findall(open(base + ".ptx").read())
            done = assemble.run([ptxas, "-arch=sm_90", "-o", base + ".cubin", base + ".ptx"])
            found += [done.stderr] if done.returncode else []
        problems += len(found)
        for problem in found:
            print(f"{t}: {problem.strip()}")
    print(f"{count} operations, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
