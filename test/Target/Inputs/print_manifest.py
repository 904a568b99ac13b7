"""Checks a manifest against its PTX and prints it in short.

usage: print_manifest.py MANIFEST PTX
"""

import json
import sys

import manifest


def show(key, value):
    """As text; expressions as people write them."""
    if key in ("shape", "strides", "grid", "block"):
        return str([manifest.show(item) if isinstance(item, list) else item for item in value])
    return manifest.show(value) if key == "value" else str(value)


def pick(entry, *keys):
    return " ".join(show(key, entry[key]) for key in keys if key in entry)


def main():
    description = json.load(open(sys.argv[1]))
    problems = list(manifest.check(description, open(sys.argv[2]).read()))
    for problem in problems:
        print("problem:", problem)
    for function in description["functions"]:
        print("function", function["name"])
        for argument in function["arguments"]:
            print(" ", pick(argument, "name", "kind", "element", "shape", "strides", "offset"))
        for result in function["results"]:
            print("  returns", pick(result, "buffer", "element", "shape"))
        for buffer in function["buffers"]:
            print("  buffer", pick(buffer, "name", "index", "element", "shape", "data"))
        for kernel in function["kernels"]:
            print("  kernel", pick(kernel, "entry", "grid", "block", "schedule"))
            if "when" in kernel:
                print("    when", " and ".join(map(manifest.show, kernel["when"])))
            for argument in kernel["arguments"]:
                keys = ("name", "kind", "role", "operand", "dimension", "ctype")
                value = pick(argument, "buffer", "value")
                if argument["kind"] == "workspace":
                    value = manifest.show(kernel["workspace"]["bytes"])
                elif "constant" in argument:
                    value = "constant " + argument["constant"]
                print("   ", pick(argument, *keys), "=", value)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
