#!/usr/bin/env python3
"""Checks and measures kernels of scan.recurrence on an NVIDIA GPU.

examples:
  recurrences.py --prepare kernels --chip sm_90   compile here, with numbers to compare with, ...
  recurrences.py --kernels kernels                ... and run on a machine without the compiler
  recurrences.py --kernels kernels --check-only   numbers, no times

Numbers of all examples, at small and awkward sizes, are compared with what the reference
interpreter computed when the kernels were compiled: integers exactly, floats within
1e-5 (libdevice's functions are not those of the host's libm). Then

  * a GRU with diagonal weights over [16, 8192, 2048], of f32, of bf16, and of f32 with time
    innermost in memory, [16, 2048, 8192], beside a device copy of the same bytes;
  * an LSTM with 12 heads of 64, batch 16, 1024 steps, beside torch.nn.LSTM (cuDNN) of the
    same width, 768, and of 64 with 192 sequences; ours with and without the product that
    cuDNN's time has in it, of the inputs with their weights. And with heads of 128, half of
    whose weights lie in shared memory, beside torch.nn.LSTM of 128 with 192 sequences.
  * the GRU over [1, 65536, 256] f32, walked and solved by Newton's method (docs/newton.md);
  * an LSTM of 1024 lanes, whose steps are launches of the whole grid: what a step takes when
    Python launches it and when a CUDA graph does, and the bytes that its kernels move.

Times are medians between events; the GRU's arrays are larger than any cache.
"""

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys

import kernels
import recurrence_variants

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(kernels.ROOT, "examples")
LAUNCHES = os.path.join(kernels.ROOT, "test", "Conversion", "RecurrenceToGPU", "Inputs")
PROGRAMS = {name: os.path.join(folder, name + ".mlir")
            for folder, name in [(EXAMPLES, "te_scan"), (EXAMPLES, "recurrent_cells"),
                                 (HERE, "recurrences"), (HERE, "step_launches"),
                                 (LAUNCHES, "launches")]}
VARIANTS = ["gru_lanes_time", "gru_lanes_bf16", "lstm_heads_128"]
# The same file with a schedule that solves for all steps at once.
NEWTON = "#scan.newton<iterations = 8, tolerance = 1.0e-5>"
TOLERANCE = 1e-5
# What is rounded to bf16 at each step may be rounded to the other side.
TOLERANCE_BF16 = 2e-2


def lstm(batch, steps):
    return [f"random:f32:{batch}x{steps}x5:1", f"random:f32:{batch}x1x6:2",
            f"random:f32:{batch}x1x6:3", "random:f32:5x24:4", "random:f32:6x24:5",
            "random:f32:24:6"]


def gru(batch, steps):
    return [f"random:f32:{batch}x{steps}x5:1", f"random:f32:{batch}x1x6:2", "random:f32:5x18:3",
            "random:f32:6x18:4", "random:f32:18:5", "random:f32:18:6"]


def gru_lanes(batch, steps, width):
    return [*(f"random:f32:{batch}x{steps}x{width}:{i}" for i in range(3)),
            f"random:f32:{batch}x1x{width}:3", *(f"random:f32:{width}:{i}" for i in (4, 5, 6))]


def gru_lanes_time(batch, steps, width):
    return [*(f"random:f32:{batch}x{width}x{steps}:{i}" for i in range(3)),
            f"random:f32:{batch}x{width}x1:3", *(f"random:f32:{width}:{i}" for i in (4, 5, 6))]


def gru_lanes_bf16(batch, steps, width):
    return [text.replace("f32", "bf16") for text in gru_lanes(batch, steps, width)]


def lstm_heads(batch, steps, heads, width=64):
    return [f"random:f32:{batch}x{steps}x{heads}x{4 * width}:1",
            f"random:f32:{batch}x1x{heads}x{width}:2", f"random:f32:{batch}x1x{heads}x{width}:3",
            f"random:f32:{heads}x{width}x{4 * width}:4:-0.1:0.1"]


def lstm_wide(batch, steps):
    return [f"random:f32:{batch}x{steps}x4096:1", f"random:f32:{batch}x1x1024:2",
            f"random:f32:{batch}x1x1024:3", "random:f32:1024x4096:4:-0.05:0.05"]


def gru_narrow(steps):
    return [f"random:bf16:{steps}x771:1", "random:bf16:1x257:2", "random:bf16:257x771:3:-0.1:0.1"]


def back(batch, steps):
    return [f"random:i32:{batch}x{steps}x5:1:-9:9", f"random:i32:{batch}x2x5:2:-9:9",
            "random:i32:5x5:3:-9:9"]


# Program, function, and inputs as scan-run takes them.
CASES = [
    *(("te_scan", "column_sums", [f"random:f32:{m}x{n}:1"])
      for m, n in [(10, 1024), (2, 1), (10, 255), (11, 257), (1000, 33)]),
    ("te_scan", "two_stages", ["random:f32:10x257:1:-0.1:0.1"]),
    *(("te_scan", "two_states", [f"random:f32:{m}x{n}:1", f"const:index::{l}"])
      for m, n, l in [(10, 1024, 7), (2, 1, 1), (10, 257, 300)]),
    ("te_scan", "fibonacci", ["const:index::40"]),
    ("te_scan", "fibonacci", ["const:index::1"]),
    *(("te_scan", "biquad", [f"random:f32:{m}x{n}:1", f"random:f32:2x{n}:2", f"random:f32:2x{n}:3",
                             "random:f32:3:4", "random:f32:2:5:-0.5:0.5"])
      for m, n in [(300, 255), (1, 1)]),
    *(("te_scan", "tanh_lanes", [f"random:f32:{m}x{n}:1", f"random:f32:1x{n}:2", f"random:f32:{n}:3"])
      for m, n in [(100, 257), (1, 1)]),
    *(("te_scan", "edit_distance", [f"random:i32:{m}:1:0:3", f"random:i32:{n}:2:0:3"])
      for m, n in [(40, 300), (1, 1), (0, 4)]),
    *(("recurrent_cells", "lstm", lstm(*shape)) for shape in [(2, 9), (33, 257), (1, 1)]),
    *(("recurrent_cells", "gru", gru(*shape)) for shape in [(2, 9), (33, 257), (1, 1)]),
    *(("recurrences", "gru_lanes", gru_lanes(*shape)) for shape in [(2, 37, 257), (1, 1, 1)]),
    *(("recurrences", "lstm_heads", lstm_heads(*shape)) for shape in [(2, 37, 3), (1, 1, 1)]),
    *(("variants", "gru_lanes_time", gru_lanes_time(*shape)) for shape in [(2, 37, 257), (1, 1, 1)]),
    ("variants", "gru_lanes_bf16", gru_lanes_bf16(2, 37, 257)),
    ("variants", "lstm_heads_128", lstm_heads(2, 37, 3, 128)),
    # One launch or more for each step.
    *(("step_launches", "lstm_wide", lstm_wide(*shape)) for shape in [(1, 3), (3, 2), (2, 0), (1, 1)]),
    *(("step_launches", "gru_narrow", gru_narrow(steps)) for steps in (0, 1, 2, 41)),
    *(("launches", "back", back(*shape)) for shape in [(1, 0), (1, 1), (3, 2), (37, 3), (2, 3001)]),
    *(("launches", "wide", [f"random:i32:{steps}x65537:1:-9:9", "random:i32:1x65537:2:-9:9"])
      for steps in (0, 1, 7)),
    ("launches", "segments", ["random:i32:40x6:1:-9:9", "random:i32:1x6:2:-9:9",
                              "values:i32:6:0,0,3,3,17,40"]),
    *(("launches", "lanes", [f"random:f32:{steps}x{width}:1:-0.5:0.5", f"random:f32:1x{width}:2:-0.5:0.5"])
      for steps, width in [(0, 5), (1, 1), (2000, 257)]),
]


def prepare(folder, chip, tools):
    """Compiles the programs, and computes what the cases are to be."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "variants.mlir"), "w", encoding="utf-8") as file:
        file.write("\n".join(map(recurrence_variants.variant, VARIANTS)))
    programs = dict(PROGRAMS, variants=os.path.join(folder, "variants.mlir"))
    for name, path in programs.items():
        for suffix, options in [("", []), ("-fast", ["--fast-math"])]:
            with open(path, encoding="utf-8") as file:
                kernels.translate(file.read(), tools, chip, os.path.join(folder, name + suffix),
                                  *options)
    with open(PROGRAMS["recurrences"], encoding="utf-8") as file:
        text = file.read()
    end = text.index("func.func @lstm_heads")
    schedule = f"dim = 1 attributes {{scan.schedule = {NEWTON}}} {{"
    solved = text[:end].replace("dim = 1 {", schedule, 1)
    kernels.translate(solved, tools, chip, os.path.join(folder, "newton"))
    counts = []
    for number, (program, function, inputs) in enumerate(CASES):
        stem = os.path.join(folder, f"case{number}")
        command = [os.path.join(tools, "scan-run"), programs[program], f"--entry={function}",
                   "--target=reference", *(f"--input={text}" for text in inputs)]
        # Once to learn how many results there are.
        found = json.loads(kernels.run_tool([*command, "--json"]))
        results = len(found["results"])
        kernels.run_tool([*command, *(f"--output={stem}-y{i}.npy" for i in range(results))])
        for text in inputs:
            # Weights are large, and those of several cases are the same.
            if not text.startswith("const:index") and not os.path.exists(input_file(folder, text)):
                write_input(text, input_file(folder, text), tools)
        counts.append(results)
    with open(os.path.join(folder, "index.json"), "w", encoding="utf-8") as file:
        json.dump({"chip": chip, "tools": kernels.version(tools), "results": counts}, file)
    print(f"{len(programs)} programs compiled for {chip}, {len(CASES)} cases computed")


def input_file(folder, text):
    """Where the array is that scan-run makes of an --input."""
    return os.path.join(folder, f"x{hashlib.sha1(text.encode()).hexdigest()[:12]}.npy")


def write_input(text, path, tools):
    """The array that scan-run makes of an --input, as a file."""
    _, element, shape = text.split(":")[:3]
    kind = f"tensor<{shape}x{element}>"
    program = f"func.func @same(%x: {kind}) -> {kind} {{\n  return %x : {kind}\n}}\n"
    kernels.run_tool([os.path.join(tools, "scan-run"), "-", f"--input={text}", f"--output={path}"],
                     program)


def load(path, torch, np):
    """A tensor; bf16 lies in the file as two bytes without a type."""
    array = np.load(path)
    if array.dtype.kind == "V":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def check(folder, programs, results, torch, np):
    """Runs all cases; returns how many of them differ."""
    wrong = 0
    for number, (program, function, inputs) in enumerate(CASES):
        arguments = [int(text.split("::")[1]) if text.startswith("const:index") else
                     load(input_file(folder, text), torch, np).cuda()
                     for text in inputs]
        found = programs[program][function](*arguments)
        torch.cuda.synchronize()
        worst, tolerance = 0.0, TOLERANCE
        for i in range(results[number]):
            expected = load(os.path.join(folder, f"case{number}-y{i}.npy"), torch, np)
            mine = torch.as_tensor(found[i], device="cuda").cpu()
            if expected.dtype == torch.bfloat16:
                tolerance = TOLERANCE_BF16
            if mine.shape != expected.shape:
                worst = float("inf")
            elif not expected.is_floating_point():
                worst = max(worst, float((mine != expected).any()))
            elif expected.numel():
                # Sums over steps are bracketed freely, each addition within half an ulp.
                tolerance = max(tolerance, max(expected.shape) * 2.0**-24)
                error = (mine - expected).abs().float() / expected.abs().float().clamp(min=1)
                worst = max(worst, float(error.max()))
        is_wrong = not worst <= tolerance
        wrong += is_wrong
        shapes = ", ".join(text.split(":")[2] or text.split(":")[3] for text in inputs[:2])
        print(f"  {function:15} {shapes:24} error {worst:.1e}{'  WRONG' if is_wrong else ''}")
    return wrong


def measure(torch, call, rounds=15, calls=1):
    """The median of the seconds that a call takes."""
    for _ in range(2):
        call()
    torch.cuda.synchronize()
    seconds = []
    for _ in range(rounds):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(calls):
            call()
        end.record()
        torch.cuda.synchronize()
        seconds.append(start.elapsed_time(end) * 1e-3 / calls)
    return statistics.median(seconds)


def ours(function, out, *arguments):
    """A call that launches and allocates nothing."""
    prepared = function.prepare(*arguments)
    return lambda: prepared.launch(*arguments, out=out)


def measure_gru(torch, programs, program, name):
    batch, steps, width = 16, 8192, 2048
    element = torch.bfloat16 if name.endswith("bf16") else torch.float32
    random = lambda *shape: (torch.randn(*shape, device="cuda") * 0.5).to(element)
    is_innermost = name.endswith("time")
    shape = (batch, width, steps) if is_innermost else (batch, steps, width)
    gates = [random(*shape) for _ in range(3)]
    h0 = random(batch, width, 1) if is_innermost else random(batch, 1, width)
    weights = [random(width) for _ in range(3)]
    y = torch.empty_like(gates[0])
    nbytes = 4 * y.numel() * y.element_size()
    source = torch.empty(nbytes // 8, device="cuda")
    target = torch.empty_like(source)
    copied = measure(torch, lambda: target.copy_(source))
    del source, target
    print(f"{name}, {list(shape)}, {nbytes / 1e9:.2f} GB:")
    print(f"  copy        {copied * 1e3:8.3f} ms  {nbytes / copied / 1e9:6.0f} GB/s")
    for suffix in ("", "-fast"):
        function = programs[program + suffix][name]
        seconds = measure(torch, ours(function, [y], *gates, h0, *weights))
        print(f"  ours{suffix:8}{seconds * 1e3:8.3f} ms  {nbytes / seconds / 1e9:6.0f} GB/s  "
              f"{copied / seconds:.2f} of a copy")


def measure_newton(torch, walked, solved):
    """The GRU of few lanes and many steps: one step after the other, and all at once."""
    batch, steps, width = 1, 65536, 256
    random = lambda *shape: torch.rand(*shape, device="cuda") * 2 - 1
    gates = [random(batch, steps, width) for _ in range(3)]
    h0, weights = random(batch, 1, width), [random(width) for _ in range(3)]
    found = [torch.empty(batch, steps, width, device="cuda") for _ in range(2)]
    seconds = [measure(torch, ours(function, [y], *gates, h0, *weights))
               for function, y in zip((walked, solved), found)]
    error = (found[0] - found[1]).abs().max().item()
    print(f"GRU per lane, [{batch}, {steps}, {width}] f32, {NEWTON}:\n"
          f"  walked      {seconds[0] * 1e3:8.3f} ms\n"
          f"  solved      {seconds[1] * 1e3:8.3f} ms, {seconds[0] / seconds[1]:.1f} times as fast, "
          f"differs by {error:.1e}")


def measure_lstm(torch, programs, program, name, width):
    batch, steps, heads = 16, 1024, 12
    random = lambda *shape: torch.randn(*shape, device="cuda") * 0.1
    x, inputs = random(batch, steps, heads * width), random(heads, width, 4 * width)
    pre = torch.empty(batch, steps, heads, 4 * width, device="cuda")
    h0, c0 = (random(batch, 1, heads, width) for _ in range(2))
    weights = random(heads, width, 4 * width)
    out = [torch.empty(batch, steps, heads, width, device="cuda"), torch.empty_like(h0),
           torch.empty_like(c0)]
    print(f"LSTM, {heads} heads of {width}, batch {batch}, {steps} steps, f32:")
    for size, sequences in [(heads * width, batch), (width, batch * heads)]:
        layer = torch.nn.LSTM(size, size, batch_first=True, device="cuda")
        data = random(sequences, steps, size)
        with torch.no_grad():
            seconds = measure(torch, lambda: layer(data))
        print(f"  torch.nn.LSTM({size}), {sequences:3} sequences {seconds * 1e3:8.3f} ms")

    def project():
        torch.bmm(x.view(batch * steps, heads, width).transpose(0, 1), inputs,
                  out=pre.view(batch * steps, heads, 4 * width).transpose(0, 1))

    projected = measure(torch, project)
    for suffix in ("", "-fast"):
        function = programs[program + suffix][name]
        seconds = measure(torch, ours(function, out, pre, h0, c0, weights))
        print(f"  ours{suffix:8} {seconds * 1e3:8.3f} ms, {seconds / steps * 1e6:.2f} us a step; "
              f"with the product of the inputs {(seconds + projected) * 1e3:.3f} ms")


def measure_launches(torch, programs):
    """What a step takes whose kernels have the whole grid."""
    steps, width = 1024, 1024
    function = programs["step_launches"]["lstm_wide"]
    random = lambda *shape: torch.randn(*shape, device="cuda") * 0.1
    print(f"LSTM, {width} lanes, {steps} steps of 2 launches, f32:")
    for batch in (1, 16):
        x, weights = random(batch, steps, 4 * width), random(width, 4 * width) * 0.3
        h0, c0 = (random(batch, 1, width) for _ in range(2))
        out = [torch.empty(batch, steps, width, device="cuda"), torch.empty_like(h0),
               torch.empty_like(c0)]
        prepared = function.prepare(x, h0, c0, weights)
        # Weights, what the inputs add, the product, written and read again, and the states.
        nbytes = 4 * (weights.numel() + batch * (4 + 4 + 4 + 4) * width)
        seconds = measure(torch, lambda: prepared.launch(x, h0, c0, weights, out=out), rounds=5)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            prepared.launch(x, h0, c0, weights, out=out,
                            stream=torch.cuda.current_stream().cuda_stream)
        replayed = measure(torch, graph.replay, rounds=7)
        layer = torch.nn.LSTM(width, width, batch_first=True, device="cuda")
        data = random(batch, steps, width)
        with torch.no_grad():
            theirs = measure(torch, lambda: layer(data), rounds=7)
        print(f"  {batch:3} sequences: {seconds / steps * 1e6:7.2f} us a step, "
              f"{replayed / steps * 1e6:.2f} in a graph, {nbytes / 1e6:.1f} MB, "
              f"{nbytes * steps / replayed / 1e9:.0f} GB/s; "
              f"torch.nn.LSTM({width}) {theirs / steps * 1e6:.2f} us a step")


def run(folder, is_check_only):
    import numpy as np  # pylint: disable=import-outside-toplevel
    import torch  # pylint: disable=import-outside-toplevel

    runtime = kernels.import_runtime()
    with open(os.path.join(folder, "index.json"), encoding="utf-8") as file:
        index = json.load(file)
    device = runtime.Device()
    torch.manual_seed(1)
    print(f"{torch.cuda.get_device_name()}, kernels for {index['chip']} of {index['tools']}")
    programs = {}
    for name in [*PROGRAMS, "variants"]:
        for suffix in ("", "-fast"):
            stem = os.path.join(folder, name + suffix)
            programs[name + suffix] = runtime.Program(device, stem + ".ptx", stem + ".json")
    newton = runtime.Program(device, os.path.join(folder, "newton.ptx"),
                             os.path.join(folder, "newton.json"))
    print("numbers:")
    wrong = check(folder, programs, index["results"], torch, np)
    print(f"{len(CASES)} cases, {wrong} wrong")
    if not is_check_only:
        for program, name in [("recurrences", "gru_lanes"), ("variants", "gru_lanes_bf16"),
                              ("variants", "gru_lanes_time")]:
            measure_gru(torch, programs, program, name)
        measure_lstm(torch, programs, "recurrences", "lstm_heads", 64)
        measure_lstm(torch, programs, "variants", "lstm_heads_128", 128)
        measure_newton(torch, programs["recurrences"]["gru_lanes"], newton["gru_lanes"])
        measure_launches(torch, programs)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--prepare", metavar="DIR", help="compile into DIR")
    what.add_argument("--kernels", metavar="DIR", help="run what was compiled into DIR")
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--bin", help="the folder of the tools (default: PATH, then build/bin)")
    parser.add_argument("--check-only", action="store_true", help="no times")
    options = parser.parse_args()
    if options.prepare:
        try:
            prepare(options.prepare, options.chip, kernels.find_tools(options.bin))
        except (kernels.CompileError, subprocess.SubprocessError) as error:
            sys.exit(f"recurrences.py: {error}")
        return
    sys.exit(1 if run(options.kernels, options.check_only) else 0)


if __name__ == "__main__":
    main()
