"""jax.lax.associative_scan in a process of its own, so that the memory that it keeps is
not in the others' way. Reads one JSON object per line and answers with one.

    {"op": "build", "case": {...}, "sets": 4}    -> {"error": fraction of what is tolerated}
    {"op": "sample", "calls": 20}                -> {"seconds": for all of them}
    {"op": "drop"}                               -> {}
"""

import dataclasses
import json
import os
import sys
import time

import emulate
import reference
import workloads


def make_function(jax, case):
    """bf16 is computed in float32, as the others do it."""
    function = make_plain_function(jax, case)
    if case.element != "bf16":
        return function
    f32, bf16 = jax.numpy.float32, jax.numpy.bfloat16
    return lambda *inputs: [result.astype(bf16)
                            for result in function(*[array.astype(f32) for array in inputs])]


def make_plain_function(jax, case):
    jnp, scan = jax.numpy, jax.lax.associative_scan

    def pair(x, y):
        return x[0] * y[0], y[0] * x[1] + y[1]

    def recurrence(a, b):
        return scan(pair, (a, b), axis=case.dim)[1]

    if case.operator == "cumsum":
        return lambda x: (scan(jnp.add, x, reverse=case.reverse, axis=case.dim),)
    if case.operator == "recurrence":
        if not case.is_derivative:
            return lambda a, b: (recurrence(a, b),)

        def train(a, b, dh):
            h, pull = jax.vjp(recurrence, a, b)
            return (h, *pull(dh))
        return train
    if case.operator == "softmax":
        def softmax(x, y):
            most = jnp.maximum(x[0], y[0])
            return most, x[1] * jnp.exp(x[0] - most) + y[1] * jnp.exp(y[0] - most)
        return lambda x: scan(softmax, (x, jnp.ones_like(x)), axis=case.dim)
    if case.operator == "argmax":
        def largest(x, y):
            more = y[0] > x[0]
            return jnp.where(more, y[0], x[0]), jnp.where(more, y[1], x[1])
        return lambda x: scan(largest, (x, jnp.arange(x.shape[0], dtype=jnp.int32)))

    def product(x, y):
        return jnp.einsum("nij,njk->nik", x, y, precision="highest")
    return lambda x: (scan(product, x),)


class Server:
    def __init__(self):
        import jax
        import numpy

        self.jax, self.numpy = jax, numpy
        self.function = self.sets = None

    def make_inputs(self, case, seed):
        arrays = emulate.make_inputs(self.numpy, case, seed)
        # float32 that is rounded to bf16 becomes it without another rounding.
        kinds = [self.jax.numpy.bfloat16 if array.element == "bf16" else None
                 for array in case.inputs]
        return [self.jax.numpy.asarray(array, kind) for array, kind in zip(arrays, kinds)]

    def check(self, case):
        """Of the same function at a size that a host manages."""
        shape = tuple(min(extent, 4096 if dim == case.dim else 32)
                      for dim, extent in enumerate(case.shape))
        small = dataclasses.replace(case, shape=shape, size=shape[case.dim])
        inputs = self.make_inputs(small, 1)
        found = self.jax.jit(make_function(self.jax, small))(*inputs)

        def widen(array):
            array = self.numpy.asarray(array.astype("float32") if array.dtype == "bfloat16"
                                       else array)
            return array.astype("complex128" if array.dtype.kind == "c" else "float64")

        expected = reference.evaluate(self.numpy, small, [widen(array) for array in inputs])
        return reference.difference(self.numpy, small, [widen(array) for array in found],
                                    expected)

    def build(self, case, sets):
        error = self.check(case)
        # Large arrays are drawn once; the others are copies, elsewhere in memory.
        first = self.make_inputs(case, 2)
        self.sets = [first] + [[array + 0 for array in first] for _ in range(sets - 1)]
        self.function = self.jax.jit(make_function(self.jax, case))
        self.sample(1)
        return {"error": error}

    def sample(self, calls):
        self.jax.block_until_ready(self.sets)
        start = time.perf_counter()
        for number in range(calls):
            result = self.function(*self.sets[number % len(self.sets)])
        self.jax.block_until_ready(result)
        return {"seconds": time.perf_counter() - start}

    def drop(self):
        self.function = self.sets = None
        self.jax.clear_caches()
        return {}


def main():
    # What libraries print must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = Server()
    print(json.dumps({"ready": server.jax.__version__, "device": str(server.jax.devices()[0])}),
          file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        operation = request.pop("op")
        if "case" in request:
            request["case"] = workloads.Case(**request["case"])
            object.__setattr__(request["case"], "shape", tuple(request["case"].shape))
        try:
            answer = getattr(server, operation)(**request)
        except Exception as error:  # pylint: disable=broad-except
            answer = {"failed": " ".join(str(error).split())[:300] or type(error).__name__}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
