#!/usr/bin/env python3
"""Measures what --scan-explain=cpu has to know of this machine, and prints it as JSON.

What copies move: the best of many, in memory and in the last-level cache, by one core
and by all at a time. The rate of vector instructions follows from how long a model
takes that is bound by these (RG-LRU).

example:
  PYTHONPATH=build/python benchmark/cpu/machine.py > machine.json
  scan-opt program.mlir --scan-explain="cpu machine=machine.json" -o /dev/null
"""

import ctypes
import datetime
import glob
import json
import os
import re
import sys
import threading
import time

import numpy

from run import processor



def copy_bandwidth(nbytes, threads, seconds=1.0):
    """GB/s in and out of `threads` copies at a time, each of `nbytes` to `nbytes`."""
    memcpy = ctypes.CDLL(None).memcpy
    best = [0.0] * threads
    start = threading.Barrier(threads)

    def run(number):
        source, target = numpy.ones(nbytes, numpy.uint8), numpy.full(nbytes, 2, numpy.uint8)
        arguments = [ctypes.c_void_p(target.ctypes.data), ctypes.c_void_p(source.ctypes.data),
                     ctypes.c_size_t(nbytes)]
        start.wait()
        end = time.perf_counter() + seconds
        rounds = 0
        while rounds < 5 or time.perf_counter() < end:
            rounds += 1
            begin = time.perf_counter()
            memcpy(*arguments)
            best[number] = max(best[number], 2e-9 * nbytes / (time.perf_counter() - begin))

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(best)


def cache_bytes():
    """Of the last-level cache, as the system says; 32 MiB if it does not."""
    sizes = []
    for path in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size"):
        with open(path) as file:
            number, unit = re.fullmatch(r"(\d+)([KM]?)", file.read().strip()).groups()
        sizes.append(int(number) << {"": 0, "K": 10, "M": 20}[unit])
    return max(sizes, default=32 << 20)


def vector_bits():
    flags = ""
    try:
        with open("/proc/cpuinfo") as file:
            flags = file.read()
    except OSError:
        pass
    wide = [bits for flag, bits in (("avx512vl", 512), ("avx2", 256)) if flag in flags]
    return max(wide, default=128)


def vector_rate():
    """Vector instructions per nanosecond of one core."""
    import mlir_scan
    import programs
    case = next(case for case in programs.make_cases(1 << 20) if case.name == "RG-LRU")
    case.load()
    function = mlir_scan.compile(case.program, case.function)
    times = []
    for _ in range(20):
        begin = time.process_time()
        function(*case.inputs)
        times.append(time.process_time() - begin)
    # 120 of them for each 16 numbers of 512 bits.
    vectors = numpy.prod(case.inputs[0].shape) * 32 / vector_bits()
    return 120 * vectors / min(times) * 1e-9


def main():
    cache, cores = cache_bytes(), len(os.sched_getaffinity(0))
    small, large = cache // 16, 8 * cache
    json.dump({
        "name": processor(), "date": datetime.date.today().isoformat(),
        "vector_bits": vector_bits(), "cores": cores,
        "core_bandwidth": round(copy_bandwidth(large, 1), 1),
        "bandwidth": round(copy_bandwidth(large, cores), 1),
        "core_cache_bandwidth": round(copy_bandwidth(small, 1), 1),
        "cache_bandwidth": round(copy_bandwidth(small, cores), 1),
        "cache_bytes": cache, "vector_rate": round(float(vector_rate()), 2)}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
