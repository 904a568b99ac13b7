"""Measures one part of frontends.py in this process; the last line of its output is JSON."""

import argparse
import gc
import json
import os
import statistics
import sys
import time

# Calls of tiny functions, timed together.
CALLS, REPEATS = 200, 15


def note(text):
    print(text, file=sys.stderr, flush=True)


def affine(x, y):
    return y[0] * x[0], y[0] * x[1] + y[1]


def interleave(contenders, options, wait):
    """Median milliseconds of each, measured in turn; results are freed before the next.

    Before each measured call there is one that is not: what the contender before it has
    left, in the caches and of the system's memory, is not for this one to pay.
    """
    clock = time.perf_counter if options.clock == "wall" else time.process_time
    seconds = {name: [] for name in contenders}
    for number in range(options.rounds):
        for name, function in contenders.items():
            wait(function())
            begin = clock()
            result = function()
            wait(result)
            seconds[name].append(clock() - begin)
            del result
        note(f"  round {number + 1} of {options.rounds}")
    return {name: 1e3 * statistics.median(list[1:]) for name, list in seconds.items()}


def prepare_torch(options):
    import torch

    torch.manual_seed(0)
    if options.device == "cpu":
        torch.set_num_threads(1)
    return torch


def synchronizer(torch, options):
    return (lambda _: None) if options.device == "cpu" else lambda _: torch.cuda.synchronize()


# ---- torch -------------------------------------------------------------------

def measure_torch(options):
    torch = prepare_torch(options)
    from torch._higher_order_ops.associative_scan import associative_scan

    import mlir_scan.torch as scan

    a = (0.5 + 0.4 * torch.rand(*options.shape, device=options.device)).requires_grad_()
    b = torch.randn(*options.shape, device=options.device).requires_grad_()
    cotangent = torch.randn(*options.shape, device=options.device)

    def generic(a, b):
        return associative_scan(affine, (a, b), 1, combine_mode="generic")

    def pair(a, b):
        return scan.associative_scan(affine, (a, b), 1)

    def forward(function):
        def run():
            with torch.no_grad():
                return function(a, b)
        return run

    def backward(states):
        def run():
            return torch.autograd.grad((states(a, b) * cotangent).sum(), (a, b))
        return run

    contenders = {
        ("associative_scan forward", "ours"): forward(pair),
        ("associative_scan forward", "other"): forward(generic),
        ("linear_recurrence forward", "ours"): forward(scan.linear_recurrence),
        ("associative_scan forward + backward", "ours"): backward(lambda a, b: pair(a, b)[1]),
        ("associative_scan forward + backward", "other"):
            backward(lambda a, b: generic(a, b)[1]),
        ("linear_recurrence forward + backward", "ours"): backward(scan.linear_recurrence),
    }
    check(forward(pair)()[1], forward(generic)()[1])
    return compare_with_pair(contenders, options, synchronizer(torch, options))


def compare_with_pair(contenders, options, wait):
    """The recurrence is compared with the other's scan of pairs, which is all that it has."""
    times = interleave(contenders, options, wait)
    rows = []
    for row in dict.fromkeys(row for row, _ in contenders):
        other = times[row.replace("linear_recurrence", "associative_scan"), "other"]
        ours = times[row, "ours"]
        rows.append({"name": row, "ms": ours, "other_ms": other, "ratio": other / ours})
    return rows


def check(found, expected):
    """Fails where the contenders do not compute the same."""
    error = float(abs(found - expected).max())
    if not error < 1e-3 * max(1.0, float(abs(expected).max())):
        raise SystemExit(f"worker.py: expected the same results, found a difference of {error}")


# ---- JAX ---------------------------------------------------------------------

def measure_jax(options):
    import jax
    import numpy
    from jax import numpy as jnp

    import mlir_scan.jax as scan

    generator = numpy.random.default_rng(0)
    a = jnp.asarray(0.5 + 0.4 * generator.random(options.shape), "float32")
    b = jnp.asarray(generator.standard_normal(options.shape), "float32")
    cotangent = jnp.asarray(generator.standard_normal(options.shape), "float32")

    def theirs(a, b):
        return jax.lax.associative_scan(affine, (a, b), axis=1)

    def pair(a, b):
        return scan.associative_scan(affine, (a, b), axis=1)

    def forward(function):
        run = jax.jit(function)
        return lambda: run(a, b)

    def backward(states):
        run = jax.jit(jax.value_and_grad(
            lambda a, b, cotangent: jnp.vdot(states(a, b), cotangent), (0, 1)))
        return lambda: run(a, b, cotangent)

    contenders = {
        ("associative_scan forward", "ours"): forward(pair),
        ("associative_scan forward", "other"): forward(theirs),
        ("linear_recurrence forward", "ours"): forward(scan.linear_recurrence),
        ("associative_scan forward + backward", "ours"): backward(lambda a, b: pair(a, b)[1]),
        ("associative_scan forward + backward", "other"): backward(lambda a, b: theirs(a, b)[1]),
        ("linear_recurrence forward + backward", "ours"): backward(scan.linear_recurrence),
    }
    check(forward(pair)()[1], forward(theirs)()[1])
    return compare_with_pair(contenders, options, jax.block_until_ready)


# ---- calls -------------------------------------------------------------------

def call_time(function, wait):
    """Median microseconds of a call, of which many are timed together."""
    for _ in range(50):
        function()
    wait(None)
    times = []
    gc.disable()
    for _ in range(REPEATS):
        begin = time.perf_counter()
        for _ in range(CALLS):
            function()
        # Launches are asynchronous: what counts is how long the caller is busy.
        times.append((time.perf_counter() - begin) / CALLS * 1e6)
        wait(None)
    gc.enable()
    return statistics.median(times)


def tiny_calls(torch, scan, device):
    """Functions of tiny tensors by name, without and with gradients to be recorded."""
    a, b = torch.rand(2, 4, 3, device=device), torch.rand(2, 4, 3, device=device)
    ga, gb = a.clone().requires_grad_(), b.clone().requires_grad_()
    return a, b, ga, gb, {
        "cumsum": lambda a, b: scan.cumsum(b, 1),
        "associative_scan": lambda a, b: scan.associative_scan(affine, (a, b), 1),
        "linear_recurrence": scan.linear_recurrence,
    }


def measure_eager(options):
    torch = prepare_torch(options)
    import mlir_scan.torch as scan

    a, b, ga, gb, functions = tiny_calls(torch, scan, options.device)
    wait = synchronizer(torch, options)
    rows = [{"name": "torch.add", "us": call_time(lambda: torch.add(a, b), wait), "counts": False}]
    for name, function in functions.items():
        rows.append({"name": name, "counts": True,
                     "us": call_time(lambda function=function: function(a, b), wait)})
        rows.append({"name": f"{name}, recorded for autograd", "counts": True,
                     "us": call_time(lambda function=function: function(ga, gb), wait)})
        note(f"  {name}")
    return rows


def measure_compiled(options):
    torch = prepare_torch(options)
    import mlir_scan.torch as scan

    a, b, ga, gb, functions = tiny_calls(torch, scan, options.device)
    wait = synchronizer(torch, options)
    rows = []
    for suffix, inputs in (("", (a, b)), (", recorded for autograd", (ga, gb))):
        base = None
        for name, function in {"torch.add": torch.add, **functions}.items():
            torch._dynamo.reset()
            compiled = torch.compile(function, fullgraph=True)
            time_us = call_time(lambda: compiled(*inputs), wait)
            base = base or time_us
            rows.append({"name": name + suffix, "us": time_us, "ratio": time_us / base,
                         "counts": name != "torch.add"})
            note(f"  {name}{suffix}")
    return rows


def measure_first(options):
    library, name = options.call.split()
    if library == "torch":
        torch = prepare_torch(options)
        import mlir_scan.torch as scan

        a, b, _, _, functions = tiny_calls(torch, scan, options.device)
        torch.add(a, b)
        function, wait = functions[name], synchronizer(torch, options)
    else:
        import jax
        from jax import numpy as jnp

        import mlir_scan.jax as scan

        a = b = jnp.ones((2, 4, 3))
        function, wait = jax.jit(getattr(scan, name)), jax.block_until_ready
        # What JAX itself does when it compiles for the first time.
        wait(jax.jit(jnp.add)(a, b))
    begin = time.perf_counter()
    wait(function(a, b))
    return {"ms": (time.perf_counter() - begin) * 1e3}


# ---- memory ------------------------------------------------------------------

def peak_bytes():
    """The most that this process has held, since `reset_peak`."""
    with open("/proc/self/status", encoding="utf-8") as file:
        line = next(line for line in file if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def resident_bytes():
    with open("/proc/self/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def reset_peak():
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")


def measure_memory(options):
    torch = prepare_torch(options)
    import mlir_scan.torch as scan

    functions = {"torch associative_scan": lambda a, b: scan.associative_scan(affine, (a, b), 1)[1],
                 "torch linear_recurrence": scan.linear_recurrence}
    rows = []
    for name, function in functions.items():
        def run(steps, function=function):
            a = torch.rand(1, steps, 16, device=options.device).mul_(0.8).requires_grad_()
            b = torch.rand(1, steps, 16, device=options.device).requires_grad_()
            h = function(a, b)
            cotangent = torch.ones_like(h)
            gc.collect()
            held = reset(torch, options)
            h.backward(cotangent)
            return (peak(torch, options) - held) / (steps * 16 * 4)

        # Code and libraries are loaded, and threads are started, by a small one.
        run(64)
        rows.append({"name": f"{name}, backward", "arrays": run(options.steps)})
        note(f"  {name}")
    return rows


def reset(torch, options):
    """Forgets the peak; what is held now."""
    if options.device == "cuda":
        torch.cuda.reset_peak_memory_stats()
        return torch.cuda.memory_allocated()
    reset_peak()
    return resident_bytes()


def peak(torch, options):
    return torch.cuda.max_memory_allocated() if options.device == "cuda" else peak_bytes()


MEASURES = {"torch": measure_torch, "jax": measure_jax, "eager": measure_eager,
            "compiled": measure_compiled, "first": measure_first, "memory": measure_memory}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("part", choices=MEASURES)
    parser.add_argument("call", nargs="?")
    parser.add_argument("--shape", nargs=3, type=int, required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--core", type=int, required=True)
    parser.add_argument("--clock", required=True)
    parser.add_argument("--steps", type=int, required=True)
    options = parser.parse_args()
    if options.device == "cpu":
        # Before any library starts its threads.
        os.sched_setaffinity(0, {options.core})
    print(json.dumps(MEASURES[options.part](options)))


if __name__ == "__main__":
    main()
