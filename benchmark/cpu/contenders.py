"""Who is measured: this project, memcpy, numpy, loops in C, torch and jax.

Each maker returns a function without arguments that does the scan once, or None where
it has nothing to offer for the case. Imports fail softly: what is not installed is not
measured.
"""

import concurrent.futures
import ctypes
import os
import subprocess
import tempfile

import numpy

C_SOURCE = """
#define SUM(T, name) void name(const T *x, T *y, long n) { \\
  T s = 0; for (long i = 0; i < n; ++i) { s += x[i]; y[i] = s; } }
SUM(float, sum_f32)
SUM(double, sum_f64)
SUM(int, sum_i32)
void max_f32(const float *x, float *y, long n) {
  float s = x[0]; for (long i = 0; i < n; ++i) { s = s > x[i] ? s : x[i]; y[i] = s; } }
void recurrence_f32(const float *a, const float *b, float *y, long n) {
  float h = 0; for (long i = 0; i < n; ++i) { h = a[i] * h + b[i]; y[i] = h; } }
"""


#: How many threads ours, memcpy and torch are to have; others have one.
THREADS = 1


def set_threads(count):
    global THREADS
    THREADS = count
    import mlir_scan
    mlir_scan.set_num_threads(count)


def make_ours(case):
    import mlir_scan
    program, name = case.program, case.function
    if case.derivative:
        module = mlir_scan.parse(program)
        module.run(f"scan-differentiate{{function={name}}}")
        program, name = str(module), f"{name}_vjp"
    function = mlir_scan.compile(program, name, strided_arguments=case.strides)
    return lambda: function(*case.inputs)


class CLoops:
    """The same loops as a C compiler makes of them."""

    def __init__(self, compiler, flags):
        self.folder = tempfile.TemporaryDirectory()
        source, library = (os.path.join(self.folder.name, name) for name in ("c.c", "c.so"))
        with open(source, "w") as file:
            file.write(C_SOURCE)
        subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", *flags, source,
                        "-o", library], check=True)
        self.library = ctypes.CDLL(library)

    def make(self, case):
        if case.inputs[0].ndim != 1 or THREADS > 1:
            return None
        name = f"{case.kind}_{case.size.split()[0]}"
        if not case.kind or not hasattr(self.library, name):
            return None
        function, inputs = getattr(self.library, name), case.inputs
        y = numpy.zeros_like(inputs[0])
        arguments = [ctypes.c_void_p(x.ctypes.data) for x in (*inputs, y)]
        arguments.append(ctypes.c_long(y.size))

        def call(keep=(inputs, y)):
            function(*arguments)
            return keep[1]
        return call


def make_memcpy(case):
    """As many bytes in and out as the case has."""
    count = case.nbytes // 2
    source, target = numpy.ones(count, numpy.uint8), numpy.zeros(count, numpy.uint8)
    memcpy = ctypes.CDLL(None).memcpy
    part = -(-count // THREADS)

    def arguments(begin):
        return (ctypes.c_void_p(target.ctypes.data + begin),
                ctypes.c_void_p(source.ctypes.data + begin),
                ctypes.c_size_t(min(part, count - begin)))
    parts = [arguments(begin) for begin in range(0, count, part)]
    if THREADS == 1:
        return lambda keep=(source, target): memcpy(*parts[0]) and None
    pool = concurrent.futures.ThreadPoolExecutor(THREADS)
    return lambda keep=(source, target): list(pool.map(lambda one: memcpy(*one), parts)) and None


def _is_narrow(case):
    """Whether there are numbers that numpy and torch do not share."""
    return any(recipe.dtype == "bf16" for recipe in case.recipes)


def make_numpy(case):
    functions = {"sum": numpy.add, "max": numpy.maximum}
    if case.kind not in functions or THREADS > 1 or _is_narrow(case):
        return None
    x, y = case.inputs[0], numpy.zeros_like(case.inputs[0])
    return lambda: functions[case.kind].accumulate(x, axis=case.axis, out=y)


#: Trees of operations on whole arrays take many times their memory: on arrays with more
#: elements than these they are not measured.
TREE_LIMIT = 1 << 22

# The accumulated states come first; elements are in front of one another.
COMBINERS = {
    "sum": lambda m, a, b: (a[0] + b[0],),
    "max": lambda m, a, b: (m.maximum(a[0], b[0]),),
    "recurrence": lambda m, a, b: (b[0] * a[0], b[0] * a[1] + b[1]),
    "linear-pair": lambda m, a, b: (b[0] * a[0], b[0] * a[1] + b[1]),
    "matrix": lambda m, a, b: (b[0] * a[0] + b[1] * a[2], b[0] * a[1] + b[1] * a[3],
                               b[2] * a[0] + b[3] * a[2], b[2] * a[1] + b[3] * a[3]),
}


def _softmax(m, a, b):
    top = m.maximum(a[0], b[0])
    return top, a[1] * m.exp(a[0] - top) + b[1] * m.exp(b[0] - top)


COMBINERS["softmax-pair"] = _softmax


def make_torch(case):
    import torch
    torch.set_num_threads(THREADS)
    functions = {"sum": lambda x, y: torch.cumsum(x, case.axis, dtype=x.dtype, out=y),
                 "max": lambda x, y: torch.cummax(x, case.axis)}
    if case.kind not in functions or _is_narrow(case):
        return None
    x = torch.from_numpy(case.inputs[0])
    y = torch.zeros_like(x)
    return lambda: functions[case.kind](x, y)


def make_torch_generic(case):
    import torch
    from torch._higher_order_ops.associative_scan import generic_associative_scan
    torch.set_num_threads(THREADS)
    combiner = COMBINERS.get(case.kind)
    if not combiner or _is_narrow(case) or case.inputs[0].size > TREE_LIMIT:
        return None
    xs = [torch.from_numpy(x) for x in case.inputs]
    leaves = len(xs)
    return lambda: generic_associative_scan(
        lambda *e: combiner(torch, e[:leaves], e[leaves:]), xs, dim=case.axis)


def make_jax(case):
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false "
                                       "intra_op_parallelism_threads=1")
    import jax
    combiner = COMBINERS.get(case.kind)
    if (not combiner or THREADS > 1 or case.inputs[0].dtype == numpy.float64
            or case.inputs[0].size > TREE_LIMIT):
        return None
    xs = tuple(jax.numpy.asarray(x) for x in case.inputs)
    scan = jax.jit(lambda *elements: jax.lax.associative_scan(
        lambda a, b: combiner(jax.numpy, a, b), elements, axis=case.axis))
    return lambda: jax.block_until_ready(scan(*xs))


#: A step of lax.scan takes about a microsecond.
STEPS_LIMIT = 1 << 16


def make_jax_scan(case):
    """lax.scan, one step after the other."""
    os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false "
                                       "intra_op_parallelism_threads=1")
    import jax
    combiner = COMBINERS.get(case.kind)
    if (not combiner or THREADS > 1 or case.inputs[0].dtype == numpy.float64
            or case.inputs[0].ndim != 1 or case.inputs[0].size > STEPS_LIMIT):
        return None
    xs = tuple(jax.numpy.asarray(x) for x in case.inputs)

    def step(state, element):
        state = combiner(jax.numpy, state, element)
        return state, state
    scan = jax.jit(lambda *elements: jax.lax.scan(
        step, tuple(x[0] for x in elements), tuple(x[1:] for x in elements)))
    return lambda: jax.block_until_ready(scan(*xs))


def make_all(compiler, names):
    """The makers by name, of those asked for whose packages there are."""
    makers = {"ours": make_ours, "memcpy": make_memcpy, "numpy": make_numpy}
    for name, flags in (("C", []), ("C -ffast-math", ["-ffast-math"])):
        if not names or name in names:
            try:
                makers[name] = CLoops(compiler, flags).make
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"run.py: no loops in C: {error}")
    makers |= {"torch": make_torch, "torch generic": make_torch_generic, "jax": make_jax,
               "jax scan": make_jax_scan}
    return {name: maker for name, maker in makers.items()
            if not names or name in names or name in ("ours", "memcpy")}
