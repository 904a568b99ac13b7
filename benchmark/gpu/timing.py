"""Measures calls side by side: rounds in which each contender runs once, in an order
that changes, each time as one replay of a CUDA graph between two events.

Before each replay a buffer larger than twice the L2 is written: inputs come from memory,
and the GPU is busy while the replay is on its way to it.
"""

import random
import statistics
import time

# A sample runs calls for about this long, so that launching it does not count.
SAMPLE_SECONDS = 400e-6
MAX_CALLS = 64


class Sampler:
    """A contender's calls, ready to be sampled."""

    def __init__(self, context, built, calls_per_sample):
        self.context, self.built = context, built
        self.count = calls_per_sample
        self.graph, self.method = None, "host clock"
        self.seconds, self.events = [], []
        if built.sample is None:
            self._capture()

    def _capture(self):
        torch, calls = self.context.torch, self.built.calls
        order = [calls[number % len(calls)] for number in range(self.count)]
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        try:
            # Once beside the capture: libraries set themselves up in a first call.
            with torch.cuda.stream(stream):
                for call in dict.fromkeys(order):
                    call()
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=stream):
                for call in order:
                    call()
            graph.replay()
            torch.cuda.synchronize()
            self.graph, self.method = graph, "graph"
        except RuntimeError as error:
            self.method = "events"
            self.why = " ".join(str(error).split())[:200]
            torch.cuda.synchronize()
        self.order = order

    def sample(self):
        """Launches one sample; its time is read when the round is over."""
        if self.built.sample:
            self.context.torch.cuda.synchronize()
            self.seconds.append(self.built.sample(self.count) / self.count)
            return
        torch = self.context.torch
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.context.flush()
        start.record()
        if self.graph:
            self.graph.replay()
        else:
            for call in self.order:
                call()
        end.record()
        self.events.append((start, end))

    def collect(self):
        """Reads the events; everything has to be done."""
        self.seconds += [start.elapsed_time(end) * 1e-3 / self.count for start, end in self.events]
        self.events = []

    def result(self):
        ordered = sorted(self.seconds)
        return {"seconds": statistics.median(ordered), "min": ordered[0], "max": ordered[-1],
                "samples": len(ordered), "calls_per_sample": self.count, "method": self.method}

    def close(self):
        self.graph = self.order = None
        self.built.close()


def choose_calls(sets, guess):
    """Calls per sample, for a call of about `guess` seconds: one per set at most, so that
    no call finds its inputs in the cache."""
    return max(1, min(sets, MAX_CALLS, round(SAMPLE_SECONDS / max(guess, 1e-6)) or 1))


def measure(samplers, rounds, deadline, seconds=2.0):
    """Interleaved rounds over {name: Sampler}, at least three, then until the time is up."""
    torch = next(iter(samplers.values())).context.torch
    order, source, begin = list(samplers.values()), random.Random(0), time.monotonic()
    for number in range(rounds):
        source.shuffle(order)
        for sampler in order:
            sampler.sample()
        torch.cuda.synchronize()
        now = time.monotonic()
        if number >= 2 and (now > deadline or now - begin > seconds):
            break
    for sampler in order:
        sampler.collect()
    return {name: sampler.result() for name, sampler in samplers.items()}
