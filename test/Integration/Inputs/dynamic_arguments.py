"""Makes the arguments of functions dynamic, and runs what comes out.

usage: dynamic_arguments.py WORKDIR [--targets=TARGET,...] [--static]
           [--at-least=N] FILE.mlir...

Of each function on tensors with a static extent in an argument

    func.func @f(%x: tensor<?x16xf32>) ... {

this is made:

    func.func @f(%x_dynamic: tensor<?x?xf32>) ... {
      %x = tensor.cast %x_dynamic : tensor<?x?xf32> to tensor<?x16xf32>

It has to compute on the targets (default: cpu) what the interpreter does, unless the
function as it is does not, either. Files are taken apart at their `// -----`. Where
functions stand below a line `// run:` with their inputs, in which N is an extent, only
these are run; there may be a line `// tolerance:` between. Functions of other files are
run with random inputs, whose dynamic extents are 5, or, with --static, are made static
first. The last line counts; with --at-least=N fewer than N runs are an error.
"""

import os
import re
import sys

import scan_tools

EXTENT = "5"
ELEMENTS = {"complex<f32>": "c64", "complex<f64>": "c128"}
HEAD = re.compile(r"(?:^// run: (.*)\n(?:// tolerance: (.*)\n)?)?^\s*func\.func @([\w$]+)\(([^()]*)\)([^{]*)\{[ \t]*\n", re.M)
ARGUMENT = re.compile(r"\s*%([\w$]+): (tensor<((?:[\d?]+x)*)((?:[^<>]|<[^<>]*>)*)>|f16|f32|f64|bf16|index|i\d+)\s*")


def parse_arguments(text):
    """Name, type, extents (None for a scalar) and element type of each argument; None if
    there are others than tensors and scalars."""
    arguments = []
    # Not at the commas of encodings, which the pattern refuses anyway.
    for part in filter(None, re.split(r",(?![^<>]*>)", text)):
        match = ARGUMENT.fullmatch(part)
        if not match:
            return None
        extents = None if match[4] is None else match[3].split("x")[:-1]
        arguments.append((match[1], match[2], extents, match[4] or match[2]))
    return arguments


def make_static(text):
    text = re.sub(r"tensor<((?:[\d?]+x)+)", lambda m: "tensor<" + m[1].replace("?", EXTENT), text)
    return re.sub(r"tensor\.empty\([^)]*\)", "tensor.empty()", text)


def make_dynamic(text, head, arguments):
    """The text with dynamic arguments of the function that `head` matches."""
    signature, casts = [], []
    for name, type, extents, element in arguments:
        if not any(extent != "?" for extent in extents or []):
            signature.append(f"%{name}: {type}")
            continue
        dynamic = f"tensor<{'?x' * len(extents)}{element}>"
        signature.append(f"%{name}_dynamic: {dynamic}")
        casts.append(f"  %{name} = tensor.cast %{name}_dynamic : {dynamic} to {type}\n")
    function = head[0].replace(f"({head[4]})", f"({', '.join(signature)})", 1)
    return text[: head.start()] + function + "".join(casts) + text[head.end() :]


def get_inputs(arguments):
    inputs = []
    for i, (_, _, extents, element) in enumerate(arguments):
        shape = "x".join(extents or []).replace("?", EXTENT)
        random = f"random:{ELEMENTS.get(element, element)}:{shape}:{i + 1}"
        # Of a range in which no model grows without bounds.
        inputs.append(random + (":-1:0.5" if "f" in element else ""))
    return inputs


def run(path, entry, target, tolerance, inputs):
    command = ["scan-run", path, f"--entry={entry}", f"--target={target}", "--compare=reference",
               f"--tolerance={tolerance}", *(f"--input={i}" for i in inputs)]
    done = scan_tools.run(command)
    return command, done.returncode, done.stderr + done.stdout


def main():
    work, *rest = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    targets, least, static, files = ["cpu"], 0, False, []
    for word in rest:
        key, _, value = word.partition("=")
        if key == "--targets":
            targets = value.split(",")
        elif key == "--at-least":
            least = int(value)
        elif word == "--static":
            static = True
        else:
            files.append(word)

    ran = failed = unable = 0
    before, after = (os.path.join(work, name) for name in ("before.mlir", "after.mlir"))
    for file in files:
        with open(file, encoding="utf-8") as stream:
            text = stream.read()
        saysInputs = re.search("^// run: ", text, re.M)
        if static:
            text = make_static(text)
        for piece in re.split(r"^// -----.*$", text, flags=re.M):
            for head in HEAD.finditer(piece):
                words, tolerance, entry = head[1], head[2], head[3]
                arguments = parse_arguments(head[4])
                isCalled = re.search(rf"call @{re.escape(entry)}\(", piece)
                hasStatic = any(e != "?" for _, _, extents, _ in arguments or [] for e in extents or [])
                if not hasStatic or isCalled or (saysInputs and not words):
                    continue
                for path, program in ((before, piece), (after, make_dynamic(piece, head, arguments))):
                    with open(path, "w", encoding="utf-8") as stream:
                        stream.write(program)
                inputs = words.replace("N", EXTENT).split() if words else get_inputs(arguments)
                isShort = any("f16" in type for _, type, _, _ in arguments)
                tolerance = tolerance or ("2e-2" if isShort else "1e-5")
                for target in targets:
                    command, status, output = run(after, entry, target, tolerance, inputs)
                    if status != 0 and run(before, entry, target, tolerance, inputs)[1] != 0:
                        unable += 1
                        continue
                    ran += 1
                    if status != 0:
                        failed += 1
                        print(f"{file}: @{entry}: {' '.join(command)}\n{output}")
    print(f"{ran} runs with dynamic arguments, {failed} fail; {unable} do not run as they are, either")
    if failed or ran < least:
        sys.exit(1)


main()
