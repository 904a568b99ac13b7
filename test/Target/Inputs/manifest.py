"""Reads manifests as a launcher would, by docs/manifest.md alone."""

import hashlib
import re

TYPES = {
    # element: (C type, bytes)
    "i1": ("bool", 1),
    "i8": ("int8_t", 1),
    "i16": ("int16_t", 2),
    "i32": ("int32_t", 4),
    "i64": ("int64_t", 8),
    "index": ("int64_t", 8),
    "f16": ("_Float16", 2),
    "bf16": ("__bf16", 2),
    "f32": ("float", 4),
    "f64": ("double", 8),
    "complex<f32>": ("float _Complex", 8),
    "complex<f64>": ("double _Complex", 16),
}


OPERATORS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "ceildiv": lambda a, b: -(-a // b), "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
    "min": lambda *operands: min(operands), "max": lambda *operands: max(operands),
}


def evaluate(value, names):
    if isinstance(value, list):
        return OPERATORS[value[0]](*[evaluate(operand, names) for operand in value[1:]])
    return names[value] if isinstance(value, str) else value


def show(value, is_operand=False):
    """As a text that people read."""
    if not isinstance(value, list):
        return str(value)
    if value[0] in ("min", "max"):
        return f"{value[0]}({', '.join(map(show, value[1:]))})"
    is_comparison = value[0][0] in "<>=!"
    left, right = (show(operand, not is_comparison) for operand in value[1:])
    text = f"{left} {value[0]} {right}"
    return f"({text})" if is_operand else text


def count(shape, names):
    """The number of elements."""
    elements = 1
    for size in shape:
        elements *= evaluate(size, names)
    return elements


def parse_entries(ptx):
    """The parameter widths in bytes of each .entry, by its name."""
    entries = {}
    for match in re.finditer(r"\.entry\s+([\w$]+)\s*\((.*?)\)", ptx, re.S):
        widths = []
        for parameter in filter(None, (p.strip() for p in match.group(2).split(",\n"))):
            array = re.search(r"\.b8\s+[\w$]+\[(\d+)\]", parameter)
            scalar = re.search(r"\.param\s+\.[a-z](\d+)", parameter)
            widths.append(int(array.group(1)) if array else int(scalar.group(1)) // 8)
        entries[match.group(1)] = widths
    return entries


def check(manifest, ptx, extent=lambda name: 40):
    """Checks the manifest against itself and the PTX; yields what is wrong."""
    if manifest["version"] != 4:
        yield f"version {manifest['version']}, expected 4"
    if f".target {manifest['chip']}" not in ptx:
        yield f"the PTX is not for {manifest['chip']}"
    if f".version {manifest['ptx_isa']}\n" not in ptx:
        yield f"the PTX is not in version {manifest['ptx_isa']}"
    if manifest["ptx_sha256"] != hashlib.sha256(ptx.encode()).hexdigest():
        yield "the hash is not that of the PTX"
    entries = parse_entries(ptx)
    described = set()
    for function in manifest["functions"]:
        for problem in check_function(function, entries, described, extent):
            yield f"{function['name']}: {problem}"
    for entry in entries.keys() - described:
        yield f"the manifest does not describe {entry}"


def check_function(function, entries, described, extent):
    names = {}
    for number, argument in enumerate(function["arguments"]):
        if argument["name"] != f"arg{number}":
            yield f"argument {number} is called {argument['name']}"
        if argument["element"] not in TYPES:
            yield f"unknown type {argument['element']}"
        for size in argument.get("shape", []) + argument.get("strides", []):
            if isinstance(size, str):
                names[size] = extent(size)
        if isinstance(argument.get("offset"), str):
            names[argument["offset"]] = extent(argument["offset"])
        if argument["kind"] == "scalar":
            names[argument["name"]] = extent(argument["name"])
    buffers = {buffer["name"]: buffer for buffer in function["buffers"]}
    if len(buffers) != len(function["buffers"]):
        yield "a buffer is listed twice"
    for buffer in buffers.values():
        elements = count(buffer["shape"], names)
        if elements < 0:
            yield f"{buffer['name']} has {elements} elements"
        if buffer["element_bytes"] != TYPES[buffer["element"]][1]:
            yield f"{buffer['name']} has elements of {buffer['element_bytes']} bytes"
        if buffer["kind"] == "constant":
            if len(buffer["data"]) != 2 * elements * buffer["element_bytes"]:
                yield f"{buffer['name']} has {len(buffer['data'])} digits"
    for number, result in enumerate(function["results"]):
        if result["buffer"] not in buffers:
            yield f"result {number} is in unknown buffer {result['buffer']}"
            continue
        buffer = buffers[result["buffer"]]
        if count(result["shape"], names) != count(buffer["shape"], names):
            yield f"result {number} has {result['shape']} and its buffer {buffer['shape']}"
        if result["element"] != buffer["element"]:
            yield f"result {number} has elements {result['element']}"
    for kernel in function["kernels"]:
        for problem in check_kernel(kernel, entries, buffers, names):
            yield f"{kernel['entry']}: {problem}"
        described.add(kernel["entry"])


def check_kernel(kernel, entries, buffers, names):
    if kernel["entry"] not in entries:
        yield "no such .entry in the PTX"
        return
    widths = entries[kernel["entry"]]
    if widths != [argument["bytes"] for argument in kernel["arguments"]]:
        yield f"the parameters in the PTX have {widths} bytes"
    for condition in kernel.get("when", []):
        if not isinstance(evaluate(condition, names), bool):
            yield f"condition {condition}"
    own = {}
    for argument in kernel["arguments"]:
        kind = argument["kind"]
        ctype, width = TYPES[argument.get("element", "index")]
        if kind == "workspace":
            ctype, width = "void *", 8
        elif kind == "pointer":
            ctype, width = ctype + " *", 8
            buffer = buffers[argument["buffer"]]
            if buffer["element"] != argument["element"]:
                yield f"{argument['name']} points to {buffer['element']}"
        elif kind == "scalar":
            if ("value" in argument) == ("constant" in argument):
                yield f"{argument['name']} has not one value"
            if len(argument.get("constant", "0" * 2 * width)) != 2 * width:
                yield f"{argument['name']} is {argument['constant']}"
        else:
            own[argument["name"]] = evaluate(argument["value"], names)
        if (argument["ctype"], argument["bytes"]) != (ctype, width):
            yield f"{argument['name']} is {argument['ctype']} of {argument['bytes']} bytes"
    for extent, limit in zip(kernel["grid"], (2147483647, 65535, 65535)):
        if not 1 <= evaluate(extent, own) <= limit:
            yield f"grid extent {show(extent)} is {evaluate(extent, own)}"
    threads = 1
    for extent in kernel["block"]:
        threads *= evaluate(extent, own)
    if threads % 32 or not 32 <= threads <= 1024:
        yield f"{threads} threads"
    spaces = sum(argument["kind"] == "workspace" for argument in kernel["arguments"])
    size = evaluate(kernel["workspace"]["bytes"], own)
    if spaces > 1 or (size > 0) != (spaces == 1) or size % 8 or size < 0:
        yield f"{spaces} workspaces of {size} bytes"
    if kernel["workspace"]["zeroed"] != (size > 0):
        yield f"workspace {kernel['workspace']}"
    if (kernel["schedule"].get("scope") == "grid") != (spaces == 1):
        yield f"{spaces} workspaces with {kernel['schedule']}"
    # Persistent kernels ask for all of their shared memory.
    shared, is_persistent = kernel["shared_bytes"], kernel["schedule"].get("blocks", 0) > 0
    if (shared["dynamic"] > 0) != is_persistent or (is_persistent and shared["static"] != 0):
        yield f"shared memory {shared} with {kernel['schedule']}"
    if kernel["schedule"]["threads"] != threads:
        yield f"a schedule with {kernel['schedule']['threads']} threads"
    if kernel["schedule"]["strategy"] != kernel["strategy"]:
        yield f"strategy {kernel['strategy']}"
