"""Runs every example of the ODS descriptions through scan-opt.

usage: ods_examples.py INCLUDE_FOLDER

An example is a block between ```mlir and ``` in a .td file: a module, or one
attribute. Each has to parse and verify, and what scan-opt prints for it has to
parse to the same text again, in the custom and in the generic form. A function
on tensors is run: the processor and the interpreter have to agree. One on
memrefs is lowered to the LLVM dialect, one with a GPU module for the emulator. Every
operation that is defined has to occur in an example, and every pass needs one that
shows a program before and after it (pass_examples.py).
"""

import glob
import os
import re
import subprocess
import sys
import textwrap

import pass_examples

BLOCK = re.compile(r"^[ \t]*```mlir\n(.*?)^[ \t]*```", re.MULTILINE | re.DOTALL)
OPERATION = re.compile(r'^def \w+ : Scan_Op<"(\w+)"', re.MULTILINE)


def scan_opt(text, *options):
    """Returns (stdout, stderr) of scan-opt; stdout is None if it failed."""
    run = subprocess.run(["scan-opt", *options], input=text, capture_output=True, text=True)
    return (run.stdout if run.returncode == 0 else None), run.stderr


def check(source, *options):
    """Returns what is wrong with the example, or None."""
    printed, errors = scan_opt(source, *options)
    if printed is None:
        return errors
    generic, errors = scan_opt(source, "--mlir-print-op-generic", *options)
    if generic is None:
        return errors
    for form, text in (("custom", printed), ("generic", generic)):
        again, errors = scan_opt(text, *options)
        if again is None:
            return f"its {form} form does not parse:\n{errors}"
        if again != printed:
            return f"its {form} form parses to something else:\n{again}\ninstead of\n{printed}"
    return None


def are_right(sources):
    """Whether nothing is wrong with any of the examples: all at once, which starts fewer tools."""
    return check("\n// -----\n".join(sources), "--split-input-file") is None


SCAN = re.compile(r"\bscan\.(?:associative|linear_recurrence|kernel)\b")
FUNCTION = re.compile(r"func\.func @(\w+)\(([^)]*)\)", re.DOTALL)
TYPE = re.compile(r"(\w*): (?:(tensor|memref)<((?:[\d?]+x)*)(\S+?)>|(\w+))(?:,|$)")
EXTENT = "5"  # For every dynamic dimension.


def execute(source):
    """Runs the functions of the example; returns what is wrong, or None."""
    if "gpu.module" not in source and not SCAN.search(source):
        return None  # An example of a pass on the code around scans.
    if "transform.named_sequence" in source:
        return None  # With a script; pass_examples.py runs that.
    for name, parameters in FUNCTION.findall(source):
        kinds, inputs = set(), []
        for called, kind, shape, element, scalar in TYPE.findall(parameters):
            kinds.add(kind)
            if called == "cu_seqlens":
                # One step in each segment, and so as many segments as there are steps.
                offsets = [str(i) for i in range(int(EXTENT) + 1)]
                inputs.append(f"--input=values:{element}:{len(offsets)}:{','.join(offsets)}")
                continue
            shape = shape.strip("x").replace("?", EXTENT)
            inputs.append(f"--input=random:{element or scalar}:{shape}:{len(inputs)}")
        if not kinds and "gpu.module" in source:
            continue  # Only launches kernels.
        if "memref" in kinds:
            gpu = "gpu.module" in source
            if scan_opt(source, "--scan-gpu-to-fibers" if gpu else "--scan-to-cpu")[0] is None:
                return f"@{name} cannot be lowered"
            continue
        command = ["scan-run", "-", f"--entry={name}", "--target=cpu"]
        command += ["--compare=reference", "--tolerance=1e-2", *inputs]
        run = subprocess.run(command, input=source, capture_output=True, text=True)
        if run.returncode != 0 or not inputs:
            return f"@{name} cannot be run: {run.stderr}{run.stdout}"
    return None


def main():
    root = sys.argv[1]
    count = failures = 0
    operations, passes, examples = set(), set(), ""
    for path in sorted(glob.glob(os.path.join(root, "**", "*.td"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        operations |= set(OPERATION.findall(text))
        pairs = list(pass_examples.pairs(text))
        elided = {offset for _, offset, *_, after in pairs if after and "..." in after}
        sources = []
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            source = textwrap.dedent(match.group(1))
            if match.start(1) in elided:
                continue  # Lines are left out: pass_examples.py compares the others.
            examples += source
            if source.startswith("#"):
                # An attribute: any operation carries it.
                source = f"func.func private @f() attributes {{scan.example = {source.strip()}}}\n"
            sources.append((line, source))
        right = sources and are_right([source for _, source in sources])
        for line, source in sources:
            count += 1
            wrong = (None if right else check(source)) or execute(source)
            if wrong:
                failures += 1
                print(f"{os.path.relpath(path, root)}:{line}: {wrong}")
        for name, offset, before, *rest in pairs:
            passes.add(name)
            count += before is not None
            wrong = pass_examples.wrong(before, *rest) if before else "no program before and after it"
            if wrong:
                failures += 1
                line = text.count("\n", 0, offset) + 1
                print(f"{os.path.relpath(path, root)}:{line}: {name}: {wrong}")
    for operation in sorted(operations):
        if f"scan.{operation}" not in examples:
            failures += 1
            print(f"scan.{operation} has no example")
    print(f"{count} examples, {len(operations)} operations, "
          f"{len(passes)} passes and transform operations, {failures} failures")
    return 1 if failures or not count or not operations else 0


if __name__ == "__main__":
    sys.exit(main())
