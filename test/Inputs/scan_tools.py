"""Runs the project's tools for the tests' scripts.

`run` is subprocess.run for one command, but that all commands of scan-run go to one
process, scan-run-session: it starts once, and what it has compiled for one run it has for
the next one of the same program. A command that ends it, as a crash does, ends as it would
have by itself, and the next one starts another.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile

_session = None


class _Session:
    def __init__(self):
        self.stderr = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            ["scan-run-session"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.stderr, text=True)

    def run(self, arguments):
        """The status and what was printed; None for the status if the process has ended."""
        try:
            self.process.stdin.write(json.dumps(arguments) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            return None, "", ""
        answer = json.loads(line)
        return answer["status"], answer["stdout"], answer["stderr"]

    def end(self):
        """The status and the messages of the process, at its end."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.close()
        status = self.process.wait()
        self.stderr.seek(0)
        return status, self.stderr.read()


def run(command):
    """Runs a command, a list of words; returns a subprocess.CompletedProcess with texts."""
    global _session
    # What --stats counts depends on where in memory arrays lie.
    if os.path.basename(command[0]) != "scan-run" or "--stats" in command:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    if not _session:
        _session = _Session()
    status, out, err = _session.run(command[1:])
    if status is None:
        status, err = _session.end()
        _session = None
    return subprocess.CompletedProcess(command, status, out, err)


def process_id():
    """Of the session; None if it has ended or not started."""
    return _session.process.pid if _session else None


def check(command):
    """What a command prints; the script ends if it fails."""
    done = run(command)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


@atexit.register
def _end():
    # Sanitizers report leaks at the end of the process.
    if _session:
        status, messages = _session.end()
        if status:
            sys.stdout.flush()
            print(messages, file=sys.stderr, flush=True)
            os._exit(1)
