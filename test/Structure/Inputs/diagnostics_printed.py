"""Runs the tests of diagnostics without --verify-diagnostics, piece by piece.

usage: diagnostics_printed.py FOLDER WORKDIR PART

With --verify-diagnostics no message is printed, nor the operation that it is about;
and a tool that dies behind the last message has said all that was expected. Each test
below FOLDER that has the option is cut where it has `// -----`, and what it runs is
run on each piece as a user would: it has to print every message that the piece
expects as an error and exit with 1, or with 0 if the piece expects no error.
One piece of PART is run, another one each day.
"""

import concurrent.futures
import os
import re
import shlex
import subprocess
import sys

import sampling

OPTION = re.compile(r"--?(verify-diagnostics|split-input-file)(=\S*)?$")
SPLIT = re.compile(r"^// -----.*$", re.MULTILINE)
EXPECTED = re.compile(r"//\s*expected-error(-re)?\s*(?:@[-+]?\w+\s*|\+?\d+\s*)*\{\{(.*?)\}\}\s*$", re.MULTILINE)


def find_commands(text):
    """The first commands of the RUN lines that verify diagnostics, as lists of words."""
    lines, joined = re.findall(r"RUN:(.*)", text), []
    for line in lines:
        if joined and joined[-1].endswith("\\"):
            joined[-1] = joined[-1][:-1] + line
        else:
            joined.append(line.rstrip())
    for line in joined:
        words = shlex.split(line)
        if "|" in words:
            words = words[: words.index("|")]
        if any(re.fullmatch("--?verify-diagnostics", word) for word in words):
            yield words


def check(name, number, words, piece, path):
    """A message about one piece, or None."""
    with open(path, "w") as file:
        file.write(piece)
    places = {"%s": path, "%t": f"{path}.out"}
    command = [places.get(word, word) for word in words if not OPTION.fullmatch(word)]
    unknown = [word for word in command if "%" in word]
    if unknown:
        return f"{name}: no substitute for {unknown}"
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    expected = EXPECTED.findall(piece)
    where = f"{name}, piece {number}"
    if piece.count("expected-error") != len(expected):
        return f"{where}: has an expected-error that is not understood here"
    if done.returncode != (1 if expected else 0):
        return f"{where}: expected exit code {1 if expected else 0}, found {done.returncode}\n{done.stderr}"
    for is_pattern, message in expected:
        if not is_pattern and f"error: {message}" not in done.stderr and message not in done.stderr:
            return f"{where}: expected {message!r}, found\n{done.stderr}"
    if expected and "error:" not in done.stderr:
        return f"{where}: expected an error, found\n{done.stderr}"
    return None


def main():
    folder, work, part = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    jobs, files = [], 0
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "Inputs")
        for name in sorted(names):
            if not name.endswith(".mlir"):
                continue
            path = os.path.join(root, name)
            with open(path) as file:
                text = file.read()
            for words in find_commands(text):
                files += 1
                for number, piece in enumerate(SPLIT.split(text)):
                    out = os.path.join(work, f"{len(jobs)}.mlir")
                    jobs.append((os.path.relpath(path, folder), number, words, piece, out))
    run = [job for i, job in enumerate(jobs) if sampling.is_of_today(i, int(part))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        problems = [p for p in pool.map(lambda job: check(*job), run) if p]
    for problem in problems:
        print(problem)
    print(f"{files} tests, {len(run)} of {len(jobs)} pieces, {len(problems)} wrong")
    sys.exit(bool(problems) or not jobs)


main()
