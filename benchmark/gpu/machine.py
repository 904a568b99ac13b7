"""What was measured on: the GPU, its driver and clocks, and the versions of packages."""

import datetime
import importlib.metadata
import platform
import statistics
import subprocess
import threading

QUERY = ["name", "driver_version", "memory.total", "power.limit", "clocks.sm", "clocks.mem",
         "clocks.max.sm", "clocks.max.mem", "temperature.gpu", "power.draw"]
PACKAGES = ["torch", "triton", "jax", "numpy"]


def query_gpu():
    """nvidia-smi's answers by name; empty where there is none."""
    try:
        done = subprocess.run(
            ["nvidia-smi", f"--query-gpu={','.join(QUERY)}", "--format=csv,noheader", "--id=0"],
            capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    values = [value.strip() for value in done.stdout.strip().split(",")]
    return dict(zip(QUERY, values)) if len(values) == len(QUERY) else {}


def versions():
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            pass
    try:
        done = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, timeout=30,
                              check=True)
        found["nvcc"] = done.stdout.strip().splitlines()[-1].strip()
    except (OSError, subprocess.SubprocessError, IndexError):
        pass
    return found


def describe():
    return {"gpu": query_gpu(), "versions": versions(),
            "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")}


def file_name(gpu):
    """NVIDIA-H200 of "NVIDIA H200"."""
    return "".join(letter if letter.isalnum() else "-" for letter in gpu.get("name", "no GPU"))


class Clocks:
    """Asks for the clocks now and then, while something is measured."""

    def __init__(self, seconds=5):
        self.seconds, self.seen, self.stopped = seconds, [], threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.thread.join(timeout=40)

    def _run(self):
        while not self.stopped.wait(self.seconds):
            self.seen.append(query_gpu())

    def summary(self):
        """Of each: the smallest, the median and the largest number that was seen."""
        found = {}
        for name in ("clocks.sm", "clocks.mem", "temperature.gpu", "power.draw"):
            numbers = []
            for entry in self.seen:
                try:
                    numbers.append(float(entry.get(name, "").split()[0]))
                except (IndexError, ValueError):
                    pass
            if numbers:
                found[name] = [min(numbers), statistics.median(numbers), max(numbers)]
        return found
