"""Runs the project's tools for the tests' scripts.

`run` is subprocess.run for one command, but that all commands of scan-run go to one
process, scan-run-session: it starts once, and what it has compiled for one run it has for
the next one of the same program. A command that ends it, as a crash does, ends as it would
have by itself, and the next one starts another. Each number of threads (--threads) has a
process, as it holds for all of a process.
"""

import atexit
import json
import os
import subprocess
import sys
import tempfile

# By the option --threads, "" where there is none.
_sessions = {}


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
    # What --stats counts depends on where in memory arrays lie.
    if os.path.basename(command[0]) != "scan-run" or "--stats" in command:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    threads = next((word for word in command if word.startswith("--threads")), "")
    if threads not in _sessions:
        _sessions[threads] = _Session()
    status, out, err = _sessions[threads].run(command[1:])
    if status is None:
        status, err = _sessions.pop(threads).end()
    return subprocess.CompletedProcess(command, status, out, err)


def process_id():
    """Of the session; None if it has ended or not started."""
    return _sessions[""].process.pid if "" in _sessions else None


def check(command):
    """What a command prints; the script ends if it fails."""
    done = run(command)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


@atexit.register
def _end():
    # Sanitizers report leaks at the end of the process.
    failed = False
    for session in _sessions.values():
        status, messages = session.end()
        if status:
            failed = True
            sys.stdout.flush()
            print(messages, file=sys.stderr, flush=True)
    if failed:
        os._exit(1)
