"""Runs worker.py over cases: passes on what it measures, starts it anew when it dies."""

import json
import os
import queue
import subprocess
import sys
import threading
import time

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
# PyTorch, the driver, and the GPU's context.
START_SECONDS = 120
# Of what a dead worker said.
LAST_WORDS = 300


def place(case, contender):
    return contender or ("the rounds" if case else "its start")


class Session:
    """Measures `cases` in the program `worker`. `records` has what there is, by key."""

    def __init__(self, cases, options, on_record, worker=None):
        self.cases, self.options, self.on_record = cases, options, on_record
        self.worker = worker or WORKER
        self.records, self.facts = {}, {}
        # Contenders that a case was given up in, and why: it is tried again without.
        self.skipped = {}

    def run(self, deadline, case_timeout):
        """Until all is measured, or time.monotonic() is past `deadline`."""
        remaining = [case.key for case in self.cases]
        failures = 0
        while remaining and time.monotonic() < deadline:
            done, failed, contender, reason = self._run_worker(remaining, deadline, case_timeout)
            remaining = remaining[done:]
            if reason is None:
                break
            if failed is None:
                # It did not even start: another one will not either.
                failures += 1
                if failures > 1 or not done:
                    self._fill(remaining, f"the process that measures ended: {reason}")
                    return
                continue
            skipped = self.skipped.setdefault(failed, {})
            if contender and contender not in skipped:
                skipped[contender] = reason
                continue
            self._record(failed, {"ours": {"not_measured": reason}})
            remaining = [key for key in remaining if key != failed]
        self._fill(remaining, "the time was up")

    def _fill(self, keys, reason):
        for key in keys:
            self._record(key, {"ours": {"not_measured": reason}})

    def _record(self, key, record):
        self.records[key] = record
        self.on_record(key, record)

    def _run_worker(self, keys, deadline, case_timeout):
        """How many cases were done; where it ended early, the case and the contender that it
        was in, if any, and why."""
        request = dict(self.options, cases=keys, deadline=deadline - time.monotonic(),
                       skipped=self.skipped)
        process = subprocess.Popen(
            [sys.executable, "-u", self.worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=None if self.options["verbose"] else subprocess.PIPE, text=True)
        lines, errors = queue.Queue(), []

        def read(stream, put):
            for line in stream:
                put(line)
            put(None)

        threads = [threading.Thread(target=read, args=(process.stdout, lines.put), daemon=True)]
        if process.stderr:
            threads.append(threading.Thread(
                target=read, args=(process.stderr, errors.append), daemon=True))
        for thread in threads:
            thread.start()
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()

        done, current, contender = 0, None, ""
        limit = time.monotonic() + START_SECONDS
        reason = None
        while True:
            # A case in progress may end a little after the deadline.
            try:
                line = lines.get(timeout=max(0.1, min(limit, deadline + 20) - time.monotonic()))
            except queue.Empty:
                reason = f"gave up after {case_timeout:.0f} s, in {place(current, contender)}"
                if time.monotonic() > deadline:
                    reason = "the time was up"
                break
            if line is None:
                break
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "ready" in message:
                self.facts.update(message)
            elif "start" in message:
                current, contender = message["start"], ""
                limit = time.monotonic() + case_timeout
            elif "now" in message:
                contender = message["now"]
            elif "done" in message:
                self._record(message["done"], message["contenders"])
                done, current = done + 1, None
                limit = time.monotonic() + case_timeout
        if reason:
            process.kill()
        process.wait()
        for thread in threads:
            thread.join(timeout=5)
        if reason is None and process.returncode:
            words = [text.strip() for text in errors if text and text.strip()]
            # CUDA's errors are followed by advice.
            words = [text for text in words if "rror" in text] or words
            said = words[-1] if words else f"exit status {process.returncode}"
            reason = f"{said[:LAST_WORDS]} (in {place(current, contender)})"
        return done, current, contender, reason
