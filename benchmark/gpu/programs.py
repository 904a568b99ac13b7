"""The MLIR programs of the workloads, for given shapes and element types."""

import itertools
import re

import models


def tensor(shape, element):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def cumsum(case):
    x = tensor(case.shape, case.element)
    return f"""func.func @scan(%x: {x}) -> {x} {{
  %y = scan.associative ins(%x : {x}) dim = {case.dim}{' reverse' if case.reverse else ''} {{
  ^bb0(%acc: {case.element}, %new: {case.element}):
    %s = arith.addf %acc, %new : {case.element}
    scan.yield %s : {case.element}
  }} -> {x}
  return %y : {x}
}}
"""


def recurrence(case):
    x = tensor(case.shape, case.element)
    return f"""func.func @scan(%a: {x}, %b: {x}) -> {x} {{
  %h = scan.linear_recurrence ins(%a, %b : {x}, {x}) dim = {case.dim} -> {x}
  return %h : {x}
}}
"""


def softmax_pair(case):
    """The running maximum and the running sum of exp(x - maximum)."""
    x = tensor(case.shape, "f32")
    return f"""func.func @scan(%x: {x}) -> ({x}, {x}) {{
  %empty = tensor.empty() : {x}
  %one = arith.constant 1.0 : f32
  %ones = linalg.fill ins(%one : f32) outs(%empty : {x}) -> {x}
  %m, %s = scan.associative ins(%x, %ones : {x}, {x}) dim = {case.dim} {{
  ^bb0(%m0: f32, %s0: f32, %m1: f32, %s1: f32):
    %max = arith.maximumf %m0, %m1 : f32
    %d0 = arith.subf %m0, %max : f32
    %e0 = math.exp %d0 : f32
    %d1 = arith.subf %m1, %max : f32
    %e1 = math.exp %d1 : f32
    %p0 = arith.mulf %s0, %e0 : f32
    %p1 = arith.mulf %s1, %e1 : f32
    %sum = arith.addf %p0, %p1 : f32
    scan.yield %max, %sum : f32, f32
  }} -> {x}, {x}
  return %m, %s : {x}, {x}
}}
"""


def argmax(case):
    """The largest value so far, and where it is first; one dimension."""
    x, index = tensor(case.shape, "f32"), tensor(case.shape, "i32")
    return f"""func.func @scan(%x: {x}) -> ({x}, {index}) {{
  %empty = tensor.empty() : {index}
  %where = linalg.generic {{indexing_maps = [affine_map<(t) -> (t)>],
                           iterator_types = ["parallel"]}} outs(%empty : {index}) {{
  ^bb0(%out: i32):
    %t = linalg.index 0 : index
    %i = arith.index_cast %t : index to i32
    linalg.yield %i : i32
  }} -> {index}
  %m, %i = scan.associative ins(%x, %where : {x}, {index}) dim = {case.dim} {{
  ^bb0(%m0: f32, %i0: i32, %m1: f32, %i1: i32):
    %more = arith.cmpf ogt, %m1, %m0 : f32
    %max = arith.select %more, %m1, %m0 : f32
    %at = arith.select %more, %i1, %i0 : i32
    scan.yield %max, %at : f32, i32
  }} -> {x}, {index}
  return %m, %i : {x}, {index}
}}
"""


def matrices(case):
    """Products of 2x2 matrices, the newer ones on the right; one dimension."""
    x = tensor([*case.shape, 2, 2], "f32")
    return f"""func.func @scan(%x: {x}) -> {x} {{
  %y = scan.associative ins(%x : {x}) dim = {case.dim} {{
  ^bb0(%acc: tensor<2x2xf32>, %new: tensor<2x2xf32>):
    %zero = arith.constant dense<0.0> : tensor<2x2xf32>
    %p = linalg.matmul ins(%acc, %new : tensor<2x2xf32>, tensor<2x2xf32>)
                       outs(%zero : tensor<2x2xf32>) -> tensor<2x2xf32>
    scan.yield %p : tensor<2x2xf32>
  }} -> {x}
  return %y : {x}
}}
"""


def packed_sum(case):
    x, offsets = (tensor(array.shape, array.element) for array in case.inputs)
    return f"""func.func @scan(%x: {x}, %cu_seqlens: {offsets}) -> {x} {{
  %y = scan.associative ins(%x : {x}) segments(%cu_seqlens : {offsets}) dim = {case.dim} {{
  ^bb0(%acc: {case.element}, %new: {case.element}):
    %s = arith.addf %acc, %new : {case.element}
    scan.yield %s : {case.element}
  }} -> {x}
  return %y : {x}
}}
"""


def packed_recurrence(case):
    x, _, offsets = (tensor(array.shape, array.element) for array in case.inputs)
    return f"""func.func @scan(%a: {x}, %b: {x}, %cu_seqlens: {offsets}) -> {x} {{
  %h = scan.linear_recurrence ins(%a, %b : {x}, {x}) segments(%cu_seqlens : {offsets})
      dim = {case.dim} -> {x}
  return %h : {x}
}}
"""


PROGRAMS = {"cumsum": cumsum, "recurrence": recurrence, "softmax": softmax_pair,
            "argmax": argmax, "matrices": matrices,
            "packed sum": packed_sum, "packed recurrence": packed_recurrence}


def specialize(text, case):
    """The program of a model with the extents of `case`. Types tell which these are: all
    arrays that have the same static extents, and dynamic ones in the same places, have the same."""
    known = {}
    signature = text[text.index("@scan("):]
    types = re.findall(r"%\w+: tensor<((?:\d+x|\?x)*)", signature[:signature.index("->")])
    for extents, array in zip(types, case.inputs):
        known.setdefault(extents, array.shape)

    def replace(match):
        extents = match[1][:-1].split("x")
        # What only the program has, as states that never are in memory, begins as its steps do.
        shape = known.get(match[1], case.shape)
        extents = [str(shape[dim]) if extent == "?" else extent
                   for dim, extent in enumerate(extents)]
        return f"tensor<{'x'.join(extents)}x"

    # A padded tensor has more steps than others.
    pads = re.search(r"tensor\.pad %\w+ low\[(.*?)\] high\[(.*?)\]", text)
    padded = [] if not pads else [
        extent + int(low) + int(high)
        for extent, low, high in zip(case.shape, pads[1].split(","), pads[2].split(","))]
    of_padded = rf"\1tensor<{'x'.join(map(str, padded))}x"
    text = re.sub(r"(\} : tensor<\S+> to )tensor<(?:\?x)+", of_padded, text)
    text = re.sub(r"(ins\(%padded, %\w+ : )tensor<(?:\?x)+", of_padded, text)
    text = re.sub(r"tensor<((?:\d+x|\?x)*\?x(?:\d+x|\?x)*)", replace, text)
    return re.sub(r"tensor\.empty\([^)]*\)", "tensor.empty()", text)


def write(case, is_static=False):
    """The program, whose function is @scan, and what scan-opt has to do before it is
    translated: with the derivative, @scan_vjp returns the results, then the gradients. Of a
    dynamic case, the program for all extents, or for its own ones only if `is_static`."""
    options = ["--scan-differentiate=function=scan primal"] if case.is_derivative else []
    if case.operator in models.MODELS:
        text = models.read(case.operator, case.element)
        if "func.call" in text:
            options = ["--inline", "--symbol-dce", *options]
        return specialize(text, case) if is_static else text, options
    text = PROGRAMS[case.operator](case)
    if case.is_dynamic and not is_static:
        given = "tensor<" + "".join(f"{extent}x" for extent in case.shape)
        text = text.replace(given, "tensor<" + "?x" * len(case.shape))
        if case.operator in ("softmax", "argmax"):
            text = text.replace("  %empty = tensor.empty()", """  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%size)""")
    return text, options


def list_extents(text, case):
    """The dynamic extents of the function's arguments, as scan-tune takes them."""
    signature = text[text.index("@scan("):]
    types = re.findall(r"%\w+: tensor<([^>]*)", signature[:signature.index("->")])
    return [f"arg{number}_d{dim}={case.inputs[number].shape[dim]}"
            for number, type in enumerate(types)
            for dim, extent in enumerate(type.split("x")[:-1]) if extent == "?"]


def exclude(text):
    """The program with a scan that is exclusive, and begins with zeros."""
    types = re.search(r"^ *scan\.yield .* : (.*)$", text, re.MULTILINE)[1].split(", ")
    zeros = {"f32": "0.0", "i32": "0", "tensor<2x2xf32>": "dense<0.0>"}
    names = [f"%init{number}" for number, _ in enumerate(types)]
    inits = f"init({', '.join(names)} : {', '.join(types)})"
    text = re.sub(r"\) dim = (\d+(?: reverse)?)", rf") {inits} dim = \1 exclusive", text, count=1)
    lines = [f"  {name} = arith.constant {zeros[type]} : {type}\n" for name, type in zip(names, types)]
    return text.replace("{\n", "{\n" + "".join(lines), 1)


# Where the attributes of a scan.kernel are, or would be: behind its maps.
_KERNEL = re.compile(r"^( *maps \[[^\]\n]*\])(?: attributes \{([^\n]*)\})?$", re.MULTILINE)


# What makes the operations of a program that are given schedules.
TO_KERNELS = ["--scan-normalize", "--scan-fuse-elementwise"]


def format_schedule(schedule):
    """One that --scan-explain describes, as it stands in #scan.schedule, without what does
    not matter to the strategy."""
    names = ["strategy", "threads", "items"]
    names += {"row": ["rows"], "column": ["lanes", "vector"]}.get(schedule["strategy"], [])
    names += ["lanes"] * (schedule["strategy"] == "sequential" and schedule["lanes"] > 1)
    names += ["scope"] * (schedule["strategy"] != "sequential")
    names += ["blocks"] * (schedule.get("blocks", 0) != 0)
    names += ["stages"] * (schedule.get("stages", 0) != 0)
    names += ["warps"] * (schedule.get("warps", 1) != 1)
    return ", ".join(f"{name} = {schedule[name]}" for name in names)


def give_schedule(module, schedule):
    """Writes `schedule`, the text between the brackets of #scan.schedule<...>, on every
    scan.kernel of a module that has none. Of a list each kernel gets one."""
    schedules = itertools.repeat(schedule) if isinstance(schedule, str) else iter(schedule)

    def replace(match):
        attributes, chosen = match[2] or "", next(schedules)
        if "schedule = " not in attributes:
            attributes += f"{', ' if attributes else ''}schedule = #scan.schedule<{chosen}>"
        return f"{match[1]} attributes {{{attributes}}}"

    module, count = _KERNEL.subn(replace, module)
    if not count or count != module.count(" scan.kernel dim"):
        raise ValueError("expected scan.kernel operations as scan-opt prints them")
    return module
