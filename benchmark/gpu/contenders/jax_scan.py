"""jax.lax.associative_scan under jit, by jax_server.py."""

import atexit
import dataclasses
import importlib.util
import json
import os
import select
import subprocess
import sys

from . import Built, Contender

SERVER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "jax_server.py")
# To start, and to compile one case.
SECONDS = 150


class Associative(Contender):
    name, is_slow = "jax-assoc", True

    def __init__(self, context):
        super().__init__(context)
        self.process = None
        if importlib.util.find_spec("jax") is None:
            self.missing = "JAX is not installed"

    def refuse(self, case):
        if case.operator.startswith("packed"):
            return "it has no segments"
        # Its inputs are drawn on the host.
        if case.elements > 2**26:
            return "not tried above 2^26 elements"
        return None

    def start(self):
        environment = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false",
                           XLA_PYTHON_CLIENT_MEM_FRACTION=".30", TF_CPP_MIN_LOG_LEVEL="3")
        self.process = subprocess.Popen(
            [sys.executable, SERVER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=environment)
        atexit.register(self.stop)
        ready = self.answer()
        if self.context.needs_gpu and "cpu" in ready["device"].lower():
            self.missing = "JAX finds no GPU"
            raise RuntimeError(self.missing)

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def answer(self):
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS)
        line = self.process.stdout.readline() if ready else ""
        if not line:
            self.stop()
            raise RuntimeError("JAX's process " + ("ended" if ready else "takes too long"))
        answer = json.loads(line)
        if "failed" in answer:
            raise RuntimeError(answer["failed"])
        return answer

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.answer()

    def build(self, case, sets):
        if self.process is None:
            self.start()
        answer = self.ask(op="build", case=dataclasses.asdict(case), sets=len(sets))

        def close():
            if self.process:
                self.ask(op="drop")

        return Built(sample=lambda calls: self.ask(op="sample", calls=calls)["seconds"],
                     check=lambda: answer["error"], close=close,
                     note="in a process of its own, by the host's clock; checked at a smaller size")
